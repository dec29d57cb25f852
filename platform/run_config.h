// Everything that a run needs, parsed and validated. The platform fills it from a scenario; the chip is built
// from it.
#pragma once

#include <cstdint>
#include <string>

#include "models/common/types.h"
#include "models/controller/controller_config.h"
#include "models/mare/mare_config.h"
#include "models/memory/memory_config.h"
#include "models/noc/noc_config.h"
#include "models/pad/pad_config.h"
#include "models/takv/placement_config.h"
#include "models/workload/model_shape.h"

namespace meshkv::platform {

enum class WorkloadKind : std::uint8_t { kDecode, kSynthetic, kMemory };

struct LtConfig {
  int chunk_flits = 128;  ///< reservation unit; the quantum does not exceed it
};

/// A run of one preset in one process.
struct RunConfig {
  std::string name;
  TimingMode mode = TimingMode::kAt;
  std::uint64_t seed = 1;
  double clock_mhz = 300.0;
  noc::NocConfig noc;
  std::string preset;
  takv::PlacementConfig placement;
  mare::MareConfig mare;
  pad::PadConfig pad;
  memory::MemoryConfig memory;
  controller::ControllerConfig controllers;
  WorkloadKind workload_kind = WorkloadKind::kDecode;
  workload::DecodeConfig decode;
  workload::MappingConfig mapping;
  LtConfig lt;
  Cycle max_cycles = 0;  ///< 0: none
};

}  // namespace meshkv::platform
