#include "platform/table/table_regression.h"

#include <ostream>

#include "platform/regress/golden.h"
#include "platform/run/part_files.h"
#include "platform/table/row_table.h"
#include "platform/table/row_verdict.h"
#include "platform/table/table_pages.h"

namespace meshkv::platform {
namespace {

/// The numbers of the rows, as the metrics of a result.
Json as_results(const RowTable& table, const std::vector<RowVerdict>& verdicts) {
  Json rows = Json::object();
  for (std::size_t i = 0; i < verdicts.size(); ++i)
    if (verdicts[i].ours) rows[table.rows[i].id] = verdicts[i].ours->mean;
  return Json{{"metrics", rows}};
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
  const std::string golden = golden_file(file);
  if (options.update && exit_code == 0) {
    write_whole(golden, Golden::from_results(found, Golden::read(golden)).text(), "--update");
  } else if (const std::string drift = drift_text(golden, found); !drift.empty()) {
    out << "FAILED  " << file << ": rows are not what they were\n" << drift;
    exit_code = 1;
  }
  out << "table: " << pages << ".md, " << pages << ".html\n" << table_count(verdicts) << '\n';
  return exit_code;
}

}  // namespace meshkv::platform
