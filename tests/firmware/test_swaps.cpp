// Occupancy swaps that firmware decides (takv.swaps_by).
#include <catch2/catch.hpp>

#include "tests/platform/support.h"

using namespace meshkv::test;
using Catch::Matchers::Contains;
using meshkv::platform::Json;

namespace {

struct Run {
  int exit_code;
  std::string err;
  Json json;
};

Run run_skewed(std::vector<std::string> settings) {
  const TemporaryFolder folder;
  std::vector<std::string> arguments{
      "run", "scenarios/firmware/placement-rv32.json", "--out", folder.path("out"), "--set", "checks=null"};
  for (const std::string& s : settings) arguments.insert(arguments.end(), {"--set", s});
  const ProgramResult r = run_program(arguments);
  CAPTURE(r.err, r.out);
  REQUIRE(r.exit_code != 2);
  return {r.exit_code, r.err, Json::parse(read_file(folder.path("out/results.json")))};
}

Json run_well(const std::vector<std::string>& settings) {
  const Run run = run_skewed(settings);
  CAPTURE(run.err, run.json.value("reason", ""));
  REQUIRE(run.exit_code == 0);
  return run.json["metrics"];
}

/// The scenario's own program, or one of the tests'.
std::vector<std::string> on(const std::string& kind, const std::string& program = "placement") {
  const std::string binary = program_path();
  const std::string folder = binary.substr(0, binary.rfind("/platform/")) + "/firmware/tests/";
  const std::string file = folder + program + (kind == "rv32" ? ".elf" : ".so");
  return {"controllers.kind=" + kind,
          "controllers.firmware=" + (program == "placement" || program == "decode" ? program : file)};
}

std::vector<std::string> with(std::vector<std::string> some, const std::vector<std::string>& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

const std::vector<std::string> kHardware{"controllers.kind=sequencer", "takv.swaps_by=hardware"};

}  // namespace

TEST_CASE("Firmware: placement comes to the hardware's swaps", "[firmware][swap]") {
  for (const char* mode : {"lt", "at"}) {
    for (const char* period : {"1", "2"}) {
      // What is merged depends on when requests come: without Mare the traffic is the same to the flit.
      const std::vector<std::string> settings{
          std::string("mode=") + mode, std::string("takv.swap_period_steps=") + period,
          "workload.steps=4",          "preset=takv_only",
          "fabric.swaps=true",         "pad.outstanding_per_tile=1"};
      const Json hardware = run_well(with(settings, kHardware));
      REQUIRE(hardware["takv"]["swaps"] >= 4);
      for (const char* kind : {"rv32", "native"}) {
        CAPTURE(mode, period, kind);
        const Json firmware = run_well(with(settings, on(kind)));
        for (const char* figure : {"swaps", "moved_bytes", "moved_blocks", "occupancy_spread_before",
                                   "occupancy_spread", "sum_of_squares_before", "sum_of_squares_after"})
          REQUIRE(firmware["takv"][figure] == hardware["takv"][figure]);
        REQUIRE(firmware["scoreboard"] == hardware["scoreboard"]);
        REQUIRE(firmware["noc"]["traffic"] == hardware["noc"]["traffic"]);
        REQUIRE(firmware["memory"]["hbm_bytes"] == hardware["memory"]["hbm_bytes"]);
        REQUIRE(firmware["data"]["bits"] == hardware["data"]["bits"]);
        // The decision takes its time, and the step waits for it.
        REQUIRE(firmware["takv"]["swap_cycles"] > hardware["takv"]["swap_cycles"]);
        REQUIRE(firmware["controllers"]["bus_errors"] == 0);
      }
    }
  }
}

TEST_CASE("Firmware: placement says what it has swapped", "[firmware][swap]") {
  const Run run = run_skewed({});
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  REQUIRE_THAT(run.err, Contains("dc_0| before step 1, layer 0: homes ") && Contains(", after 4 swaps ") &&
                            Contains("dc_1| before step 1, layer 1: homes "));
}

TEST_CASE("Firmware: placement swaps within HBM or within DDR4", "[firmware][swap]") {
  // Half of the blocks do not fit into HBM.
  const std::vector<std::string> settings{"memory.hbm_bytes=524288",
                                          "workload.stream_context_tokens=[60,20,20,20,33,20,20,20]",
                                          "workload.steps=4", "takv.swaps_per_period=3"};
  const Json hardware = run_well(with(settings, kHardware));
  REQUIRE(hardware["memory"]["resident_ddr_bytes"] > 0);
  REQUIRE(hardware["takv"]["swaps"] > 0);
  for (const char* kind : {"rv32", "native"}) {
    CAPTURE(kind);
    const Json firmware = run_well(with(settings, on(kind)));
    for (const char* figure : {"swaps", "moved_bytes", "occupancy_spread", "sum_of_squares_after"})
      REQUIRE(firmware["takv"][figure] == hardware["takv"][figure]);
  }
}

TEST_CASE("Firmware: blocks stay when it proposes nothing", "[firmware][swap]") {
  const Json off = run_well(with(kHardware, {"fabric.swaps=false"})), swapping = run_well(kHardware);
  for (const char* kind : {"rv32", "native"}) {
    CAPTURE(kind);
    const Json firmware = run_well(on(kind, "no_swaps"));
    for (const char* figure : {"swaps", "moved_bytes", "moved_blocks"})
      REQUIRE(firmware["takv"][figure] == 0);
    REQUIRE(firmware["takv"]["occupancy_spread_before"] == swapping["takv"]["occupancy_spread_before"]);
    REQUIRE(firmware["takv"]["sum_of_squares_after"] == firmware["takv"]["sum_of_squares_before"]);
    REQUIRE(firmware["scoreboard"]["checksum"] == off["scoreboard"]["checksum"]);
  }
}

TEST_CASE("Firmware: a wrong swap is a bus error with its reason", "[firmware][swap]") {
  for (const char* kind : {"rv32", "native"}) {
    const Run run = run_skewed(on(kind, "wrong_swap"));
    const std::string reason = run.json.value("reason", "");
    CAPTURE(kind, reason);
    REQUIRE(run.exit_code == 3);
    REQUIRE(run.json["outcome"] == "firmware_fault");
    REQUIRE_THAT(reason,
                 Contains("write of 0x00000003 to 0x1000a038 (SWAPS_PROPOSE): block (0, 3) cannot swap "
                          "with itself"));
  }
}

TEST_CASE("Firmware: a column that does not decide is named", "[firmware][swap]") {
  for (const char* kind : {"rv32", "native"}) {
    const Run run = run_skewed(with(on(kind, "no_swaps"), {"mesh.width=8", "takv.a=9"}));
    const std::string reason = run.json.value("reason", "");
    CAPTURE(kind, reason);
    REQUIRE(run.exit_code == 3);
    REQUIRE(run.json["outcome"] == "deadlock");
    REQUIRE_THAT(reason, Contains("chip.dc_2: has not decided on swaps (SWAPS_DECIDED), of decision 1\n") &&
                             !Contains("chip.dc_1: has not decided"));
    // A program that does not know of swaps.
    const Run decode = run_skewed(on(kind, "decode"));
    REQUIRE(decode.json["outcome"] == "deadlock");
    REQUIRE_THAT(decode.json.value("reason", ""), Contains("chip.dc_3: has not decided on swaps"));
  }
}

TEST_CASE("Firmware: who may decide on swaps", "[firmware][swap]") {
  for (const std::vector<std::string>& settings : std::vector<std::vector<std::string>>{
           {"controllers.kind=sequencer",
            "found \"firmware\"; allowed with controllers.kind \"sequencer\": \"hardware\""},
           {"fabric.swaps=false", "found \"firmware\"; allowed with fabric.swaps false: \"hardware\""},
           {"fabric.placement=shared", "only \"takv\" keeps those of a layer together"},
           {"takv.swaps_by=software", "\"hardware\", \"firmware\""}}) {
    const ProgramResult r =
        run_program({"check", "scenarios/firmware/placement-rv32.json", "--set", settings[0]});
    CAPTURE(settings, r.err);
    REQUIRE(r.exit_code == 2);
    REQUIRE_THAT(r.err, Contains("takv.swaps_by") && Contains(settings[1]));
  }
}
