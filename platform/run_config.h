// Everything that a run needs, parsed and validated. The platform fills it from a scenario; the chip is built
// from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/check/fault.h"
#include "models/common/types.h"
#include "models/controller/controller_config.h"
#include "models/data/file_values.h"
#include "models/mare/mare_config.h"
#include "models/memory/memory_config.h"
#include "models/memory/memory_workload_config.h"
#include "models/noc/noc_config.h"
#include "models/pad/pad_config.h"
#include "models/takv/placement_config.h"
#include "models/workload/model_shape.h"
#include "models/workload/synthetic_config.h"
#include "platform/trace/trace_config.h"

namespace meshkv::platform {

enum class WorkloadKind : std::uint8_t { kDecode, kSynthetic, kMemory };

struct LtConfig {
  /// Reservation unit; the quantum does not exceed it. 0: 64 on meshes of fewer than 64 tiles, else 256.
  /// (Against `at` 64 is within a few percent and 256 within ten; small meshes are cheap enough for 64.)
  int chunk_flits = 0;
};

/// workload.kind "synthetic": the mesh alone, with BookSim2's meaning of the words.
struct SyntheticWorkload {
  workload::TrafficPattern pattern = workload::TrafficPattern::kUniform;
  int hotspot_node = 0;
  int multicast_fanout = 8;
  int home_requests = 4;
  std::string packets;           ///< replay: file, resolved against the scenario that names it
  double injection_rate = 0.1;   ///< flits/node/cycle offered
  int packet_flits = 5;          ///< also the length of replayed packets without a `flits` column
  Cycle warmup_cycles = 10000;   ///< not measured
  Cycle measure_cycles = 30000;  ///< packets created in this window are measured
};

/// Part of a mixed run: so many layers in one timing mode.
struct ModePhase {
  TimingMode mode = TimingMode::kAt;
  int layers = 0;  ///< simulated layers, counted over all steps; 0 (last phase only): all that are left
};

/// What is kept for pictures, beside the results and without an influence on them.
struct RecordConfig {
  int slices = 0;     ///< time slices of each link at most, even; 0: nothing is kept
  std::string tiles;  ///< Pad timelines: a glob over tile names (tile_3_4); empty: tiles along the diagonal
  int tiles_most = 16;
  int segments_per_tile = 1000;  ///< the first ones; how many more there were is kept, too
};

/// Picojoules of what a run counts; parameters_energy.cpp has the sources.
struct EnergyTable {
  double wire_pj_per_bit_mm = 0.121;
  double link_mm = 2.5;         ///< router to router
  double local_link_mm = 1.25;  ///< injection and ejection
  double buffer_pj_per_bit = 0.15625;
  double sram_pj_per_bit = 0.3125;
  double mac_pj = 2.0;
  double hbm_pj_per_bit = 3.48;
  double hbm_activation_pj = 909;
  double ddr_pj_per_bit = 20.3125;
  double ddr_activation_pj = 0;
};

/// A run of one preset in one process.
struct RunConfig {
  std::string name;
  std::string description;
  TimingMode mode = TimingMode::kAt;  ///< of the first phase, where there are phases
  std::vector<ModePhase> phases;      ///< empty: all in `mode`
  std::uint64_t seed = 1;
  double clock_mhz = 300.0;
  noc::NocConfig noc;
  std::string preset = "meshkv";
  takv::PlacementConfig placement;
  mare::MareConfig mare;
  pad::PadConfig pad;
  memory::MemoryConfig memory;
  EnergyTable energy;
  controller::ControllerConfig controllers;
  WorkloadKind workload_kind = WorkloadKind::kDecode;
  std::string model_path;  ///< as the scenario names it
  workload::DecodeConfig decode;
  std::string trace;  ///< workload.trace, resolved
  SyntheticWorkload synthetic;
  memory::MemoryWorkloadConfig memory_workload;  ///< seed and clock are the run's
  workload::MappingConfig mapping;
  LtConfig lt;
  bool data = false;
  data::ValueFiles value_files;  ///< resolved
  std::vector<check::Fault> faults;
  Cycle max_cycles = 0;  ///< 0: none
  // From the command line, not from the scenario; without an influence on results.
  RecordConfig record;
  TraceConfig tracing;
  std::optional<int> gdb_port;  ///< of the controllers' harts; 0: any that is free
};

/// Sets the fabric's switches as a preset defines them (DESIGN section 12). `name` is one of preset_names().
void apply_preset(RunConfig& config, const std::string& name);
const std::vector<std::string>& preset_names();

}  // namespace meshkv::platform
