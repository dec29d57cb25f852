#include <algorithm>
#include <iostream>

#include "platform/cli/cli.h"
#include "platform/cli/options.h"
#include "platform/regress/regression.h"
#include "platform/run/part_files.h"
#include "platform/scenario/input_error.h"
#include "platform/table/row_table.h"
#include "platform/table/table_names.h"
#include "platform/table/table_regression.h"

namespace meshkv::platform {
namespace po = boost::program_options;

namespace {

po::options_description regress_options() {
  po::options_description options("options");
  options.add_options()("jobs", po::value<int>()->default_value(default_jobs()),
                        "scenarios at the same time")("timeout", po::value<double>()->default_value(3600),
                                                      "seconds after which a scenario is killed; 0: never")(
      "filter", po::value<std::vector<std::string>>()->composing(),
      "only scenarios whose path or name matches, with * and ? (repeatable)")(
      "force", "run everything, also what did not change")(
      "update", "write the metrics of what passes to golden/NAME.json beside each scenario")(
      "update-tables", "write the figures of tables alone to golden/table.json beside them")(
      "junit", po::value<std::string>(), "file for JUnit XML")(
      "store", po::value<std::string>()->default_value("out/regress"), "folder where results are kept")(
      "quiet", "no line for what passes");
  return options;
}

constexpr const char* kAbout =
    "\nA folder is searched with its subfolders for *.json, except for folders called models or golden, "
    "files\n"
    "that say \"abstract\": true, and sweeps. Files with `rows` are tables of published figures, judged at\n"
    "the end. A scenario says by `expect` how it ends (default: ok); beside it\n"
    "NAME.expected may hold the exit code and the messages of one that is refused, golden/NAME.json the\n"
    "metrics that it had.\n";

}  // namespace

int command_regress(const std::vector<std::string>& arguments) {
  const std::string usage = "vp regress DIR|FILE... [options]";
  const auto map = parse_options(usage, arguments, regress_options(), "paths", -1);
  if (!map) {
    std::cout << kAbout;
    return 0;
  }
  if (!map->count("paths")) throw InputError("command line", "", "found no folder or file; usage: " + usage);
  RegressionOptions options;
  options.run.jobs = jobs_of(*map);
  options.run.timeout_s = timeout_of(*map);
  options.run.force = map->count("force") > 0;
  options.update = map->count("update") > 0;
  options.update_tables = options.update || map->count("update-tables") > 0;
  options.quiet = map->count("quiet") > 0;
  const auto filters =
      map->count("filter") ? (*map)["filter"].as<std::vector<std::string>>() : std::vector<std::string>{};
  if (map->count("junit")) check_output_file((*map)["junit"].as<std::string>(), "--junit");
  const FoundScenarios found = find_scenarios((*map)["paths"].as<std::vector<std::string>>(), filters);
  const ResultStore store((*map)["store"].as<std::string>(), "--store");
  for (const std::string& table : found.tables)
    check_names(read_row_table(table));  // what is wrong is known before the runs
  Regression regression(found, options, store);
  regression.run(std::cout);
  write_whole(store.folder() + "/regress.json",
              regression.table().dump(2, ' ', false, Json::error_handler_t::replace) + "\n", "--store");
  if (map->count("junit")) write_whole((*map)["junit"].as<std::string>(), regression.junit(), "--junit");
  regression.print_summary(std::cout);
  int exit_code = regression.exit_code();
  for (const std::string& table : found.tables)
    exit_code = std::max(exit_code, regress_table(table, options, store, std::cout));
  return exit_code;
}

}  // namespace meshkv::platform
