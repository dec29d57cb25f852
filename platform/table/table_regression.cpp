#include "platform/table/table_regression.h"

#include <filesystem>
#include <ostream>

#include "platform/regress/golden.h"
#include "platform/run/part_files.h"
#include "platform/table/row_table.h"
#include "platform/table/row_verdict.h"
#include "platform/table/table_pages.h"

namespace meshkv::platform {
namespace fs = std::filesystem;
namespace {

/// The numbers of the rows, as the metrics of a result: our figure, the figure with each cause, and whether
/// the row is explained.
Json as_results(const RowTable& table, const std::vector<RowVerdict>& verdicts) {
  Json rows = Json::object();
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const std::string& id = table.rows[i].id;
    if (!verdicts[i].ours) continue;
    rows[id] = verdicts[i].ours->mean;
    if (verdicts[i].within) continue;
    rows[id + ".explained"] = verdicts[i].explained ? 1 : 0;
    for (std::size_t k = 0; k < verdicts[i].causes.size(); ++k)
      rows[id + ".cause_" + std::to_string(k + 1)] = verdicts[i].causes[k];
  }
  return Json{{"metrics", rows}};
}

/// Causes that do not move a row as the table claims, a line each.
std::string broken_claims(const RowTable& table, const std::vector<RowVerdict>& verdicts) {
  std::string text;
  for (std::size_t i = 0; i < verdicts.size(); ++i)
    for (const std::string& claim : verdicts[i].not_as_claimed)
      text += "        " + table.rows[i].id + ": " + claim + "\n";
  return text;
}

/// What differs from the golden values, a line each; empty: nothing, or there are none.
std::string drift_text(const std::string& golden, const Json& found) {
  const auto kept = Golden::read(golden);
  if (!kept) return "";
  std::string text;
  for (const Drift& drift : kept->compare(found))
    if (drift.is_failure()) text += "        " + drift.text() + "\n";
  return text;
}

}  // namespace

int regress_table(const std::string& file, const RegressionOptions& options, const ResultStore& store,
                  std::ostream& out) {
  const RowTable table = read_row_table(file);
  const TableResults results(table, {}, options.run, store);
  const std::vector<RowVerdict> verdicts = results.judge_all();
  const std::string pages = store.folder() + "/" + table.name;
  write_whole(pages + ".md", table_markdown(table, verdicts), "--store");
  write_whole(pages + ".html", table_html(table, verdicts, results), "--store");
  const Json found = as_results(table, verdicts);
  int exit_code = 0;
  if (!results.failure().empty()) {
    out << "FAILED  " << file << ": " << results.failure() << '\n';
    exit_code = 1;
  }
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i].ours) continue;
    out << "FAILED  " << file << ": " << table.rows[i].id << ": a run has no such number\n";
    exit_code = 1;
  }
  if (const std::string broken = broken_claims(table, verdicts); !broken.empty()) {
    out << "FAILED  " << file << ": causes do not move the figures as claimed\n" << broken;
    exit_code = 1;
  }
  const std::string golden = golden_file(file);
  if (options.update_tables && exit_code == 0) {
    write_whole(golden, Golden::from_results(found, Golden::read(golden)).text(), "--update-tables");
  } else if (!fs::exists(golden)) {
    out << "note: there is no " << golden << " to compare with; --update-tables writes it\n";
  } else if (const std::string drift = drift_text(golden, found); !drift.empty()) {
    out << "FAILED  " << file << ": rows are not what they were\n" << drift;
    exit_code = 1;
  }
  out << "table: " << pages << ".md, " << pages << ".html\n" << table_count(verdicts) << '\n';
  return exit_code;
}

}  // namespace meshkv::platform
