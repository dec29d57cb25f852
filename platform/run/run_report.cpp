#include "platform/run/run_report.h"

#include <sys/resource.h>

#include <chrono>
#include <iostream>
#include <systemc>

#include "platform/run/bounds.h"
#include "platform/run/results_folder.h"
#include "platform/scenario/capacity.h"
#include "platform/scenario/model_file.h"
#include "platform/scenario/scenario_paths.h"

namespace meshkv::platform {
namespace {

/// As the scenario says it: a name, or the phases of a mixed run.
Json mode_of(const RunConfig& config) {
  return find_parameter("mode", config.workload_kind)->get(config);
}

/// SystemC's own handler writes to stdout, where our summary is.
void to_stderr(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  if (report.get_severity() == sc_core::SC_WARNING) std::cerr << report.what() << '\n';
  if (actions & sc_core::SC_THROW) throw report;
}

void take_over_reports() {
  using sc_core::sc_report_handler;
  sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
  sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
  sc_report_handler::set_handler(to_stderr);
}

double number_at(const Json& object, const std::string& path) {
  const Json* value = find_metric(object, path);
  return value && value->is_number() ? value->get<double>() : 0;
}

/// Cycles that compare with the bounds: of a step, or of what was simulated of it.
double achieved_cycles(const RunConfig& config, const Json& results) {
  if (!config.decode.sampled()) return number_at(results, "metrics.decode.cycles_per_step");
  return number_at(results, "metrics.decode.sample.cycles") / config.decode.steps;
}

/// `object`: what comes first.
Json run_object(const FinishedRun& run, const std::string& scenario_file, Json object = Json::object()) {
  const RunConfig& c = run.config;
  object["scenario"] = c.name;
  object["mode"] = mode_of(c);
  object["seed"] = c.seed;
  object["parameters"] = reusable_parameters(c, scenario_file);
  if (c.workload_kind == WorkloadKind::kDecode) object["model_shape"] = model_summary(c.decode.model);
  object["outcome"] = outcome_name(run.result.outcome);
  if (!run.result.reason.empty()) object["reason"] = run.result.reason;
  object["cycles"] = run.result.cycles;
  object["metrics"] = run.result.metrics;
  object["checks"] = Json::array();
  const Json by_resource = run.result.bounds.empty() ? estimate_bounds(c) : run.result.bounds;
  object["bounds"] = bounds_report(by_resource, achieved_cycles(c, object));
  object["warnings"] = standing_warnings(c);
  for (const Json& warning : run.result.warnings) object["warnings"].push_back(warning);
  return object;
}

Json host_object(double wall_s, double flit_hops, double cycles, std::uint64_t rss) {
  const double per = wall_s > 0 ? 1 / wall_s : 0;
  return Json{{"wall_s", wall_s},
              {"flit_hops_per_s", flit_hops * per},
              {"simulated_cycles_per_s", cycles * per},
              {"peak_rss_bytes", rss}};
}

Json host_report(const std::vector<FinishedRun>& runs, double wall_s) {
  double hops = 0, cycles = 0, busy = 0;
  std::uint64_t rss = 0;
  for (const FinishedRun& run : runs) {
    hops += static_cast<double>(run.result.host_flit_hops);
    cycles += static_cast<double>(run.result.cycles);
    busy += run.result.host_wall_s;
    rss = std::max(rss, run.peak_rss_bytes);
  }
  Json host = host_object(busy, hops, cycles, rss);
  host["wall_s"] = wall_s;
  if (runs.size() > 1)
    for (const FinishedRun& run : runs)
      host["runs"][run.config.preset] =
          host_object(run.result.host_wall_s, static_cast<double>(run.result.host_flit_hops),
                      static_cast<double>(run.result.cycles), run.peak_rss_bytes);
  return host;
}

bool is_bad_simulation(Outcome outcome) {
  return outcome != Outcome::kOk && outcome != Outcome::kCycleLimit;
}

}  // namespace

const char* outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kOk:
      return "ok";
    case Outcome::kDeadlock:
      return "deadlock";
    case Outcome::kLostData:
      return "lost_data";
    case Outcome::kWrongData:
      return "wrong_data";
    case Outcome::kProtocolError:
      return "protocol_error";
    case Outcome::kCycleLimit:
      return "cycle_limit";
    case Outcome::kFirmwareFault:
      return "firmware_fault";
  }
  return "";
}

