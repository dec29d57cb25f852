// What a table's formulas refer to, checked before anything is run.
#pragma once

#include "platform/table/row_table.h"

namespace meshkv::platform {

/// Throws InputError with every reference to a preset that its scenario does not run, or to a metric that its
/// runs will not have. Scenarios that are refused themselves are passed over: running them says why.
void check_names(const RowTable& table);

}  // namespace meshkv::platform
