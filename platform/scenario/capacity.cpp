#include "platform/scenario/capacity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "models/workload/segments.h"

namespace meshkv::platform {

double slots_per_layer(const workload::DecodeConfig& decode) {
  const double segment = decode.layout.segment_tokens;
  const double shared = std::floor(static_cast<double>(decode.shared_prefix_tokens) / segment);
  double slots = shared;
  for (int b = 0; b < decode.streams; ++b) {
    const double tokens = static_cast<double>(decode.context_of(b)) + decode.steps - 1;
    const double all = std::ceil(std::max(tokens, static_cast<double>(decode.reserved_tokens)) / segment);
    slots += std::max(0.0, all - shared);
  }
  return slots;
}

Capacity kv_capacity(const RunConfig& config) {
  workload::DecodeConfig whole = config.decode;
  whole.sampled_layers.clear();
  whole.sampled_segment_from = 0;
  whole.sampled_segment_to = -1;
  const workload::SegmentTable table(whole, whole.steps - 1);
  const auto block = static_cast<std::uint64_t>(
      workload::block_bytes(whole.model, whole.layout, whole.layout.segment_tokens));
  Capacity capacity;
  double total = 0;
  for (int layer : table.layers()) {
    // What is reserved takes room whether a step reads it or not.
    const std::size_t blocks = config.decode.reserved_tokens > 0 ? static_cast<std::size_t>(table.slots())
                                                                 : table.needed(layer).size();
    capacity.cache_bytes += blocks * block;
    total += static_cast<double>(blocks) * static_cast<double>(block);
  }
  // Beyond what any memory holds the sum may have wrapped.
  if (total > 9e18) capacity.cache_bytes = std::uint64_t{9'000'000'000'000'000'000};
  capacity.hbm_bytes = config.memory.hbm_bytes;
  capacity.ddr_bytes = config.memory.ddr_bytes;
  if (config.memory.spill != memory::Spill::kIgnore && capacity.cache_bytes > capacity.hbm_bytes)
    capacity.spilled_bytes = capacity.cache_bytes - capacity.hbm_bytes;
  return capacity;
}

std::string bytes_text(double bytes) {
  static constexpr std::array units{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  char text[48];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
  return text;
}

}  // namespace meshkv::platform
