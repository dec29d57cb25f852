#include "platform/table/table_search.h"

#include <algorithm>
#include <ostream>
#include <set>

#include "platform/regress/golden.h"
#include "platform/table/row_verdict.h"

namespace meshkv::platform {
namespace {

/// The rows that the search is about, with its seeds. Figures are for readers.
RowTable searched(const Sweep& sweep) {
  RowTable table = read_row_table(sweep.table);
  table.figures.clear();
  if (!sweep.seeds.empty()) table.seeds = sweep.seeds;
  const auto unwanted = [&sweep](const TableRow& row) {
    return !sweep.rows.empty() && std::none_of(sweep.rows.begin(), sweep.rows.end(),
                                               [&](const auto& pattern) { return matches(pattern, row.id); });
  };
  table.rows.erase(std::remove_if(table.rows.begin(), table.rows.end(), unwanted), table.rows.end());
  for (TableRow& row : table.rows) {  // reasons are not searched
    row.causes.clear();
    row.at_most.clear();
  }
  return table;
}

}  // namespace

std::string point_text(const Sweep& sweep, std::size_t point) {
  std::string text;
  const std::vector<Json> values = sweep.values_at(point);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (sweep.one_at_a_time && values[i].is_null()) continue;
    text += (text.empty() ? "" : " ") + sweep.axes[i].path + "=" + shown(values[i]);
  }
  return text.empty() ? "the base" : text;
}

std::vector<SweepRow> search_table(const Sweep& sweep, const std::vector<std::size_t>& points,
                                   const JobOptions& options, const ResultStore& store, std::ostream& out) {
  const RowTable table = searched(sweep);
  std::vector<SweepRow> found;
  std::set<std::string> never;
  for (const TableRow& row : table.rows) never.insert(row.id);
  int most = -1;
  std::vector<std::size_t> best;
  for (const std::size_t point : points) {
    const TableResults results(table, sweep.settings_at(point), options, store);
    Json figures = Json::object();
    int within = 0;
    for (const TableRow& row : table.rows) {
      const RowVerdict verdict = results.judge(row);
      if (verdict.ours) figures[row.id] = verdict.ours->mean;
      if (!verdict.within) continue;
      ++within;
      never.erase(row.id);
    }
    figures["within"] = within;
    found.push_back({point, results.failure().empty() ? "ok" : "failed", "", figures});
    if (within > most) best.clear();
    if (within >= most) best.push_back(point);
    most = std::max(most, within);
    out << within << " of " << table.rows.size() << "  " << point_text(sweep, point)
        << (results.failure().empty() ? "" : "  (" + results.failure() + ")") << std::endl;
  }
  out << "best:";
  for (const std::size_t point : best) out << "  " << point_text(sweep, point) << ";";
  out << "\nwithin 10 % at no point:";
  for (const std::string& id : never) out << ' ' << id;
  out << '\n';
  return found;
}

}  // namespace meshkv::platform
