// `vp regress` as a nightly run uses it: verdicts, what is kept, golden values, kills.
#include <signal.h>
#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <random>
#include <set>
#include <thread>

#include "platform/regress/content_key.h"
#include "platform/regress/golden.h"
#include "platform/regress/junit.h"
#include "platform/regress/process_pool.h"
#include "platform/regress/result_store.h"
#include "platform/regress/scenario_files.h"
#include "platform/regress/sweep_file.h"
#include "platform/scenario/json_file.h"
#include "platform/scenario/printable.h"
#include "platform/table/row_table.h"
#include "tests/platform/support.h"

using namespace meshkv::platform;
using Catch::Matchers::Contains;
using meshkv::test::program_path;
using meshkv::test::ProgramResult;
using meshkv::test::read_file;
using meshkv::test::run_program;
using meshkv::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

/// A mesh for some hundred cycles: a few milliseconds.
std::string tiny(const std::string& more = "") {
  return R"({"mesh": {"width": 4, "height": 4}, "workload": {"kind": "synthetic", "injection_rate": 0.05,
      "warmup_cycles": 100, "measure_cycles": 200})" +
         more + "}";
}

ProgramResult regress(const TemporaryFolder& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "regress");
  return run_program(arguments, folder.path());
}

Json table_of(const TemporaryFolder& folder) {
  return parse_json(read_file(folder.path("out/regress/regress.json")))["scenarios"];
}

