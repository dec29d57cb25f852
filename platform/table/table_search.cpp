#include "platform/table/table_search.h"

#include <algorithm>
#include <ostream>
#include <set>

#include "platform/regress/golden.h"
#include "platform/scenario/input_error.h"
#include "platform/scenario/scenario_paths.h"
#include "platform/table/row_verdict.h"
#include "platform/table/table_names.h"

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

/// `text` with `to` wherever it says `from`.
std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

RowTable read_otherwise(RowTable table, const std::string& from, const std::string& to) {
  for (TableRow& row : table.rows)
    for (std::string* formula : {&row.ours, &row.neutral_ours}) *formula = replaced(*formula, from, to);
  return table;
}

SearchPoint judged(const RowTable& table, const Sweep& sweep, std::size_t point, const std::string& text,
                   const JobOptions& options, const ResultStore& store, std::ostream& out) {
  const TableResults results(table, sweep.settings_at(point), options, store);
  SearchPoint found;
  found.text = text;
  found.failure = results.failure();
  Json figures = Json::object();
  for (const TableRow& row : table.rows) {
    const RowVerdict verdict = results.judge(row);
    if (verdict.ours) figures[row.id] = verdict.ours->mean;
    if (verdict.within) found.within.insert(row.id);
  }
  figures["within"] = found.within.size();
  found.row = {point, found.failure.empty() ? "ok" : "failed", "", figures};
  out << found.within.size() << " of " << table.rows.size() << "  " << text
      << (found.failure.empty() ? "" : "  (" + found.failure + ")") << std::endl;
  return found;
}

std::vector<const SearchPoint*> best_of(const Search& search) {
  std::vector<const SearchPoint*> best;
  for (const SearchPoint& point : search.points) {
    if (!best.empty() && point.within.size() > best.front()->within.size()) best.clear();
    if (best.empty() || point.within.size() == best.front()->within.size()) best.push_back(&point);
  }
  return best;
}

std::string ids_of_none(const Search& search) {
  std::string text;
  for (const std::string& id : search.rows) {
    const auto has = [&id](const SearchPoint& point) { return point.within.count(id) > 0; };
    if (std::none_of(search.points.begin(), search.points.end(), has) &&
        std::none_of(search.readings.begin(), search.readings.end(), has))
      text += ' ' + id;
  }
  return text;
}

/// Ids of `a` that `b` does not have.
std::string ids_beyond(const std::set<std::string>& a, const std::set<std::string>& b) {
  std::string text;
  for (const std::string& id : a)
    if (b.count(id) == 0) text += (text.empty() ? "" : ", ") + id;
  return text;
}

std::string page_line(const SearchPoint& point, const SearchPoint& first) {
  if (!point.failure.empty()) return "| " + point.text + " | no result | " + point.failure + " | |\n";
  return "| " + point.text + " | " + std::to_string(point.within.size()) + " | " +
         ids_beyond(point.within, first.within) + " | " + ids_beyond(first.within, point.within) + " |\n";
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

void check_search(const Sweep& sweep, const std::string& file) {
  const RowTable table = read_row_table(sweep.table);
  check_names(table);
  std::vector<std::string> ids;
  std::string formulas;
  for (const TableRow& row : table.rows) {
    ids.push_back(row.id);
    formulas += row.ours + "\n" + row.neutral_ours + "\n";
  }
  std::vector<Problem> problems;
  for (std::size_t i = 0; i < sweep.rows.size(); ++i) {
    const std::string& pattern = sweep.rows[i];
    if (std::any_of(ids.begin(), ids.end(), [&](const auto& id) { return matches(pattern, id); })) continue;
    const std::string near = nearest_name(pattern, ids);
    problems.push_back({file, "rows[" + std::to_string(i) + "]",
                        "found " + shown(Json(pattern)) + ", which is no row of " + sweep.table +
                            (near.empty() ? "" : "; did you mean " + near + "?")});
  }
  for (const auto& [from, instead] : sweep.readings)
    if (formulas.find(from) == std::string::npos)
      problems.push_back({file, "readings." + from, "stands in no formula of " + sweep.table});
  if (!problems.empty()) throw InputError(std::move(problems));
}

Search search_table(const Sweep& sweep, const std::vector<std::size_t>& points, const JobOptions& options,
                    const ResultStore& store, std::ostream& out) {
  const RowTable table = searched(sweep);
  Search search;
  for (const TableRow& row : table.rows) search.rows.push_back(row.id);
  for (const std::size_t point : points)
    search.points.push_back(judged(table, sweep, point, point_text(sweep, point), options, store, out));
  for (const auto& [from, instead] : sweep.readings)
    for (const std::string& to : instead)
      search.readings.push_back(judged(read_otherwise(table, from, to), sweep, points.front(),
                                       to + " for " + from, options, store, out));
  out << "best:";
  for (const SearchPoint* point : best_of(search)) out << "  " << point->text << ";";
  out << "\nwithin 10 % at no point:" << ids_of_none(search) << '\n';
  return search;
}

std::string search_markdown(const Sweep& sweep, const Search& search, const std::string& command) {
  std::string rows;
  for (const std::string& id : search.rows) rows += (rows.empty() ? "" : ", ") + id;
  std::string page = "# What the paper leaves open: the search\n\nWritten by `" + command + "`.\n\n" +
                     std::to_string(search.rows.size()) +
                     " rows depend on these choices and are judged at each point: " + rows + ".\n";
  for (const std::string& setting : sweep.settings) page += "\nAt all points: `" + setting + "`.\n";
  page += "\n| choice | rows within 10 % | gained | lost |\n|---|---|---|---|\n";
  for (const SearchPoint& point : search.points) page += page_line(point, search.points.front());
  for (const SearchPoint& point : search.readings) page += page_line(point, search.points.front());
  page += "\nBest:";
  for (const SearchPoint* point : best_of(search)) page += " " + point->text + ";";
  page.back() = '.';
  const std::string none = ids_of_none(search);
  return page + "\n\nWithin 10 % at no point:" + (none.empty() ? " none" : none) + ".\n";
}

}  // namespace meshkv::platform