std::vector<std::string> standing_warnings(const RunConfig& config) {
  std::vector<std::string> texts;
  if (config.workload_kind != WorkloadKind::kDecode) return texts;
  const workload::DecodeConfig& d = config.decode;
  if (d.sampled()) {
    std::string what = d.sampled_layers.empty() ? "all" : std::to_string(d.sampled_layers.size());
    what += " of " + std::to_string(d.model.layers) + " layers";
    if (d.sampled_segment_from != 0 || d.sampled_segment_to >= 0)
      what += ", segments " + std::to_string(d.sampled_segment_from) + " to " +
              (d.sampled_segment_to < 0 ? "the last" : std::to_string(d.sampled_segment_to - 1)) + " of each";
    texts.push_back("sampled (" + what + "): all figures are of the sample, none of a whole decode step");
  }
  const Capacity capacity = kv_capacity(config);
  const auto text = [](std::uint64_t bytes) { return bytes_text(static_cast<double>(bytes)); };
  if (capacity.spilled_bytes > 0)
    texts.push_back("the KV cache of " + text(capacity.cache_bytes) + " exceeds the HBM of " +
                    text(capacity.hbm_bytes) + ": " + text(capacity.spilled_bytes) +
                    " live in DDR4 and are read at its rate");
  else if (capacity.cache_bytes > capacity.hbm_bytes)
    texts.push_back("memory.spill is \"ignore\": the KV cache of " + text(capacity.cache_bytes) +
                    " is treated as if the HBM of " + text(capacity.hbm_bytes) + " could hold it");
  return texts;
}

Json bounds_report(const Json& by_resource, double achieved_cycles) {
  Json report = Json::object();
  std::string tightest;
  double most = 0;
  for (const auto& [resource, cycles] : by_resource.items()) {
    if (!cycles.is_number()) continue;
    report[resource + "_cycles"] = cycles;
    if (tightest.empty() || cycles.get<double>() > most) {
      tightest = resource;
      most = cycles.get<double>();
    }
  }
  if (tightest.empty()) return report;
  report["tightest"] = tightest;
  report["tightest_cycles"] = by_resource[tightest];
  if (achieved_cycles > 0 && most > 0) {
    report["achieved_cycles"] = achieved_cycles;
    report["achieved_over_bound"] = achieved_cycles / most;
  }
  return report;
}

FinishedRun run_once(const RunConfig& config, ProgressSink& progress) {
  take_over_reports();
  FinishedRun run;
  run.config = config;
  const auto start = std::chrono::steady_clock::now();
  run.result = simulate(config, progress);
  run.result.host_wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  run.peak_rss_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  const Json root{{"metrics", run.result.metrics}};
  const double lost = number_at(root, "metrics.scoreboard.lost");
  const double duplicated = number_at(root, "metrics.scoreboard.duplicated");
  if (run.result.outcome == Outcome::kOk && (lost > 0 || duplicated > 0)) {
    run.result.outcome = Outcome::kLostData;
    run.result.reason = "the scoreboard counts " + std::to_string(static_cast<long long>(lost)) +
                        " lost and " + std::to_string(static_cast<long long>(duplicated)) +
                        " duplicated payloads";
  }
  return run;
}

RunReport make_report(const Scenario& scenario, const std::vector<FinishedRun>& runs, double wall_s) {
  RunReport report;
  if (scenario.compare.empty()) {
    report.results = run_object(runs.front(), scenario.file, {{"format", kResultsFormat}});
  } else {
    const RunConfig& c = scenario.config;
    report.results =
        Json{{"format", kResultsFormat}, {"scenario", c.name}, {"mode", mode_of(c)}, {"seed", c.seed}};
    report.results["compare"] = scenario.compare;
    report.results["checks"] = Json::array();
    for (const FinishedRun& run : runs)
      report.results["runs"][run.config.preset] = run_object(run, scenario.file);
  }
  report.host = host_report(runs, wall_s);
  for (const FinishedRun& run : runs)
    if (!run.result.details.is_null()) report.details["runs"][run.config.preset] = run.result.details;
  for (const FinishedRun& run : runs) {
    const std::string prefix = scenario.compare.empty() ? "" : run.config.preset + ".";
    for (std::size_t c = 0; c < run.result.consoles.size(); ++c)
      if (!run.result.consoles[c].empty())
        report.consoles.push_back({prefix + "dc_" + std::to_string(c), run.result.consoles[c]});
  }
  bool bad = false, unfinished = false;
  for (const FinishedRun& run : runs) {
    bad = bad || is_bad_simulation(run.result.outcome);
    unfinished = unfinished || run.result.outcome == Outcome::kCycleLimit;
  }
  // A run that stopped early has not the figures that its checks ask for.
  if (bad) {
    report.exit_code = ExitCode::kBadSimulation;
  } else if (unfinished || !evaluate_checks(scenario, report.results)) {
    report.exit_code = ExitCode::kCheckFailed;
  }
  return report;
}

}  // namespace meshkv::platform