std::size_t entries(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("regress: what ends as expected passes, the rest is named first, the worst exit code wins",
          "[platform][regress]") {
  TemporaryFolder folder;
  folder.write("s/good.json", tiny());
  folder.write("s/limit.json", tiny(R"(, "max_cycles": 0, "checks": [{"metric": "cycles", "max": 1}],
                                      "expect": "check_failed")"));
  folder.write("s/invalid.json", tiny(R"(, "seeed": 1)"));
  folder.write("s/invalid.expected",
               "exit 2\nerror: somewhere/else/invalid.json: seeed: unknown key; did you mean seed?\n");
  folder.write("s/base.json", R"({"abstract": true, "mesh": {"width": 3}})");
  folder.write("s/child.json", R"({"extends": ["base.json", "good.json"]})");
  folder.write("s/models/llama.json", R"({"model_type": "llama"})");
  const ProgramResult good = regress(folder, {"s"});
  CAPTURE(good.out, good.err);
  REQUIRE(good.exit_code == 0);
  REQUIRE_THAT(good.out, Contains("4 scenarios: 0 failed, 4 passed") && Contains("1 abstract file"));

  folder.write("s/bad_check.json", tiny(R"(, "checks": [{"metric": "cycles", "max": 1}])"));
  folder.write("s/not_dead.json", tiny(R"(, "expect": "deadlock")"));
  const ProgramResult checks = regress(folder, {"s"});
  REQUIRE(checks.exit_code == 1);
  REQUIRE_THAT(checks.out, Contains("FAILED  s/bad_check.json: check failed: cycles is") &&
                               Contains("FAILED  s/not_dead.json: expected deadlock, ended ok") &&
                               Contains("6 scenarios: 2 failed, 4 passed; 3 kept from before"));
  folder.write("s/typo.json", tiny(R"(, "mseh": {})"));
  const ProgramResult typo = regress(folder, {"s"});
  REQUIRE(typo.exit_code == 2);
  REQUIRE_THAT(typo.out, Contains("s/typo.json: mseh: unknown key; did you mean mesh?"));
  fs::remove(folder.path("s/invalid.expected"));
  REQUIRE_THAT(regress(folder, {"s", "--filter", "inv*"}).out, Contains("1 scenario: 1 failed"));
  REQUIRE(regress(folder, {"s", "--filter", "nothing"}).exit_code == 2);
  REQUIRE(regress(folder, {"s/base.json"}).exit_code == 2);  // named: not passed by
}

namespace {

void require_passing(std::vector<std::string> paths) {
  TemporaryFolder folder;
  paths.insert(paths.begin(), {"regress", "--store", folder.path("store")});
  const ProgramResult run = run_program(paths);
  CAPTURE(run.out);
  REQUIRE(run.exit_code == 0);
}

}  // namespace

TEST_CASE("regress: the project's deadlocks and refusals pass", "[platform][regress]") {
  require_passing({"scenarios/noc/multicast-lockstep-deadlock.json",
                   "scenarios/noc/request-reply-shared-deadlock.json", "scenarios/negative/misspelt_key.json",
                   "scenarios/negative/syntax_error.json", "scenarios/negative/extends_cycle_back.json"});
}

TEST_CASE("regress: every scenario of the project passes", "[platform][regress][.long]") {
  require_passing({"scenarios"});
}

TEST_CASE("regress: a rerun does only what changed, whatever of it", "[platform][regress]") {
  TemporaryFolder folder;
  folder.write("s/base.json", R"({"abstract": true, "seed": 1})");
  folder.write("s/a.json", tiny(R"(, "extends": "base.json")"));
  folder.write("s/b.json", tiny());
  folder.write("s/p.csv", "created,src,dst\n0,0,1\n");
  folder.write("s/c.json", R"({"workload": {"kind": "synthetic", "pattern": "replay", "packets": "p.csv"}})");
  const auto kept = [&](std::vector<std::string> more = {}) {
    more.insert(more.begin(), "s");
    const ProgramResult run = regress(folder, more);
    CAPTURE(run.out, run.err);
    REQUIRE(run.exit_code == 0);
    std::set<std::string> names;
    for (const Json& row : table_of(folder))
      if (row["kept"] == true) names.insert(row["name"].get<std::string>());
    return names;
  };
  const std::set<std::string> all{"a", "b", "c"};
  REQUIRE(kept().empty());
  REQUIRE(kept() == all);
  folder.write("s/base.json", R"({"abstract": true, "seed": 2})");  // what a extends
  REQUIRE(kept() == std::set<std::string>{"b", "c"});
  folder.write("s/p.csv", "created,src,dst\n0,0,2\n");  // what c names
  REQUIRE(kept() == std::set<std::string>{"a", "b"});
  folder.write("s/b.json", tiny(R"(, "expect": "ok", "$schema": "x")"));  // no result depends on these
  REQUIRE(kept() == all);
  REQUIRE(kept({"--force"}).empty());
  REQUIRE(kept() == all);
  REQUIRE(fs::remove(fs::path(folder.path(".")) / table_of(folder)[0]["results"].get<std::string>() /
                     "results.json"));
  REQUIRE(kept().size() == 2);
}

TEST_CASE("regress: another program is another key", "[platform][regress]") {
  TemporaryFolder folder;
  const MergedValues merged = load_merged(folder.write("a.json", tiny()), {});
  REQUIRE(content_key(merged, "a", "one") == content_key(merged, "a", "one"));
  REQUIRE(content_key(merged, "a", "one") != content_key(merged, "a", "two"));
  REQUIRE(content_key(merged, "a", "one") != content_key(merged, "b", "one"));
  REQUIRE(program_identity().size() == 40);
  REQUIRE(content_hash("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d");  // FIPS 180-2
}

TEST_CASE("regress: golden values, their tolerances, and drift metric by metric", "[platform][regress]") {
  TemporaryFolder folder;
  folder.write("s/a.json", tiny());
  const std::string golden = folder.path("s/golden/a.json");
  REQUIRE_THAT(regress(folder, {"s", "--update"}).out, Contains("golden files: 1 written"));
  REQUIRE(regress(folder, {"s"}).exit_code == 0);
  REQUIRE_THAT(regress(folder, {"s", "--update"}).out, Contains("0 written, 1 as they were"));
  Json expected = parse_json(read_file(golden));
  REQUIRE(expected["expected"].contains("metrics.noc.flit_hops"));

  const double hops = expected["expected"]["metrics.noc.flit_hops"].get<double>();
  expected["expected"]["metrics.noc.flit_hops"] = hops * 1.02;
  expected["expected"]["metrics.noc.gone"] = 7;
  expected["expected"].erase("cycles");
  folder.write("s/golden/a.json", expected.dump());
  const ProgramResult drift = regress(folder, {"s"});
  REQUIRE(drift.exit_code == 1);
  REQUIRE_THAT(drift.out,
               Contains("drift: metrics.noc.flit_hops is") && Contains("-1.961 %, allowed 1e-06 %") &&
                   Contains("metrics.noc.gone is gone; expected 7") && Contains("1 metric is new"));
  expected["expected"].erase("metrics.noc.gone");
  expected["tolerances"]["metrics.noc.*"] = 5;
  folder.write("s/golden/a.json", expected.dump());
  REQUIRE(regress(folder, {"s"}).exit_code == 0);
  // People's tolerances stay, values are new.
  REQUIRE(regress(folder, {"s", "--update"}).exit_code == 0);
  const Json updated = parse_json(read_file(golden));
  REQUIRE(updated["tolerances"]["metrics.noc.*"] == 5);
  REQUIRE(updated["expected"]["metrics.noc.flit_hops"] == hops);
  folder.write("s/golden/a.json", R"({"expectd": {}})");
  REQUIRE(regress(folder, {"s"}).exit_code == 2);
}

TEST_CASE("regress: what cannot be compared or written is known before anything is run",
          "[platform][regress]") {
  TemporaryFolder folder;
  folder.write("s/a.json", tiny());
  folder.write("s/b.json", tiny());
  folder.write("s/golden/a.json", R"({"expected": {"cycles": "many"}})");
  folder.write("s/golden/b.json", "{");
  for (const char* option : {"--quiet", "--update"}) {
    const ProgramResult run = regress(folder, {"s", option});
    REQUIRE(run.exit_code == 2);
    REQUIRE(run.out.empty());
    REQUIRE_THAT(run.err, Contains("golden/a.json: expected.cycles") && Contains("golden/b.json: line 1"));
    REQUIRE(fs::is_empty(folder.path("out/regress")));
  }
  fs::remove_all(folder.path("s/golden"));
  folder.write("s/golden", "in the way");
  const ProgramResult update = regress(folder, {"s", "--update"});
  REQUIRE(update.exit_code == 2);
  REQUIRE_THAT(update.err,
               Contains("--update: found \"s/golden/a.json\"") && Contains("golden is not a folder"));
  for (const char* junit : {"", "s", "s/a.json/junit.xml"}) {
    const ProgramResult run = regress(folder, {"s", "--junit", junit});
    REQUIRE(run.exit_code == 2);
    REQUIRE_THAT(run.err, Contains("--junit: found"));
  }
  REQUIRE(fs::is_empty(folder.path("out/regress")));
}

TEST_CASE("regress: any name is a name", "[platform][regress]") {
  TemporaryFolder folder;
  const std::vector<std::string> names{"-dash", "--quiet",   "sp ace",  "$(touch pwned)",
                                       "<b>&",  "new\nline", "\x1b[31m"};
  for (const std::string& name : names) folder.write(name + ".json", tiny());
  std::vector<std::string> arguments{"--junit", "junit.xml", "--"};
  for (const std::string& name : names) arguments.push_back(name + ".json");
  const ProgramResult run = regress(folder, arguments);
  CAPTURE(run.out, run.err);
  REQUIRE(run.exit_code == 0);
  REQUIRE_THAT(run.out,
               Contains("7 passed") && Contains("passed  new\xef\xbf\xbdline.json") && !Contains("\x1b"));
  REQUIRE_FALSE(fs::exists(folder.path("pwned")));
  REQUIRE(table_of(folder).size() == names.size());
}

TEST_CASE("regress: a golden file leaves out single links and long lists", "[platform][regress]") {
  Json results{{"cycles", 5}, {"metrics", {{"noc", {{"hops", 3}, {"links", {{"3_4", {{"east", 1}}}}}}}}}};
  results["metrics"]["list"] = {1, 2.5};
  results["metrics"]["long"] = std::vector<int>(65, 1);
  results["metrics"]["saturated"] = true;
  results["metrics"]["text"] = "x";
  results["bounds"]["x"] = 3;
  REQUIRE(golden_values(results) == Json{{"cycles", 5},
                                         {"metrics.noc.hops", 3},
                                         {"metrics.list[0]", 1},
                                         {"metrics.list[1]", 2.5},
                                         {"metrics.saturated", true}});
  const Json runs{{"runs", {{"cent", {{"cycles", 9}}}}}};
  REQUIRE(golden_values(runs) == Json{{"runs.cent.cycles", 9}});
}

TEST_CASE("regress: time-outs, signals and odd exits of a process", "[platform][regress]") {
  std::vector<ProcessEnd> ends(5);
  int told = 0;
  run_processes({{"/bin/sh", "-c", "sleep 60 & wait"},
                 {"/bin/sh", "-c", "kill -SEGV $$"},
                 {"/bin/sh", "-c", "echo out; echo err >&2; exit 7"},
                 {"/bin/sh", "-c", "exec 2>&-; sleep 0.05; exit 3"},
                 {"/nowhere/at/all"}},
                2, 0.3, [&](const ProcessEnd& end) {
                  ends[end.index] = end;
                  ++told;
                });
  REQUIRE(told == 5);
  REQUIRE((ends[0].timed_out && ends[0].signal == SIGKILL));
  REQUIRE((!ends[1].timed_out && ends[1].signal == SIGSEGV));
  REQUIRE((ends[2].exit_code == 7 && ends[2].err == "err\n"));
  REQUIRE((ends[3].exit_code == 3 && !ends[3].timed_out));
  REQUIRE(ends[4].exit_code == 127);
  REQUIRE_THAT(ends[4].err, Contains("No such file"));
}

TEST_CASE("regress: a scenario that takes too long is killed and said so", "[platform][regress]") {
  TemporaryFolder folder;
  folder.write("long.json", tiny(R"(, "clock_mhz": 300)"));
  Json scenario = parse_json(read_file(folder.path("long.json")));
  scenario["workload"]["measure_cycles"] = 1000000000;
  folder.write("long.json", scenario.dump());
  const ProgramResult run = regress(folder, {"long.json", "--timeout", "0.2"});
  REQUIRE(run.exit_code == 1);
  REQUIRE_THAT(run.out, Contains("FAILED  long.json") && Contains("killed after"));
  REQUIRE(entries(folder.path("out/regress")) == 1);  // regress.json: nothing is kept of it
}

TEST_CASE("regress: kill -9 at any moment loses no finished result and breaks no file",
          "[platform][regress]") {
  TemporaryFolder folder;
  constexpr int kScenarios = 12;
  for (int i = 0; i < kScenarios; ++i)
    folder.write("s/" + std::to_string(i) + ".json", tiny(", \"seed\": " + std::to_string(i)));
  std::mt19937 random(7);
  const auto finished = [&] {
    std::set<std::string> whole;
    if (!fs::exists(folder.path("out/regress"))) return whole;
    for (const auto& entry : fs::directory_iterator(folder.path("out/regress"))) {
      const std::string name = entry.path().filename().string();
      if (name[0] == '.' || !entry.is_directory()) continue;
      CAPTURE(name);
      for (const char* file : {"job.json", "results.json", "host.json"})
        REQUIRE_NOTHROW(parse_json(read_file((entry.path() / file).string())));
      whole.insert(name);
    }
    return whole;
  };
  std::set<std::string> before;
  for (int round = 0; round < 8; ++round) {
    const pid_t pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
      if (chdir(folder.path().c_str()) != 0 || !freopen("/dev/null", "w", stdout)) _exit(1);
      execl(program_path().c_str(), "vp", "regress", "s", "--jobs", "2", nullptr);
      _exit(1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 60));
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    const std::set<std::string> after = finished();
    for (const std::string& name : before) REQUIRE(after.count(name) == 1);
    before = after;
  }
  const ProgramResult last = regress(folder, {"s"});
  REQUIRE(last.exit_code == 0);
  REQUIRE_THAT(last.out, Contains(std::to_string(before.size()) + " kept from before"));
  REQUIRE(finished().size() == kScenarios);
  REQUIRE(entries(folder.path("out/regress")) == kScenarios + 1);  // what the killed left is gone
}

TEST_CASE("regress: the results do not depend on the number of jobs", "[platform][regress]") {
  TemporaryFolder folder;
  for (int i = 0; i < 4; ++i)
    folder.write("s/" + std::to_string(i) + ".json", tiny(", \"seed\": " + std::to_string(i)));
  REQUIRE(regress(folder, {"s", "--jobs", "1", "--store", "one"}).exit_code == 0);
  REQUIRE(regress(folder, {"s", "--jobs", "4", "--store", "four"}).exit_code == 0);
  int compared = 0;
  for (const auto& entry : fs::directory_iterator(folder.path("one"))) {
    if (!entry.is_directory()) continue;
    const std::string other = folder.path("four/" + entry.path().filename().string() + "/results.json");
    REQUIRE(read_file(entry.path() / "results.json") == read_file(other));
    ++compared;
  }
  REQUIRE(compared == 4);
}

TEST_CASE("regress: JUnit XML holds what XML allows", "[platform][regress]") {
  const std::string xml =
      junit_xml("s", {{"a/b", "good", 1.5, "", "ok", ""},
                      {"a", "bad", 0, "x < 1 & \"y\"\nz", "check_failed", "\x01\xff]]>"}});
  REQUIRE_THAT(xml, Contains(R"(tests="2" failures="1")") &&
                        Contains(R"(<testcase classname="a/b" name="good" time="1.500"/>)") &&
                        Contains("x &lt; 1 &amp; &quot;y&quot;&#10;z") && Contains("]]&gt;"));
  REQUIRE(xml.find('\x01') == std::string::npos);
  REQUIRE(xml.find('\xff') == std::string::npos);
}

TEST_CASE("Only valid, printable UTF-8 reaches a terminal", "[platform][cli]") {
  REQUIRE(printable("plain \t\n \u00e9 \u20ac \U0001f600") == "plain \t\n \u00e9 \u20ac \U0001f600");
  const std::string bad = "\xef\xbf\xbd";
  REQUIRE(printable("\x1b[31m") == bad + "[31m");
  REQUIRE(printable("\xc0\xaf") == bad + bad);            // overlong
  REQUIRE(printable("\xed\xa0\x80") == bad + bad + bad);  // surrogate
  REQUIRE(printable("\xf4\x90\x80\x80") == bad + bad + bad + bad);
  REQUIRE(printable("\xc2\x9b"
                    "1m") == bad + bad + "1m");  // a control sequence in C1
  REQUIRE(printable("\xe2\x82") == bad + bad);
}

TEST_CASE("sweep: every combination once, in order, whatever the jobs; a rerun runs nothing",
          "[platform][sweep]") {
  TemporaryFolder folder;
  folder.write("base.json", tiny());
  const std::string sweep = folder.write("s.json", R"({"base": "base.json", "set": {"seed": 3},
      "axes": {"mesh": [{"width": 2, "height": 2}, {"width": 3, "height": 2}], "noc.vc_depth_flits": {"from": 4, "to": 8, "step": 2},
               "workload.pattern": ["uniform", "bitcomp"]},
      "columns": ["cycles", "metrics.noc.avg_hops"]})");
  const ProgramResult run = run_program({"sweep", sweep, "--jobs", "2"}, folder.path());
  CAPTURE(run.out, run.err);
  REQUIRE(run.exit_code ==
          2);  // bitcomp is not defined on six nodes: three points are refused, the rest is run
  REQUIRE_THAT(run.out,
               Contains("workload.pattern: \"bitcomp\" is undefined for 6 nodes") && Contains("12 points: "));
  const std::string csv = read_file(folder.path("out/sweep/s/table.csv"));
  std::vector<std::string> lines;
  std::istringstream in(csv);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  REQUIRE(lines.size() == 13);
  REQUIRE(lines[0] == "mesh,noc.vc_depth_flits,workload.pattern,ending,cycles,metrics.noc.avg_hops\r");
  REQUIRE_THAT(lines[1], Catch::Matchers::StartsWith("\"{\"\"width\"\":2,\"\"height\"\":2}\",4,uniform,ok,"));
  REQUIRE_THAT(lines[12], Catch::Matchers::EndsWith(",8,bitcomp,invalid,,\r"));
  const Json table = parse_json(read_file(folder.path("out/sweep/s/table.json")));
  REQUIRE(table["points"].size() == 12);
  REQUIRE(table["points"][3]["at"].dump() ==
          R"({"mesh":{"width":2,"height":2},"noc.vc_depth_flits":6,"workload.pattern":"bitcomp"})");
  REQUIRE_THAT(run_program({"sweep", sweep, "--jobs", "1"}, folder.path()).out,
               Contains("pattern=\"uniform\"  kept"));
  REQUIRE(read_file(folder.path("out/sweep/s/table.csv")) == csv);

  REQUIRE(run_program({"sweep", sweep, "--executor", "slurm"}, folder.path()).exit_code == 0);
  REQUIRE_THAT(read_file(folder.path("out/sweep/s/s.sbatch")), Contains("#SBATCH --array=0-11"));
  REQUIRE(run_program({"sweep", sweep, "--point", "0", "--store", "other"}, folder.path()).exit_code == 0);
  REQUIRE(run_program({"sweep", sweep, "--point", "12"}, folder.path()).exit_code == 2);
}

TEST_CASE("sweep: a wrong file is refused before anything is run", "[platform][sweep]") {
  TemporaryFolder folder;
  folder.write("base.json", tiny());
  const auto problems = [&](const std::string& text) {
    const ProgramResult run = run_program({"sweep", folder.write("s.json", text)}, folder.path());
    REQUIRE(run.exit_code == 2);
    REQUIRE(run.out.empty());
    REQUIRE_FALSE(fs::exists(folder.path("out")));
    return run.err;
  };
  const std::string err =
      problems(R"({"bsae": "base.json", "axes": {"mesh.widht": [1], "seed": [], "noc.vc_depth_flits":
      {"from": 1, "to": 4}, "clock_mhz": {"from": 1, "to": 4, "factor": 1}, "extends": ["x"]}})");
  REQUIRE_THAT(err, Contains("bsae: unknown key; did you mean base?") && Contains("base: is missing") &&
                        Contains("axes.mesh.widht: unknown key; did you mean mesh.width?") &&
                        Contains("axes.seed: found []") && Contains("axes.noc.vc_depth_flits: found") &&
                        Contains("a factor above 1") && Contains("axes.extends: is no key"));
  REQUIRE_THAT(
      problems(R"({"base": "base.json", "axes": {"mesh": [{"width": 3}], "mesh.width": [4], "seed": [1]},
      "set": {"seed": 2}})"),
      Contains("axes.mesh.width: is part of axes.mesh") && Contains("set.seed: overlaps axes.seed"));
  REQUIRE_THAT(problems(R"({"base": "base.json", "axes": {"seed": [1]}, "columns": ["cycles",
      "metrics.noc.avg_hop", "metrics.noc.links.0_0.east.control", "metrics.pad.macs"]})"),
               Contains("columns[1]: found \"metrics.noc.avg_hop\"") &&
                   Contains("did you mean metrics.noc.avg_hops?") && Contains("columns[3]") &&
                   !Contains("columns[0]") && !Contains("columns[2]"));
  REQUIRE_THAT(problems(R"({"base": "none.json", "axes": {"seed": [1]}})"),
               Contains("none.json: no such file"));
  REQUIRE_THAT(problems(R"({"base": "base.json", "axes": {"seed": {"from": 0, "to": 999, "step": 1},
      "mesh.width": {"from": 0, "to": 999, "step": 1}}})"),
               Contains("make 1000000 points"));
}

