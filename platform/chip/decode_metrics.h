// Metrics of a decode run (DESIGN section 11): counted by the modules, put together here.
#pragma once

#include "platform/chip/chip.h"
#include "platform/run/simulate.h"

namespace meshkv::platform {

/// `end`: the cycle in which the last partial result was merged; metrics are over [0, end).
Json decode_metrics(const RunConfig& config, const Chip& chip, Cycle end);

/// KV_DATA flit-hops: router-to-router links, injection and ejection links.
std::uint64_t kv_traffic(const Chip& chip, Cycle now);
/// Flit-hops of all classes over the same links: what host figures are relative to.
std::uint64_t all_flit_hops(const Chip& chip, Cycle now);

}  // namespace meshkv::platform
