#include "platform/regress/sweep_table.h"

#include <algorithm>
#include <set>

namespace meshkv::platform {
namespace {

std::string quoted_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string cell(const Json& value) {
  if (value.is_null()) return "";
  return quoted_cell(value.is_string() ? value.get<std::string>() : value.dump());
}

}  // namespace

SweepTable::SweepTable(const Sweep& sweep, std::vector<SweepRow> rows)
    : sweep_(sweep), rows_(std::move(rows)) {
  std::sort(rows_.begin(), rows_.end(),
            [](const SweepRow& a, const SweepRow& b) { return a.point < b.point; });
  columns_ = sweep.columns;
  if (!columns_.empty()) return;
  std::set<std::string> known;
  for (const SweepRow& row : rows_)
    for (const auto& [metric, value] : row.metrics.items())
      if (known.insert(metric).second) columns_.push_back(metric);
}

std::string SweepTable::csv() const {
  std::string text;
  for (const SweepAxis& axis : sweep_.axes) text += quoted_cell(axis.path) + ",";
  text += "ending";
  for (const std::string& column : columns_) text += "," + quoted_cell(column);
  text += "\r\n";
  for (const SweepRow& row : rows_) {
    for (const Json& value : sweep_.values_at(row.point)) text += cell(value) + ",";
    text += row.ending;
    for (const std::string& column : columns_) {
      const auto found = row.metrics.find(column);
      text += "," + (found == row.metrics.end() ? "" : cell(*found));
    }
    text += "\r\n";
  }
  return text;
}

Json SweepTable::json() const {
  Json points = Json::array();
  for (const SweepRow& row : rows_) {
    Json values = Json::object(), metrics = Json::object();
    const std::vector<Json> at = sweep_.values_at(row.point);
    for (std::size_t i = 0; i < at.size(); ++i) values[sweep_.axes[i].path] = at[i];
    for (const std::string& column : columns_)
      if (row.metrics.contains(column)) metrics[column] = row.metrics[column];
    points.push_back({{"at", values}, {"ending", row.ending}, {"results", row.folder}, {"metrics", metrics}});
  }
  return Json{{"sweep", sweep_.name}, {"base", sweep_.base}, {"points", points}};
}

}  // namespace meshkv::platform
