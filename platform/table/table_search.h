// What a table leaves open, searched: which assignment brings most rows within 10 %.
#pragma once

#include <iosfwd>
#include <vector>

#include "platform/regress/jobs.h"
#include "platform/regress/sweep_table.h"
#include "platform/table/row_table.h"

namespace meshkv::platform {

/// Judges the table of `sweep` at each of its points. A row of the result is a point: `within`, the number of
/// rows within 10 %, and our figure of each row. Prints a line a point, then the best points and the rows
/// that no point brings within 10 %.
std::vector<SweepRow> search_table(const Sweep& sweep, const std::vector<std::size_t>& points,
                                   const JobOptions& options, const ResultStore& store, std::ostream& out);

/// "mesh.width=4 takv.a=5": what the axes have at a point.
std::string point_text(const Sweep& sweep, std::size_t point);

}  // namespace meshkv::platform
