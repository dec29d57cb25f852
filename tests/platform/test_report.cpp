#include <catch2/catch.hpp>
#include <csignal>
#include <iostream>
#include <thread>

#include "platform/run/bounds.h"
#include "platform/run/compare.h"
#include "platform/run/results_folder.h"
#include "platform/run/summary.h"
#include "tests/platform/support.h"

using namespace meshkv;
using namespace meshkv::platform;
using Catch::Matchers::Contains;

namespace {

Scenario scenario_of(const test::TemporaryFolder& folder, const std::string& more) {
  return load_scenario(folder.write("s.json", "{\"model\": \"" + test::llama_path() + "\"" + more + "}"), {});
}

FinishedRun finished(const RunConfig& config, double traffic) {
  FinishedRun run;
  run.config = config;
  run.result.metrics = Json{{"noc", {{"traffic", traffic}}},
                            {"decode", {{"cycles_per_step", 2000}}},
                            {"scoreboard", {{"lost", 0}, {"duplicated", 0}}}};
  if (config.decode.sampled()) run.result.metrics["decode"] = Json{{"sample", {{"cycles", 2000}}}};
  run.result.bounds = Json{{"hbm", 500}, {"ddr", 1000}, {"mac", 10}};
  run.result.cycles = 2000;
  return run;
}

}  // namespace

TEST_CASE("Checks hold, fail, or name a metric that cannot or does not exist", "[platform][report]") {
  test::TemporaryFolder folder;
  const Scenario s = scenario_of(folder, R"(, "checks": [
      {"metric": "metrics.noc.traffic", "min": 100, "max": 100},
      {"metric": "metrics.noc.traffic", "equals": 104, "within_percent": 4},
      {"metric": "bounds.achieved_over_bound", "equals": 2}, {"metric": "cycles", "max": 2000}])");
  const RunReport good = make_report(s, {finished(s.config, 100)}, 1);
  REQUIRE(good.exit_code == ExitCode::kOk);
  REQUIRE(good.results["checks"].size() == 4);
  REQUIRE(good.results["bounds"]["tightest"] == "ddr");
  const RunReport bad = make_report(s, {finished(s.config, 99)}, 1);
  REQUIRE(bad.exit_code == ExitCode::kCheckFailed);
  REQUIRE_FALSE(bad.results["checks"][0]["passed"].get<bool>());

  REQUIRE_THROWS_WITH(scenario_of(folder, R"(, "checks": [{"metric": "metrics.noc.trafic", "min": 0}])"),
                      Contains("checks[0].metric: found \"metrics.noc.trafic\"") &&
                          Contains("did you mean metrics.noc.traffic?"));
  // A metric that such a run may have, and this one has not.
  const Scenario missing =
      scenario_of(folder, R"(, "checks": [{"metric": "metrics.memory.ddr_row_hit_rate", "min": 0}])");
  const RunReport report = make_report(missing, {finished(missing.config, 100)}, 1);
  REQUIRE(report.exit_code == ExitCode::kCheckFailed);
  REQUIRE(report.results["checks"][0]["value"].is_null());
}

TEST_CASE("Results have the documented layout", "[platform][report]") {
  test::TemporaryFolder folder;
  const Scenario s =
      scenario_of(folder, R"(, "compare": ["cent", "meshkv"], "workload": {"sample": {"layers": [3]}},
      "checks": [{"metric": "runs.cent.metrics.noc.traffic", "min": 1}])");
  const std::vector<FinishedRun> runs{finished(s.config_for("cent"), 100),
                                      finished(s.config_for("meshkv"), 42)};
  const RunReport report = make_report(s, runs, 1);
  REQUIRE(report.exit_code == ExitCode::kOk);
  const Json& run = report.results["runs"]["meshkv"];
  for (const char* key :
       {"scenario", "mode", "seed", "parameters", "cycles", "metrics", "checks", "bounds", "warnings"})
    REQUIRE(run.contains(key));
  REQUIRE(run["parameters"]["fabric"]["placement"] == "takv");
  REQUIRE(report.results["runs"]["cent"]["parameters"]["preset"] == "cent");
  REQUIRE(run["model_shape"]["kv_heads"] == 32);
  REQUIRE_FALSE(run["parameters"]["workload"].contains("injection_rate"));
  for (const char* key : {"wall_s", "flit_hops_per_s", "simulated_cycles_per_s", "peak_rss_bytes"})
    REQUIRE(report.host.contains(key));
  REQUIRE(report.results.dump() == make_report(s, runs, 99).results.dump());  // host times stay out

  std::ostringstream out;
  print_summary(out, s, runs, report.results);
  REQUIRE_THAT(out.str(), Contains("traffic") && Contains("0.42") &&
                              Contains("note: sampled (1 of 32 layers)") && Contains("exceeds the HBM") &&
                              Contains("cycles of the sample") && Contains("ddr"));
  REQUIRE_THAT(out.str(), !Contains("cycles per step") && !Contains("tokens per second"));
}

