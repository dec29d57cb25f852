// A table as part of a regression: judged, written as pages, compared with its golden values.
#pragma once

#include <iosfwd>
#include <string>

#include "platform/regress/regression.h"

namespace meshkv::platform {

/// Writes NAME.md and NAME.html (the name of the table's folder) into the store. Prints where they are, what
/// drifted, and as the last line how many rows are within 10 %. Returns an exit code: 0, or 1 where a
/// scenario has no result or a row is not what golden/TABLE.json says. With options.update that file is
/// written.
int regress_table(const std::string& file, const RegressionOptions& options, const ResultStore& store,
                  std::ostream& out);

}  // namespace meshkv::platform