TEST_CASE("sweep: a column may be any number of the results, or the tightest bound", "[platform][sweep]") {
  TemporaryFolder folder;
  folder.write("base.json", R"({"mode": "lt", "model": ")" + meshkv::test::llama_path() +
                                R"(", "mesh": {"width": 4, "height": 4},
      "workload": {"context_tokens": 256, "sample": {"layers": [0]}}})");
  const std::string sweep = folder.write("s.json", R"({"base": "base.json", "axes": {"mare.tags": [16]},
      "columns": ["bounds.tightest", "bounds.achieved_over_bound", "metrics.decode.layer_cycles[0]", "outcome"]})");
  const ProgramResult run = run_program({"sweep", sweep}, folder.path());
  CAPTURE(run.out, run.err);
  REQUIRE(run.exit_code == 0);
  const Json metrics = parse_json(read_file(folder.path("out/sweep/s/table.json")))["points"][0]["metrics"];
  REQUIRE(metrics["outcome"] == "ok");
  REQUIRE(metrics["bounds.tightest"].is_string());
  REQUIRE(metrics["bounds.achieved_over_bound"] > 0.5);
  REQUIRE(metrics["metrics.decode.layer_cycles[0]"] > 0);
}

TEST_CASE("The project's sweeps are sound", "[platform][sweep]") {
  const FoundScenarios found = find_scenarios({meshkv::test::source_dir() + "/scenarios"}, {});
  REQUIRE_FALSE(found.sweeps.empty());
  for (const std::string& file : found.sweeps) {
    const Sweep sweep = read_sweep(file);
    if (!sweep.table.empty()) {  // every scenario of the table, at every point
      const RowTable table = read_row_table(sweep.table);
      for (std::size_t i = 0; i < sweep.points(); ++i)
        for (const std::string& name : table.scenarios())
          REQUIRE_NOTHROW(load_merged(table.folder + "/" + name + ".json", sweep.settings_at(i)));
      continue;
    }
    for (std::size_t i = 0; i < sweep.points(); ++i) {
      CAPTURE(file, i);
      REQUIRE_NOTHROW(load_scenario(sweep.base, sweep.settings_at(i)));
    }
  }
}

