// `vp run` from scenario to results: exit codes, files, determinism.
#include <catch2/catch.hpp>
#include <set>

#include "platform/regress/scenario_files.h"
#include "platform/run/metric_names.h"
#include "platform/run/run_report.h"
#include "platform/scenario/json_file.h"
#include "platform/scenario/scenario_paths.h"
#include "tests/platform/support.h"
#include "tests/support/paths.h"

using namespace meshkv;
using namespace meshkv::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// A few segments of two layers on a 4x4 mesh: a fraction of a second a preset.
std::string small_scenario(const TemporaryFolder& folder, const std::string& more) {
  return folder.write("small.json", R"({"model": ")" + llama_path() + R"(", "mesh": {"width": 4, "height": 4},
      "compare": ["cent", "shared", "takv_only", "meshkv"],
      "workload": {"context_tokens": 1024, "sample": {"layers": [0, 1], "segments": {"from": 0, "to": 4}}})" +
                                        more + "}");
}

platform::Json results_of(const std::string& folder) {
  return platform::parse_json(read_file(folder + "/results.json"));
}

}  // namespace

TEST_CASE("The same scenario and seed give the same bytes, whatever the number of jobs", "[platform][run]") {
  TemporaryFolder folder;
  const std::string scenario = small_scenario(folder, "");
  for (const char* mode : {"at", "lt"}) {
    const std::string a = folder.path(std::string("a_") + mode), b = folder.path(std::string("b_") + mode);
    const ProgramResult first = run_program({"run", scenario, "--mode", mode, "--out", a, "--jobs", "1"});
    CAPTURE(first.err);
    REQUIRE(first.exit_code == 0);
    REQUIRE(run_program({"run", scenario, "--mode", mode, "--out", b, "--jobs", "4"}).exit_code == 0);
    REQUIRE(read_file(a + "/results.json") == read_file(b + "/results.json"));
    const platform::Json results = results_of(a);
    REQUIRE(results["mode"] == mode);
    REQUIRE(results["runs"].size() == 4);
    REQUIRE(results["runs"].begin().key() == "cent");
    for (const auto& [preset, run] : results["runs"].items()) {
      CAPTURE(mode, preset);
      REQUIRE(run["metrics"]["scoreboard"]["lost"] == 0);
      REQUIRE(run["metrics"]["scoreboard"]["duplicated"] == 0);
      REQUIRE(run["metrics"]["noc"]["traffic"].get<double>() > 0);
      REQUIRE_FALSE(
          run["metrics"]["decode"].contains("cycles_per_step"));  // sampled: no figure of a whole step
    }
    REQUIRE(platform::parse_json(read_file(a + "/host.json"))["wall_s"].get<double>() > 0);
  }
}

TEST_CASE("A failing check is exit code 1 with results, an unknown metric 2 without", "[platform][run]") {
  TemporaryFolder folder;
  const std::string out = folder.path("out");
  const auto run = [&](const std::string& checks) {
    return run_program({"run", small_scenario(folder, ""), "--out", out, "--set", "compare=null", "--set",
                        "checks=" + checks});
  };
  const ProgramResult typo = run(R"([{"metric": "metrics.noc.trafic", "min": 1}])");
  REQUIRE(typo.exit_code == 2);
  REQUIRE_THAT(typo.err, Contains("did you mean metrics.noc.traffic?"));
  REQUIRE_FALSE(fs::exists(out));
  const ProgramResult failing =
      run(R"([{"metric": "metrics.noc.traffic", "max": 1}, {"metric": "cycles", "min": 1}])");
  REQUIRE(failing.exit_code == 1);
  REQUIRE_THAT(failing.out,
               Contains("CHECK FAILED: metrics.noc.traffic is") && Contains("checks: 1 of 2 hold"));
  REQUIRE(results_of(out)["checks"][0]["passed"] == false);
  const ProgramResult good = run(R"([{"metric": "metrics.noc.traffic", "min": 1}])");
  REQUIRE(good.exit_code == 0);
  REQUIRE(results_of(out)["checks"][0]["passed"] == true);
}

