#include <algorithm>
#include <filesystem>
#include <iostream>
#include <numeric>

#include "platform/cli/cli.h"
#include "platform/cli/options.h"
#include "platform/regress/jobs.h"
#include "platform/regress/sweep_columns.h"
#include "platform/regress/sweep_table.h"
#include "platform/regress/verdict.h"
#include "platform/run/part_files.h"
#include "platform/scenario/input_error.h"
#include "platform/scenario/printable.h"
#include "platform/table/table_search.h"

namespace meshkv::platform {
namespace po = boost::program_options;
namespace fs = std::filesystem;

namespace {

po::options_description sweep_options() {
  po::options_description options("options");
  options.add_options()("jobs", po::value<int>()->default_value(default_jobs()), "points at the same time")(
      "timeout", po::value<double>()->default_value(3600), "seconds after which a point is killed; 0: never")(
      "force", "run everything, also what did not change")(
      "out", po::value<std::string>(), "folder of table.csv and table.json (default: out/sweep/NAME)")(
      "store", po::value<std::string>()->default_value("out/regress"), "folder where results are kept")(
      "markdown", po::value<std::string>(),
      "of a sweep with a table: a page of what each point gains and loses")(
      "point", po::value<std::size_t>(), "runs this point only, from 0 on, and writes no table")(
      "executor", po::value<std::string>()->default_value("local"),
      "local, or slurm: writes a script for sbatch and runs nothing")("quiet", "no line for what is well");
  return options;
}

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

/// One array task a point; afterwards the sweep itself finds all of them in the store.
std::string slurm_script(const Sweep& sweep, const std::string& file, const std::string& store) {
  const std::string program = shell_quoted(fs::read_symlink("/proc/self/exe").string());
  const std::string arguments = " sweep " + shell_quoted(fs::absolute(file).string()) + " --store " +
                                shell_quoted(fs::absolute(store).string());
  return "#!/bin/sh\n#SBATCH --job-name=" + sweep.name + "\n#SBATCH --array=0-" +
         std::to_string(sweep.points() - 1) +
         "\n#SBATCH --cpus-per-task=1\n# afterwards, for the table: " + program + arguments + "\nexec " +
         program + arguments + " --jobs 1 --point \"$SLURM_ARRAY_TASK_ID\"\n";
}

struct Swept {
  std::vector<SweepRow> rows;
  Search search;  ///< of a table
  int exit_code = 0;
};

Swept run_points(const Sweep& sweep, const std::vector<std::size_t>& points, const JobOptions& options,
                 const ResultStore& store, bool quiet) {
  if (!sweep.table.empty()) {
    Swept swept;
    swept.search = search_table(sweep, points, options, store, std::cout);
    for (const SearchPoint& point : swept.search.points) {
      swept.rows.push_back(point.row);
      swept.exit_code |= point.failure.empty() ? 0 : 1;
    }
    return swept;
  }
  std::vector<Job> jobs;
  for (std::size_t point : points) jobs.push_back(make_job(sweep.base, sweep.settings_at(point)));
  Swept swept;
  run_jobs(jobs, options, store, [&](std::size_t index, const JobResult& result) {
    const Verdict verdict = judge_end(jobs[index].expect, result);
    swept.exit_code = std::max(swept.exit_code, verdict.exit_code);
    swept.rows.push_back(
        {points[index], verdict.ending, result.stored.folder, row_metrics(sweep, result.stored.results)});
    if (quiet && verdict.passed) return;
    std::cout << (verdict.passed ? "ok      " : "FAILED  ") << point_text(sweep, points[index])
              << (result.cached ? "  kept" : "") << (verdict.passed ? "" : ": " + printable(verdict.reason))
              << std::endl;
  });
  return swept;
}

}  // namespace

int command_sweep(const std::vector<std::string>& arguments) {
  const std::string usage = "vp sweep SWEEP.json [options]";
  const auto map = parse_options(usage, arguments, sweep_options(), "sweep", 1);
  if (!map) return 0;
  if (!map->count("sweep")) throw InputError("command line", "", "found no sweep file; usage: " + usage);
  const std::string file = (*map)["sweep"].as<std::vector<std::string>>().front();
  const Sweep sweep = read_sweep(file);
  const std::string folder = map->count("out") ? (*map)["out"].as<std::string>() : "out/sweep/" + sweep.name;
  if (sweep.table.empty())
    check_columns(sweep, file);
  else
    check_search(sweep, file);
  check_output_file(folder + "/table.csv", "--out");
  const std::string page = map->count("markdown") ? (*map)["markdown"].as<std::string>() : "";
  if (!page.empty() && sweep.table.empty())
    throw InputError("--markdown", "",
                     "found a sweep of " + sweep.base + "; allowed with a sweep that has `table`");
  if (!page.empty()) check_output_file(page, "--markdown");
  const std::string store_folder = (*map)["store"].as<std::string>();
  const std::string executor = (*map)["executor"].as<std::string>();
  if (executor != "local" && executor != "slurm")
    throw InputError("--executor", "", "found " + shown(executor) + "; allowed: local, slurm");
  if (executor == "slurm") {
    const std::string script = folder + "/" + sweep.name + ".sbatch";
    write_whole(script, slurm_script(sweep, file, store_folder), "--out");
    std::cout << "sbatch " << script << '\n';
    return 0;
  }
  JobOptions options{jobs_of(*map), timeout_of(*map), map->count("force") > 0};
  std::vector<std::size_t> points(sweep.points());
  std::iota(points.begin(), points.end(), std::size_t{0});
  const bool one = map->count("point") > 0;
  if (one) {
    const std::size_t point = (*map)["point"].as<std::size_t>();
    if (point >= points.size())
      throw InputError(
          "--point", "",
          "found " + std::to_string(point) + "; allowed: 0 to " + std::to_string(points.size() - 1));
    points = {point};
  }
  const ResultStore store(store_folder, "--store");
  const Swept swept = run_points(sweep, points, options, store, map->count("quiet") > 0);
  if (one) return swept.exit_code;
  const SweepTable table(sweep, swept.rows);
  write_whole(folder + "/table.json", table.json().dump(2, ' ', false, Json::error_handler_t::replace) + "\n",
              "--out");
  write_whole(folder + "/table.csv", table.csv(), "--out");
  if (!page.empty())
    write_whole(page, search_markdown(sweep, swept.search, "./vp sweep " + file + " --markdown " + page),
                "--markdown");
  std::cout << points.size() << (points.size() == 1 ? " point: " : " points: ") << folder << "/table.csv\n";
  return swept.exit_code;
}

}  // namespace meshkv::platform
