// For each resource the time that it alone would need (DESIGN section 11), without simulation.
#pragma once

#include "platform/run_config.h"
#include "platform/scenario/parameter.h"

namespace meshkv::platform {

/// Cycles of one decode step (of the sampled part, where the workload is sampled) by resource: "hbm", "ddr",
/// "injection", "ejection", "bisection", "mac". Empty where a workload has no such bounds.
Json estimate_bounds(const RunConfig& config);

/// `bounds` of results.json: {"hbm_cycles": ..., "tightest": "ddr", "tightest_cycles": ...} and, with
/// achieved > 0, "achieved_cycles" and "achieved_over_bound". Empty for empty `by_resource`.
Json bounds_report(const Json& by_resource, double achieved_cycles);

}  // namespace meshkv::platform