TEST_CASE("A deadlock is exit code 3, and the results say who waits for whom", "[platform][run]") {
  TemporaryFolder folder;
  const std::string out = folder.path("out");
  const ProgramResult run =
      run_program({"run", "scenarios/noc/multicast-lockstep-deadlock.json", "--out", out});
  REQUIRE(run.exit_code == 3);
  REQUIRE_THAT(run.out, Contains("SIMULATION FAILED") && Contains("deadlock"));
  const platform::Json results = results_of(out);
  REQUIRE(results["outcome"] == "deadlock");
  REQUIRE_THAT(results["reason"].get<std::string>(), Contains("waits for"));
}

TEST_CASE("A quiet run prints nothing, and a limit of cycles is a failure", "[platform][run]") {
  TemporaryFolder folder;
  const std::string out = folder.path("out");
  const std::vector<std::string> base{
      "run", small_scenario(folder, ""), "--out", out, "--set", "compare=null", "--quiet"};
  const ProgramResult quiet = run_program(base);
  REQUIRE(quiet.exit_code == 0);
  REQUIRE((quiet.out.empty() && quiet.err.empty()));
  std::vector<std::string> limited = base;
  limited.insert(limited.end(), {"--set", "max_cycles=100"});
  REQUIRE(run_program(limited).exit_code == 1);
  REQUIRE(results_of(out)["outcome"] == "cycle_limit");
}

namespace {

/// `path` of each table row below a heading that names the kind of workload.
std::vector<std::string> documented_metrics(const std::string& heading) {
  std::istringstream in(read_file(test::source_dir() + "/docs/results.md"));
  std::vector<std::string> paths;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("## ", 0) == 0) inside = line == "## " + heading;
    if (inside && line.rfind("| `", 0) == 0) paths.push_back(line.substr(3, line.find('`', 3) - 3));
  }
  return paths;
}

void require_documented(const std::string& heading, const platform::Json& whole,
                        const platform::Json& sampled) {
  const auto paths = documented_metrics(heading);
  REQUIRE(paths.size() >= 5);
  for (const std::string& path : paths) {
    CAPTURE(path);
    const bool found =
        platform::find_metric(whole["metrics"], path) || platform::find_metric(sampled["metrics"], path);
    REQUIRE(found);
  }
}

}  // namespace

TEST_CASE("A VC that is no power of two deep carries packets that fit the chunks of the SRAM",
          "[platform][run]") {
  TemporaryFolder folder;
  for (const char* depth : {"1", "3", "5", "12", "33"})
    for (const char* mode : {"at", "lt"}) {
      const ProgramResult result =
          run_program({"run", small_scenario(folder, ""), "--mode", mode, "--out", folder.path("out"),
                       "--quiet", "--set", std::string("noc.vc_depth_flits=") + depth});
      CAPTURE(depth, mode, result.err);
      REQUIRE(result.exit_code == 0);
    }
}

// Found by random scenarios: room that was freed in the SRAM started a packet of a slice without a chunk; in
// lt a slice that ends just after a chunk sent flits of a chunk that it did not hold.
TEST_CASE("A KV SRAM of few chunks, and slices that end just after a chunk", "[platform][run]") {
  TemporaryFolder folder;
  folder.write("odd.json",
               R"({"model_type": "llama", "num_hidden_layers": 2, "num_attention_heads": 4, "head_dim": 96,
                               "hidden_size": 384})");
  const std::vector<std::vector<std::string>> changes{
      {"memory.sram_bytes=8192", "memory.sram_banks=1"},
      {"memory.sram_bytes=24576", "memory.sram_banks=1", "mare.service=fifo"},
      {"model=" + folder.path("odd.json"), "workload.context_tokens=300", "workload.sample=null",
       "kv_layout.bits_per_element=8", "mare.service=fifo"},
      {"model=" + folder.path("odd.json"), "workload.context_tokens=300", "workload.sample=null",
       "kv_layout.bits_per_element=8"}};
  for (const auto& settings : changes)
    for (const char* mode : {"at", "lt"}) {
      std::vector<std::string> arguments{"run",   small_scenario(folder, ""), "--mode", mode,
                                         "--out", folder.path("out"),         "--quiet"};
      for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
      const ProgramResult result = run_program(arguments);
      CAPTURE(mode, settings, result.err);
      REQUIRE(result.exit_code == 0);
    }
}

