#include <chrono>
#include <iostream>
#include <thread>

#include "platform/cli/cli.h"
#include "platform/cli/options.h"
#include "platform/run/compare.h"
#include "platform/run/progress.h"
#include "platform/run/results_folder.h"
#include "platform/run/summary.h"

namespace meshkv::platform {
namespace po = boost::program_options;

namespace {

std::vector<FinishedRun> simulate_all(const Scenario& scenario, int jobs, bool quiet) {
  if (scenario.compare.empty()) {
    ProgressLine line({scenario.config.preset}, !quiet);
    LocalProgress progress(line, 0);
    return {run_once(scenario.config, progress)};
  }
  std::vector<RunConfig> configs;
  for (const std::string& preset : scenario.compare) configs.push_back(scenario.config_for(preset));
  ProgressLine line(scenario.compare, !quiet);
  return run_in_children(configs, jobs, line);
}

int default_jobs() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

po::options_description run_options() {
  po::options_description options("options");
  options.add_options()("mode", po::value<std::string>(), "lt or at, instead of the scenario's")(
      "set", po::value<std::vector<std::string>>()->composing(),
      "path=value: change one parameter (repeatable)")(
      "out", po::value<std::string>(), "folder of results.json and host.json (default: out/NAME)")(
      "jobs", po::value<int>()->default_value(default_jobs()), "runs of a comparison at the same time")(
      "trace", po::value<std::string>(), "vcd or perfetto: not part of this version")(
      "quiet", "no progress, no summary");
  return options;
}

std::string scenario_argument(const po::variables_map& map, const std::string& usage) {
  if (!map.count("scenario")) throw InputError("command line", "", "found no scenario file; usage: " + usage);
  return map["scenario"].as<std::vector<std::string>>().front();
}

std::vector<std::string> settings_of(const po::variables_map& map) {
  return map.count("set") ? map["set"].as<std::vector<std::string>>() : std::vector<std::string>{};
}

}  // namespace

int command_run(const std::vector<std::string>& arguments) {
  const std::string usage = "vp run SCENARIO.json [options]";
  const auto map = parse_options(usage, arguments, run_options(), "scenario", 1);
  if (!map) return 0;
  if (map->count("trace")) throw InputError("--trace", "", "is not part of this version");
  const int jobs = (*map)["jobs"].as<int>();
  if (jobs < 1 || jobs > 1024)
    throw InputError("--jobs", "", "found " + std::to_string(jobs) + "; allowed: integer 1 to 1024");
  const std::string mode = map->count("mode") ? (*map)["mode"].as<std::string>() : "";
  if (map->count("mode") && mode != "lt" && mode != "at")
    throw InputError("--mode", "", "found \"" + mode + "\"; allowed: lt, at");
  const Scenario scenario = load_scenario(scenario_argument(*map, usage), settings_of(*map), mode);
  const std::string folder =
      map->count("out") ? (*map)["out"].as<std::string>() : "out/" + scenario.config.name;
  if (folder.empty()) throw InputError("--out", "", "found \"\"; allowed: a folder");
  check_results_folder(folder);

  const bool quiet = map->count("quiet") > 0;
  const auto start = std::chrono::steady_clock::now();
  const std::vector<FinishedRun> runs = simulate_all(scenario, jobs, quiet);
  const double wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const RunReport report = make_report(scenario, runs, wall_s);
  write_results(folder, report.results, report.host);
  if (!quiet) {
    print_summary(std::cout, scenario, runs, report.results);
    std::cout << "results: " << folder << "/results.json\n";
  } else if (report.exit_code != ExitCode::kOk) {
    std::cerr << scenario.config.name << ": failed; see " << folder << "/results.json\n";
  }
  return static_cast<int>(report.exit_code);
}

}  // namespace meshkv::platform
