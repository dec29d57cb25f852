// How much memory a decode workload's KV cache takes, and where it goes.
#pragma once

#include <cstdint>
#include <string>

#include "platform/run_config.h"

namespace meshkv::platform {

/// Beyond so many segment slots in a layer a workload is refused: the tables of a run would not fit the host.
constexpr double kMaxSlotsPerLayer = 4194304;

/// Segment slots of a layer, all streams; a double, since absurd inputs must not overflow.
double slots_per_layer(const workload::DecodeConfig& decode);

struct Capacity {
  std::uint64_t cache_bytes =
      0;  ///< K and V of all layers, whole blocks, needed tokens only (sliding windows)
  std::uint64_t hbm_bytes = 0;
  std::uint64_t ddr_bytes = 0;
  std::uint64_t spilled_bytes = 0;  ///< beyond HBM, in DDR4; 0 with memory.spill "ignore"
};

/// Needs a valid workload (slots_per_layer() <= kMaxSlotsPerLayer).
Capacity kv_capacity(const RunConfig& config);

/// "16.0 GiB", "288.0 KiB".
std::string bytes_text(double bytes);

}  // namespace meshkv::platform