namespace {

void collect_numbers(const platform::Json& value, const std::string& path, std::set<std::string>& paths) {
  if (value.is_number() || value.is_boolean()) paths.insert(path);
  if (!value.is_object()) return;
  for (const auto& [key, inner] : value.items())
    collect_numbers(inner, path.empty() ? key : path + "." + key, paths);
}

/// Of one run, each metric is known beforehand; those known beforehand and missing are among
/// `may_be_missing`.
void require_known(const platform::Json& run, const platform::RunConfig& config,
                   const std::vector<std::string>& may_be_missing) {
  std::set<std::string> found;
  for (const char* part : {"metrics", "bounds", "cycles"}) collect_numbers(run[part], part, found);
  const auto names = platform::metric_names(config);
  const std::set<std::string> known(names.begin(), names.end());
  for (const std::string& name : found) {
    INFO(name << " has to be added to platform/run/metric_names.cpp");
    REQUIRE(known.count(name) == 1);
  }
  for (const std::string& name : known) {
    const bool optional =
        std::any_of(may_be_missing.begin(), may_be_missing.end(),
                    [&](const std::string& part) { return name.find(part) != std::string::npos; });
    INFO(name << " is in platform/run/metric_names.cpp, and no run has it");
    REQUIRE((optional || found.count(name) == 1));
  }
}

}  // namespace

TEST_CASE("Which metrics a run has is known before it is simulated", "[platform][run]") {
  TemporaryFolder folder;
  folder.write(
      "m.json",
      R"({"model_type": "llama", "num_hidden_layers": 2, "num_attention_heads": 8, "hidden_size": 512})");
  const std::string decode = small_scenario(folder, "");
  const std::vector<std::string> whole{"workload.sample=null", "model=" + folder.path("m.json"),
                                       "compare=null"};
  const std::vector<std::pair<std::string, std::vector<std::string>>> runs{
      {decode, {"compare=null"}},
      {decode, {"compare=null", "mode=lt", "memory.hbm_bytes=100000000"}},
      {decode, whole},
      {decode,
       {whole[0], whole[1], whole[2], "preset=cent", R"(mode=[{"mode":"lt","layers":1},{"mode":"at"}])"}},
      {"scenarios/noc/replay-b1.json", {}},
      {"scenarios/memory/r6.json", {"workload.measure_cycles=1000"}}};
  for (const auto& [file, settings] : runs) {
    std::vector<std::string> arguments{"run", file, "--quiet", "--out", folder.path("out")};
    for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
    const ProgramResult result = run_program(arguments);
    CAPTURE(file, settings, result.err);
    REQUIRE(result.exit_code <= 1);
    const std::string path = file == decode ? file : source_dir() + "/" + file;
    require_known(results_of(folder.path("out")), platform::load_scenario(path, settings).config,
                  {"metrics.memory.hbm_", "metrics.memory.ddr_", "sample.tokens_per_second_high"});
  }
}

TEST_CASE("check refuses a check of an unknown metric, run before it simulates", "[platform][run]") {
  TemporaryFolder folder;
  const std::string file = folder.write("s.json", R"({"workload": {"kind": "synthetic"}, "checks": [
      {"metric": "metrics.noc.avg_hop", "min": 1}, {"metric": "metrics.noc.links.0_0.east.kv_data", "min": 0},
      {"metric": "metrics.noc.links.0_0.west.kv_data", "min": 0}, {"metric": "metrics", "min": 0}]})");
  for (const char* command : {"check", "run"}) {
    const ProgramResult result = run_program({command, file});
    REQUIRE(result.exit_code == 2);
    REQUIRE_THAT(result.err,
                 Contains("checks[0].metric: found \"metrics.noc.avg_hop\", which is no metric of this "
                          "run; did you mean metrics.noc.avg_hops?") &&
                     !Contains("checks[1]") && Contains("checks[2]") && Contains("checks[3]"));
  }
  const ProgramResult missing =
      run_program({"run", small_scenario(folder, ""), "--out", folder.path("out"), "--set", "compare=null",
                   "--set", R"(checks=[{"metric": "metrics.memory.ddr_row_hit_rate", "min": 0}])"});
  REQUIRE(missing.exit_code == 1);
  REQUIRE_THAT(missing.out, Contains("metrics.memory.ddr_row_hit_rate is missing"));
}

