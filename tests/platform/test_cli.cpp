// The program as a user runs it: exit codes, where messages go, what is left behind.
#include <catch2/catch.hpp>

#include "platform/regress/scenario_files.h"
#include "platform/scenario/json_file.h"
#include "tests/platform/support.h"
#include "tests/support/paths.h"

using namespace meshkv::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

TEST_CASE("Help is help, not a failure", "[platform][cli]") {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--help"}, {"run", "--help"}, {"check", "-h"}, {"params", "--help"}}) {
    const ProgramResult result = run_program(arguments);
    REQUIRE(result.exit_code == 0);
    REQUIRE_THAT(result.out, StartsWith("usage: vp"));
    REQUIRE(result.err.empty());
  }
  REQUIRE(run_program({}).exit_code == 2);
}

TEST_CASE("A wrong command line is one line and exit code 2", "[platform][cli]") {
  const auto error_of = [](const std::vector<std::string>& arguments) {
    const ProgramResult result = run_program(arguments);
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 2);
    REQUIRE(result.out.empty());
    REQUIRE_THAT(result.err, StartsWith("error: "));
    return result.err;
  };
  REQUIRE_THAT(error_of({"rnu"}), Contains("did you mean run?"));
  REQUIRE_THAT(error_of({"run"}), Contains("no scenario file"));
  REQUIRE_THAT(error_of({"run", "a.json", "b.json"}), Contains("usage"));
  REQUIRE_THAT(error_of({"run", "scenarios/quickstart.json", "--sett", "a=1"}), Contains("--sett"));
  REQUIRE_THAT(error_of({"run", "scenarios/quickstart.json", "--mode", "xt"}), Contains("allowed: lt, at"));
  REQUIRE_THAT(error_of({"run", "scenarios/quickstart.json", "--jobs", "0"}), Contains("--jobs"));
  REQUIRE_THAT(error_of({"run", "scenarios/quickstart.json", "--jobs", "x"}), Contains("jobs"));
  REQUIRE_THAT(error_of({"run", "scenarios/quickstart.json", "--set", "seed"}), Contains("path=value"));
  REQUIRE_THAT(error_of({"run", "scenarios/quickstart.json", "--set", "extends=x.json"}),
               Contains("in a file only"));
  const auto trace_error = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all{"run", "scenarios/quickstart.json", "--trace", "vcd"};
    all.insert(all.end(), more.begin(), more.end());
    return error_of(all);
  };
  REQUIRE_THAT(error_of({"run", "scenarios/quickstart.json", "--trace", "vdc"}), Contains("perfetto, vcd"));
  REQUIRE_THAT(trace_error({"--mode", "lt"}), Contains("in mode lt there are none"));
  REQUIRE_THAT(trace_error({"--trace-limit", "1K"}), Contains("4K or more"));
  REQUIRE_THAT(trace_error({"--trace-limit", "lots"}), Contains("allowed: bytes"));
  REQUIRE_THAT(trace_error({"--trace-window", "5:5"}), Contains("FROM less than TO"));
  REQUIRE_THAT(trace_error({"--trace-window", "-1:5"}), Contains("FROM:TO"));
  REQUIRE_THAT(trace_error({"--trace-instances", "*tile_9_9*"}), Contains("matches nothing"));
  REQUIRE_THAT(error_of({"run", "scenarios/memory/r1.json", "--trace", "perfetto"}),
               Contains("memory workload"));
  REQUIRE_THAT(error_of({"run", "nowhere.json"}), Contains("nowhere.json: no such file"));
  REQUIRE_THAT(error_of({"run", "scenarios"}), Contains("is a directory"));
  REQUIRE_THAT(error_of({"run", "scenarios/quickstart.json", "--out", "vp"}), Contains("not a folder"));
  REQUIRE_THAT(error_of({"bench", "everything"}), Contains("not part of this version"));
}

TEST_CASE("check says what a scenario needs", "[platform][cli]") {
  const ProgramResult result = run_program({"check", "scenarios/quickstart.json"});
  REQUIRE(result.exit_code == 0);
  REQUIRE_THAT(result.out, Contains("16.0 GiB of HBM 8.0 GiB and DDR4 32.0 GiB") && Contains("valid") &&
                               Contains("8.0 GiB live in DDR4"));
  REQUIRE(run_program({"check", "scenarios/quickstart.json", "--set", "mesh.width=0"}).exit_code == 2);
}

TEST_CASE("params prints every parameter, and a schema", "[platform][cli]") {
  const ProgramResult text = run_program({"params"});
  REQUIRE(text.exit_code == 0);
  REQUIRE_THAT(text.out, Contains("mesh.width\n") && Contains("workload.channel_policy"));
  const ProgramResult schema = run_program({"params", "--json-schema"});
  REQUIRE(meshkv::platform::parse_json(schema.out).at("additionalProperties") == false);
}

TEST_CASE("A file that may not be read is an error, not a crash", "[platform][cli]") {
  if (geteuid() == 0) return;  // root may read everything
  TemporaryFolder folder;
  const std::string file = folder.write("s.json", "{}");
  std::filesystem::permissions(file, std::filesystem::perms::none);
  REQUIRE_THAT(run_program({"run", file}).err, Contains("cannot be opened: Permission denied"));
}

TEST_CASE("All scenarios of the project are valid", "[platform][cli]") {
  int tested = 0;
  for (const std::string& path : meshkv::platform::find_scenarios({source_dir() + "/scenarios"}, {}).files) {
    if (path.find("/negative/") != std::string::npos) continue;
    CAPTURE(path);
    REQUIRE(problems_of(path).empty());
    ++tested;
  }
  REQUIRE(tested >= 20);
}

TEST_CASE("What is not UTF-8 does not reach the terminal, and a dot too many is seen", "[platform][cli]") {
  const ProgramResult result =
      run_program({"check", "scenarios/quickstart.json", "--set", "name=a\xff\x1b[31m"});
  REQUIRE(result.exit_code == 2);
  REQUIRE(result.err.find('\xff') == std::string::npos);
  REQUIRE(result.err.find('\x1b') == std::string::npos);
  REQUIRE_THAT(run_program({"check", "scenarios/quickstart.json", "--set", ".mesh.width=4"}).err,
               Contains("has a dot too many; did you mean mesh.width?"));
  REQUIRE_THAT(run_program({"bench", "--help"}).out, Contains("memory|noc"));
}
