#include <chrono>
#include <iostream>
#include <stdexcept>

#include "platform/cli/cli.h"
#include "platform/cli/options.h"
#include "platform/run/compare.h"
#include "platform/run/progress.h"
#include "platform/run/results_folder.h"
#include "platform/run/summary.h"
#include "platform/trace/trace_files.h"

namespace meshkv::platform {
namespace po = boost::program_options;

namespace {

std::vector<FinishedRun> simulate_all(Scenario& scenario, TraceFiles& traces, int jobs, bool quiet) {
  if (scenario.compare.empty()) {
    ProgressLine line({scenario.config.preset}, !quiet);
    LocalProgress progress(line, 0);
    scenario.config.tracing = traces.of("");
    return {run_once(scenario.config, progress)};
  }
  std::vector<RunConfig> configs;
  for (const std::string& preset : scenario.compare) {
    configs.push_back(scenario.config_for(preset));
    configs.back().tracing = traces.of(preset);
  }
  ProgressLine line(scenario.compare, !quiet);
  return run_in_children(configs, jobs, line);
}

po::options_description run_options() {
  po::options_description options("options");
  options.add_options()("mode", po::value<std::string>(), "lt or at, instead of the scenario's")(
      "set", po::value<std::vector<std::string>>()->composing(),
      "path=value: change one parameter (repeatable)")(
      "out", po::value<std::string>(), "folder of results.json and host.json (default: out/NAME)")(
      "jobs", po::value<int>()->default_value(default_jobs()), "runs of a comparison at the same time")(
      "details", po::value<int>()->default_value(64),
      "time slices in details.json, of which `vp report` draws; even, 2 to 1024; 0: no such file")(
      "pad-tiles", po::value<std::string>(),
      "tiles whose Pad pipeline details.json follows, as tile_3_* (default: along the diagonal)")(
      "trace", po::value<std::string>(),
      "perfetto (for ui.perfetto.dev) or vcd (for GTKWave): write trace.json or trace.vcd beside the "
      "results")("trace-limit", po::value<std::string>()->default_value("64M"),
                 "size of a trace at most, as 64M")("trace-window", po::value<std::string>(),
                                                    "FROM:TO: only what begins in these cycles")(
      "trace-instances", po::value<std::string>()->default_value("*"),
      "only what matches, or lies below what matches, as *.tile_3_* or *.port_east")(
      "max-cycles", po::value<std::string>()->value_name("N"), "stop after so many cycles (max_cycles)")(
      "gdb", po::value<std::string>()->value_name("PORT"),
      "wait for gdb-multiarch on 127.0.0.1:PORT, the columns' harts as threads (0: any free port, printed)")(
      "quiet", "no progress, no summary, no consoles");
  return options;
}

std::string scenario_argument(const po::variables_map& map, const std::string& usage) {
  if (!map.count("scenario")) throw InputError("command line", "", "found no scenario file; usage: " + usage);
  return map["scenario"].as<std::vector<std::string>>().front();
}

RecordConfig record_config(const po::variables_map& map) {
  RecordConfig record;
  record.slices = map["details"].as<int>();
  if (record.slices < 0 || record.slices > 1024 || record.slices % 2 != 0)
    throw InputError(
        "--details", "",
        "found " + std::to_string(record.slices) + "; allowed: an even integer, 2 to 1024, or 0 for none");
  if (map.count("pad-tiles")) record.tiles = map["pad-tiles"].as<std::string>();
  return record;
}

TraceConfig trace_config(const po::variables_map& map) {
  TraceConfig trace;
  const auto parse = [&map](const char* name, auto&& use) {
    try {
      if (map.count(name)) use(map[name].as<std::string>());
    } catch (const std::invalid_argument& e) {
      throw InputError(std::string("--") + name, "", e.what());
    }
  };
  parse("trace", [&](const std::string& kind) {
    if (kind != "vcd" && kind != "perfetto")
      throw std::invalid_argument("found " + shown(kind) + "; allowed: perfetto, vcd");
    trace.kind = kind == "vcd" ? TraceKind::kVcd : TraceKind::kPerfetto;
  });
  for (const char* name : {"trace-limit", "trace-window", "trace-instances"})
    if (trace.kind == TraceKind::kNone && map.count(name) && !map[name].defaulted())
      throw InputError(std::string("--") + name, "",
                       "says how to trace, but there is no --trace; allowed with "
                       "--trace perfetto or --trace vcd");
  parse("trace-limit", [&](const std::string& text) { trace.limit_bytes = parse_bytes(text); });
  parse("trace-window", [&](const std::string& text) { parse_window(text, trace); });
  trace.instances = map["trace-instances"].as<std::string>();
  return trace;
}

std::vector<std::string> settings_of(const po::variables_map& map) {
  auto settings = map.count("set") ? map["set"].as<std::vector<std::string>>() : std::vector<std::string>{};
  if (map.count("max-cycles"))
    settings.push_back("max_cycles=" + std::to_string(number_of(map, "max-cycles", 1, 1'000'000'000'000)));
  return settings;
}

/// The debugger's port, for a run with harts in this process.
std::optional<int> gdb_port(const po::variables_map& map, const Scenario& scenario) {
  if (!map.count("gdb")) return std::nullopt;
  const auto port = static_cast<int>(number_of(map, "gdb", 0, 65535));
  const RunConfig& c = scenario.config;
  if (c.workload_kind != WorkloadKind::kDecode || c.controllers.kind != controller::ControllerKind::kRv32)
    throw InputError("--gdb", "", "there is nothing to debug; allowed with controllers.kind \"rv32\"");
  if (!scenario.compare.empty())
    throw InputError("--gdb", "", "the scenario has several runs; allowed: one (--set compare=null)");
  return port;
}

}  // namespace

int command_run(const std::vector<std::string>& arguments) {
  const std::string usage = "vp run SCENARIO.json [options]";
  const auto map = parse_options(usage, arguments, run_options(), "scenario", 1);
  if (!map) return 0;
  const int jobs = jobs_of(*map);
  const std::string mode = map->count("mode") ? (*map)["mode"].as<std::string>() : "";
  if (map->count("mode") && mode != "lt" && mode != "at")
    throw InputError("--mode", "", "found \"" + mode + "\"; allowed: lt, at");
  Scenario scenario = load_scenario(scenario_argument(*map, usage), settings_of(*map), mode);
  scenario.config.record = record_config(*map);
  scenario.config.gdb_port = gdb_port(*map, scenario);
  const TraceConfig trace = trace_config(*map);
  check_trace(trace, scenario.config);
  const std::string folder =
      map->count("out") ? (*map)["out"].as<std::string>() : "out/" + scenario.config.name;
  if (folder.empty()) throw InputError("--out", "", "found \"\"; allowed: a folder");
  check_results_folder(folder);

  const bool quiet = map->count("quiet") > 0;
  const auto start = std::chrono::steady_clock::now();
  TraceFiles traces(folder, trace);
  const std::vector<FinishedRun> runs = simulate_all(scenario, traces, jobs, quiet);
  const double wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (std::size_t i = 0; i < runs.size() && !traces.names().empty(); ++i)
    if (runs[i].result.trace.contains("failure"))
      throw InputError(
          "--trace", "",
          traces.names()[i] + ": cannot be written: " + runs[i].result.trace["failure"].get<std::string>());
  const RunReport report = make_report(scenario, runs, wall_s);
  write_results(folder, report.results, report.host, report.details, report.consoles);
  traces.place();
  if (!quiet) {
    print_summary(std::cout, scenario, runs, report.results);
    std::cout << "results: " << folder << "/results.json\n";
    for (const std::string& name : traces.names()) std::cout << "trace: " << name << '\n';
  } else if (report.exit_code != ExitCode::kOk) {
    std::cerr << scenario.config.name << ": failed; see " << folder << "/results.json\n";
  }
  return static_cast<int>(report.exit_code);
}

}  // namespace meshkv::platform