TEST_CASE("The parameters in the results are a scenario that means the same run", "[platform][run]") {
  TemporaryFolder folder;
  fs::copy(source_dir() + "/scenarios", folder.path("scenarios"), fs::copy_options::recursive);
  fs::create_directories(folder.path("tests"));
  fs::create_directory_symlink(source_dir() + "/tests/data", folder.path("tests/data"));
  int tested = 0;
  for (const std::string& file : platform::find_scenarios({folder.path("scenarios")}, {}).files) {
    if (file.find("/negative/") != std::string::npos) continue;
    CAPTURE(file);
    const platform::Scenario first = platform::load_scenario(file, {});
    std::vector<platform::RunConfig> runs;
    for (const std::string& preset : first.compare) runs.push_back(first.config_for(preset));
    if (runs.empty()) runs.push_back(first.config);
    for (const platform::RunConfig& run : runs) {
      const platform::Json parameters = platform::reusable_parameters(run, file);
      const std::string again = fs::path(file).replace_extension(".again").string();
      std::ofstream(again) << parameters.dump();
      REQUIRE(problems_of(again).empty());
      REQUIRE(platform::reusable_parameters(platform::load_scenario(again, {}).config, again) == parameters);
      ++tested;
    }
  }
  REQUIRE(tested >= 40);
}

TEST_CASE("A folder called results.json in that of --out leaves nothing behind", "[platform][run]") {
  TemporaryFolder folder;
  fs::create_directories(folder.path("out/results.json"));
  const ProgramResult result = run_program({"run", small_scenario(folder, ""), "--out", folder.path("out")});
  REQUIRE(result.exit_code == 2);
  REQUIRE_THAT(result.err, Contains("results.json is a folder there"));
  REQUIRE(std::distance(fs::directory_iterator(folder.path("out")), fs::directory_iterator()) == 1);
}

TEST_CASE("chase: a window of any size is ignored", "[platform][run]") {
  TemporaryFolder folder;
  const std::string file =
      folder.write("s.json", R"({"workload": {"kind": "memory", "pattern": "chase", "readers": 1024,
      "access_bytes": 1, "window_bytes": 67108864, "warmup_cycles": 10, "measure_cycles": 200}})");
  for (const char* mode : {"at", "lt"}) {
    const ProgramResult result = run_program({"run", file, "--mode", mode, "--out", folder.path("out")});
    CAPTURE(mode, result.err);
    REQUIRE(result.exit_code == 0);
  }
}

TEST_CASE("Every metric that docs/results.md names exists", "[platform][run]") {
  TemporaryFolder folder;
  const auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "run");
    arguments.insert(arguments.end(), {"--out", folder.path("out"), "--quiet"});
    const ProgramResult result = run_program(arguments);
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    return results_of(folder.path("out"));
  };
  const std::string decode = small_scenario(folder, "");
  const platform::Json sampled = run({decode, "--set", "compare=null", "--set", "data=true"});
  folder.write(
      "m.json",
      R"({"model_type": "llama", "num_hidden_layers": 2, "num_attention_heads": 8, "hidden_size": 512})");
  const platform::Json whole = run({decode, "--set", "compare=null", "--set", "workload.sample=null", "--set",
                                    "model=" + folder.path("m.json"), "--set", "controllers.kind=rv32"});
  require_documented("Metrics of decode workloads", whole, sampled);
  const std::string replay = "scenarios/noc/replay-b1.json";
  const platform::Json synthetic = run({replay});
  require_documented("Metrics of synthetic workloads", synthetic, synthetic);
  const platform::Json memory = run({"scenarios/memory/r6.json"});
  require_documented("Metrics of memory workloads", memory, memory);
}
