// Whole layers and scenarios in lt against at: cycles, flit-hops, what arrives. The long cases print the
// tables.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "tests/platform/support.h"

using namespace meshkv::test;
using Json = nlohmann::json;

namespace {

struct Case {
  const char* scenario;
  int width, height;
  const char* preset;
  const char* segments_to;
  const char* layers;
  double percent;  ///< of at's cycles
};

struct Figures {
  double cycles, flit_hops, back_pressure, seconds;
  Json scoreboard;
};

/// results.json and host.json of one of scenarios/decode.
std::pair<Json, Json> run_decode(const std::string& scenario, const char* mode,
                                 const std::vector<std::string>& sets) {
  const TemporaryFolder folder;
  std::vector<std::string> arguments{"run",
                                     "scenarios/decode/" + scenario + ".json",
                                     "--mode",
                                     mode,
                                     "--quiet",
                                     "--out",
                                     folder.path("out")};
  for (const std::string& set : sets) {
    arguments.emplace_back("--set");
    arguments.push_back(set);
  }
  const ProgramResult run = run_program(arguments);
  INFO(run.err << run.out);
  REQUIRE(run.exit_code == 0);
  return {Json::parse(read_file(folder.path("out/results.json"))),
          Json::parse(read_file(folder.path("out/host.json")))};
}

Figures simulate(const Case& c, const char* mode) {
  const auto [results, host] = run_decode(
      c.scenario, mode,
      {"compare=null", "checks=[]", "memory.spill=\"ignore\"", "preset=\"" + std::string(c.preset) + "\"",
       "mesh.width=" + std::to_string(c.width), "mesh.height=" + std::to_string(c.height),
       "workload.sample.layers=" + std::string(c.layers), "workload.sample.segments.from=0",
       "workload.sample.segments.to=" + std::string(c.segments_to)});
  const Json& noc = results["metrics"]["noc"];
  double stalled = 0;
  for (const char* part : {"links", "injection", "ejection"})
    stalled += noc[part]["back_pressure_cycles"].get<double>();
  return {results["cycles"], noc["flit_hops"], stalled, host["wall_s"], results["metrics"]["scoreboard"]};
}

/// Returns the deviation of cycles in percent.
double compare(const Case& c, bool print) {
  const Figures at = simulate(c, "at"), lt = simulate(c, "lt");
  const double deviation = 100 * (lt.cycles / at.cycles - 1);
  if (print)
    std::printf(
        "%-16s %2dx%-2d %-10s at %9.0f lt %9.0f cycles %+6.1f %%  flit-hops %.5f  stalled %.2f  host "
        "1/%.0f\n",
        c.scenario, c.width, c.height, c.preset, at.cycles, lt.cycles, deviation, lt.flit_hops / at.flit_hops,
        lt.back_pressure / std::max(1.0, at.back_pressure), at.seconds / lt.seconds);
  INFO(c.scenario << ' ' << c.width << 'x' << c.height << ' ' << c.preset << ": at " << at.cycles << ", lt "
                  << lt.cycles);
  CHECK(lt.scoreboard["delivered"] == at.scoreboard["delivered"]);
  CHECK(lt.scoreboard["checksum"] == at.scoreboard["checksum"]);
  CHECK(lt.scoreboard["lost"] == 0);
  const double hops_percent = std::string(c.preset) == "meshkv" ? 3 : 0;
  CHECK(std::abs(100 * (lt.flit_hops / at.flit_hops - 1)) <= hops_percent);
  CHECK(std::abs(deviation) <= c.percent);
  return deviation;
}

}  // namespace

TEST_CASE("lt: layers take at's cycles, and all of its flit-hops", "[lt][decode]") {
  compare({"mistral-7b-32k", 8, 8, "takv_only", "64", "[5]", 10}, false);
  compare({"mistral-7b-32k", 8, 8, "meshkv", "64", "[5]", 4}, false);
  compare({"mistral-7b-32k", 8, 8, "shared", "64", "[5]", 18}, false);
}

// Single layers are chaotic in both modes (docs/lt_against_at.md): six whole ones in one run, with their
// homes in different columns and rows.
TEST_CASE("lt: layers of both models on three meshes", "[lt][.long]") {
  const char* layers = "[3,5,10,18,20,29]";
  double sum = 0;
  int count = 0;
  for (const char* model : {"mistral-7b-32k", "llama-2-7b-32k"}) {
    const char* segments = std::string(model) == "mistral-7b-32k" ? "64" : "128";
    for (const auto& [width, height] : {std::pair(8, 8), std::pair(4, 4), std::pair(16, 4)}) {
      for (const char* preset : {"cent", "shared", "takv_only", "meshkv"}) {
        sum += std::abs(compare({model, width, height, preset, segments, layers, 13}, true));
        ++count;
      }
    }
  }
  std::printf("mean deviation of cycles: %.1f %%\n", sum / count);
  CHECK(sum / count < 5);
}

// Of a scenario as it is, or its whole step, all four presets.
TEST_CASE("lt: the decode scenarios", "[lt][.long]") {
  struct Scenario {
    const char* name;
    std::vector<std::string> sets;
  };
  const std::string whole = "workload.sample=null";
  const std::vector<Scenario> scenarios = {
      {"llama-2-7b-8k", {}},
      {"llama-2-7b-32k", {}},
      {"mistral-7b-8k", {}},
      {"mesh-4x4", {}},
      {"mesh-16x4", {}},
      {"mistral-7b-8k", {whole}},
      {"mistral-7b-8k", {whole, "mesh.width=4", "mesh.height=4"}},
      {"mistral-7b-8k", {whole, "mesh.width=16", "mesh.height=4"}},
  };
  double sum = 0;
  int count = 0;
  for (const Scenario& s : scenarios) {
    std::string text = s.name;
    for (const std::string& set : s.sets) text += ' ' + set;
    const Json at = run_decode(s.name, "at", s.sets).first["runs"];
    const Json lt = run_decode(s.name, "lt", s.sets).first["runs"];
    for (const auto& [preset, run] : at.items()) {
      const auto cycles = run["cycles"].get<double>(), other = lt[preset]["cycles"].get<double>();
      const double deviation = 100 * (other / cycles - 1);
      std::printf("%-50s %-10s at %9.0f lt %9.0f cycles %+6.1f %%\n", text.c_str(), preset.c_str(), cycles,
                  other, deviation);
      INFO(text << ", " << preset << ": at " << cycles << ", lt " << other);
      CHECK(lt[preset]["metrics"]["scoreboard"]["checksum"] == run["metrics"]["scoreboard"]["checksum"]);
      CHECK(std::abs(deviation) <= 15);
      sum += std::abs(deviation);
      ++count;
    }
  }
  std::printf("mean deviation of cycles: %.1f %%\n", sum / count);
  CHECK(sum / count < 5);
}
