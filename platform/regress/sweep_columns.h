// The metrics that a sweep's table shows.
#pragma once

#include <string>

#include "platform/regress/sweep_file.h"

namespace meshkv::platform {

/// Throws InputError for columns that no point of the sweep has, before anything is run. `file`: the sweep's.
void check_columns(const Sweep& sweep, const std::string& file);

/// What a row holds of one point's results.json: all metrics (golden_values), and the columns that the sweep
/// names.
Json row_metrics(const Sweep& sweep, const Json& results);

}  // namespace meshkv::platform
