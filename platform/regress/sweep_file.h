// A file for `vp sweep`: a scenario, and values of some of its keys of which every combination is a run.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "platform/scenario/parameter.h"

namespace meshkv::platform {

struct SweepAxis {
  std::string path;          ///< a key of the scenario, or a group of keys: then the values are objects
  std::vector<Json> values;  ///< in the order of the file
};

struct Sweep {
  std::string name;
  std::string base;               ///< scenario file, found from the sweep's file
  std::string table;              ///< instead of a base: a table of published figures, judged at each point
  std::vector<std::string> rows;  ///< of the table: patterns of ids; empty: all
  std::vector<std::uint64_t> seeds;  ///< of the table's draws; empty: its own
  /// Of the table's formulas: a text, and what is read in its place.
  std::vector<std::pair<std::string, std::vector<std::string>>> readings;
  bool one_at_a_time = false;  ///< the first point is the base itself, in the others one axis has a value
  std::vector<std::string> settings;  ///< of all points, as --set
  std::vector<SweepAxis> axes;
  std::vector<std::string> columns;  ///< metrics of the table; empty: all

  std::size_t points() const;
  /// Values of the axes at a point; the last axis changes fastest. null: as the base has it.
  std::vector<Json> values_at(std::size_t point) const;
  /// All --set arguments of a point.
  std::vector<std::string> settings_at(std::size_t point) const;
};

/// {"base": "../quickstart.json", "set": {"seed": 3}, "axes": {"mesh.width": [4, 8], "noc.vc_depth_flits":
/// {"from": 2, "to": 8, "step": 2}, "mare.tags": {"from": 1, "to": 64, "factor": 4}}, "columns": ["cycles"]}.
/// With "one_at_a_time": true the axes are not combined. "table" instead of "base" (with "rows", "seeds",
/// "readings"): see table/table_search.h. Throws InputError with every problem.
Sweep read_sweep(const std::string& file);

}  // namespace meshkv::platform