TEST_CASE("What a simulation found decides the exit code", "[platform][report]") {
  test::TemporaryFolder folder;
  const Scenario s = scenario_of(folder, R"(, "checks": [{"metric": "metrics.noc.traffic", "min": 1}])");
  FinishedRun run = finished(s.config, 100);
  run.result.outcome = Outcome::kDeadlock;
  run.result.reason = "PART waits";
  const RunReport report = make_report(s, {run}, 1);
  REQUIRE(report.exit_code == ExitCode::kBadSimulation);
  REQUIRE(report.results["outcome"] == "deadlock");
  REQUIRE(report.results["reason"] == "PART waits");
  run.result.outcome = Outcome::kCycleLimit;
  REQUIRE(make_report(s, {run}, 1).exit_code == ExitCode::kCheckFailed);
}

TEST_CASE("Children: order of results, progress, failures", "[platform][compare]") {
  std::vector<RunConfig> configs(5);
  for (std::size_t i = 0; i < configs.size(); ++i) configs[i].seed = i;
  ProgressLine line({"a", "b", "c", "d", "e"}, false);
  const auto work = [](const RunConfig& c, ProgressSink& progress) {
    progress.update(c.seed, 0.5);
    std::this_thread::sleep_for(std::chrono::milliseconds(20 * (5 - c.seed)));  // the first ends last
    FinishedRun run = finished(c, static_cast<double>(c.seed));
    run.result.reason = std::string(300000, 'x');  // longer than a pipe
    return run;
  };
  const auto runs = run_in_children(configs, 3, line, work);
  REQUIRE(runs.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    REQUIRE(runs[i].config.seed == i);
    REQUIRE(runs[i].result.metrics["noc"]["traffic"] == static_cast<double>(i));
    REQUIRE(runs[i].result.reason.size() == 300000);
  }

  const auto failing = [](const RunConfig& c, ProgressSink&) -> FinishedRun {
    if (c.seed == 1) throw std::runtime_error("broken\ninvariant");
    if (c.seed == 3) std::raise(SIGKILL);
    return finished(c, 1);
  };
  REQUIRE_THROWS_WITH(run_in_children(configs, 2, line, failing),
                      Contains("meshkv: broken invariant") && Contains("ended by signal 9"));
}

TEST_CASE("A results folder appears whole, and is replaced file by file", "[platform][report]") {
  test::TemporaryFolder folder;
  const std::string out = folder.path("new/deep/out/");
  check_results_folder(out);
  REQUIRE_FALSE(std::filesystem::exists(folder.path("new")));
  write_results(out, Json{{"a", 1}}, Json{{"wall_s", 2}});
  REQUIRE(test::read_file(out + "results.json") == "{\n  \"a\": 1\n}\n");
  write_results(out, Json{{"a", 3}}, Json::object());
  REQUIRE(test::read_file(out + "results.json") == "{\n  \"a\": 3\n}\n");
  const auto count = [](const std::string& path) {
    return std::distance(std::filesystem::directory_iterator(path), std::filesystem::directory_iterator());
  };
  REQUIRE(count(out) == 2);
  REQUIRE(count(folder.path("new/deep")) == 1);
  const std::string file = folder.write("file", "");
  REQUIRE_THROWS_WITH(check_results_folder(file), Contains("exists and is not a folder"));
  REQUIRE_THROWS_WITH(check_results_folder(file + "/out"), Contains("is not a folder"));
}

TEST_CASE("Numbers for people", "[platform][report]") {
  REQUIRE(grouped(0) == "0");
  REQUIRE(grouped(999) == "999");
  REQUIRE(grouped(1234567.891, 1) == "1,234,567.9");
  REQUIRE(grouped(-1234) == "-1,234");
}