TEST_CASE("regress: 200 scenarios cost little more than their simulations", "[platform][regress][.long]") {
  TemporaryFolder folder;
  for (int i = 0; i < 200; ++i)
    folder.write(
        "s/" + std::to_string(i) + ".json",
        R"({"mode": "at", "seed": )" + std::to_string(i) +
            R"(, "workload": {"kind": "synthetic", "injection_rate": 0.2, "measure_cycles": 40000}})");
  const auto cpu_of_children = [] {
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    const auto seconds = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
  };
  const double before = cpu_of_children();
  const ProgramResult run = regress(folder, {"s", "--jobs", "2", "--quiet"});
  const double all = cpu_of_children() - before;
  REQUIRE(run.exit_code == 0);
  double simulations = 0, processes = 0;
  for (const Json& row : table_of(folder)) {
    processes += row["cpu_s"].get<double>();
    simulations +=
        parse_json(read_file(folder.path(row["results"].get<std::string>() + "/host.json")))["wall_s"]
            .get<double>();
  }
  WARN("CPU time of vp regress beyond that of its processes: " << all - processes << " s, "
                                                               << 100 * (all / processes - 1) << " %");
  REQUIRE(all - processes < 0.05 * processes);
  WARN("simulations " << simulations << " s of wall time, their processes " << processes
                      << " s of CPU: " << run.out);
  REQUIRE_THAT(regress(folder, {"s", "--quiet"}).out, Contains("200 kept from before"));
}
