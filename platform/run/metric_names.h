// Which numbers a run will have, known before it is simulated.
#pragma once

#include <string>
#include <vector>

#include "platform/run_config.h"

namespace meshkv::platform {

/// The paths that a check may name, from the top of a run's results: "cycles", "bounds.hbm_cycles",
/// "metrics.noc.traffic". A few of them depend on what the run finds ("metrics.memory.ddr_row_hit_rate":
/// whether DDR4 is read at all); a check of one that is missing fails. A test compares this with what runs
/// have.
std::vector<std::string> metric_names(const RunConfig& config);

}  // namespace meshkv::platform
