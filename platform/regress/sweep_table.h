// What a sweep found, as a table: a row a point, in the order of the points.
#pragma once

#include <string>
#include <vector>

#include "platform/regress/sweep_file.h"

namespace meshkv::platform {

struct SweepRow {
  std::size_t point = 0;
  std::string ending;             ///< as of a Verdict
  std::string folder;             ///< of its results; empty: none were kept
  Json metrics = Json::object();  ///< golden_values(): path to number
};

class SweepTable {
 public:
  /// Rows in the order of their points, whatever the order in which they came.
  SweepTable(const Sweep& sweep, std::vector<SweepRow> rows);
  std::string csv() const;  ///< RFC 4180; axes, `ending`, metrics; empty where a point has no such metric
  Json json() const;

 private:
  const Sweep& sweep_;
  std::vector<SweepRow> rows_;
  std::vector<std::string> columns_;
};

}  // namespace meshkv::platform
