// What a table leaves open, searched: which assignment brings most rows within 10 %.
#pragma once

#include <iosfwd>
#include <set>
#include <string>
#include <vector>

#include "platform/regress/jobs.h"
#include "platform/regress/sweep_table.h"
#include "platform/table/row_table.h"

namespace meshkv::platform {

/// A table, judged with one assignment.
struct SearchPoint {
  std::string text;              ///< "mesh.width=4 takv.a=5"
  std::set<std::string> within;  ///< ids of the rows within 10 %
  std::string failure;           ///< the first scenario without a result; or empty
  SweepRow row;                  ///< `within`, their number, and our figure of each row
};

struct Search {
  std::vector<std::string> rows;      ///< ids of those that are searched
  std::vector<SearchPoint> points;    ///< those of the sweep, the first one the others are compared with
  std::vector<SearchPoint> readings;  ///< the first point, with something else counted
};

/// Judges the table of `sweep` at `points`, and at the first of them with its readings. Prints a line each,
/// then the best points and the rows that none brings within 10 %.
Search search_table(const Sweep& sweep, const std::vector<std::size_t>& points, const JobOptions& options,
                    const ResultStore& store, std::ostream& out);

/// Throws InputError for patterns of rows and readings that mean nothing in the table, and as check_names().
void check_search(const Sweep& sweep, const std::string& file);

/// The same as a page: what each point gains and loses. `command` is how to make it.
std::string search_markdown(const Sweep& sweep, const Search& search, const std::string& command);

/// "mesh.width=4 takv.a=5": what the axes have at a point.
std::string point_text(const Sweep& sweep, std::size_t point);

}  // namespace meshkv::platform
