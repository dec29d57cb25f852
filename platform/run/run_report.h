// From simulated runs to results.json, host.json and an exit code.
#pragma once

#include <string>
#include <vector>

#include "platform/run/results_folder.h"
#include "platform/run/simulate.h"
#include "platform/scenario/scenario.h"

namespace meshkv::platform {

/// What a process tells its caller (DESIGN section 12).
enum class ExitCode : int {
  kOk = 0,  ///< all checks hold
  kCheckFailed = 1,
  kBadInput = 2,
  kBadSimulation = 3,  ///< deadlock, lost data, protocol error
  kDefect = 4          ///< of ours
};

/// One finished simulation with the configuration that produced it.
struct FinishedRun {
  RunConfig config;
  SimulationResult result;
  std::uint64_t peak_rss_bytes = 0;
};

struct RunReport {
  Json results;  ///< results.json
  Json host;     ///< host.json
  Json details;  ///< details.json without its "of"; null: none
  std::vector<ConsoleText> consoles;
  ExitCode exit_code = ExitCode::kOk;
};

/// simulate() with the time that it took, SystemC's messages on stderr, and the scoreboard's verdict as
/// outcome.
FinishedRun run_once(const RunConfig& config, ProgressSink& progress);

/// `wall_s`: elapsed for everything. Throws InputError where a check names an unknown metric.
RunReport make_report(const Scenario& scenario, const std::vector<FinishedRun>& runs, double wall_s);

/// Texts that belong to every result of a configuration: sampling, spilling.
std::vector<std::string> standing_warnings(const RunConfig& config);

/// Evaluates checks against `results`; adds the list to it as `checks`. Returns whether all hold.
bool evaluate_checks(const Scenario& scenario, Json& results);

/// The number at a path like "metrics.noc.traffic"; nullptr if there is none.
const Json* find_metric(const Json& results, const std::string& path);

}  // namespace meshkv::platform
