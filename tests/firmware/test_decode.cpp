// Firmware in the columns' controllers: it drives the same step as the hardware sequencers.
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

Run run_firmware(const std::string& scenario, std::vector<std::string> settings) {
  const TemporaryFolder folder;
  std::vector<std::string> arguments{"run", "scenarios/firmware/" + scenario + ".json", "--out",
                                     folder.path("out")};
  for (const std::string& s : settings) arguments.insert(arguments.end(), {"--set", s});
  const ProgramResult r = run_program(arguments);
  CAPTURE(r.err, r.out);
  const std::string text = read_file(folder.path("out/results.json"));
  REQUIRE_FALSE(text.empty());
  return {r.exit_code, r.err, Json::parse(text)};
}

Json metrics_of(const std::string& kind, std::vector<std::string> settings) {
  settings.push_back("controllers.kind=" + kind);
  const Run run = run_firmware("sequencer", settings);
  CAPTURE(run.err, run.json.value("reason", ""));
  REQUIRE(run.exit_code == 0);
  return run.json["metrics"];
}

void require_same_work(const Json& a, const Json& b) {
  // Second copies come or not, as requests meet.
  for (const char* figure : {"requested", "delivered", "lost", "duplicated", "misdelivered", "checksum"})
    REQUIRE(a["scoreboard"][figure] == b["scoreboard"][figure]);
  REQUIRE(a["mare"]["fetches"] == b["mare"]["fetches"]);
  REQUIRE(a["mare"]["appended_bytes"] == b["mare"]["appended_bytes"]);
  REQUIRE(a["pad"]["segments"] == b["pad"]["segments"]);
  REQUIRE(a["memory"]["hbm_bytes"] == b["memory"]["hbm_bytes"]);
  // One segment at a time comes in one order, and gives the same bits.
  REQUIRE(a["data"]["heads"].size() == b["data"]["heads"].size());
  for (std::size_t i = 0; i < a["data"]["heads"].size(); ++i)
    REQUIRE(a["data"]["heads"][i]["bits"] == b["data"]["heads"][i]["bits"]);
}

}  // namespace

TEST_CASE("Firmware: a step is the sequencer's step, on harts and natively, in lt and at", "[firmware]") {
  for (const char* mode : {"lt", "at"}) {
    for (const char* preset : {"takv_only", "meshkv"}) {
      const std::vector<std::string> settings{std::string("mode=") + mode, std::string("preset=") + preset,
                                              "pad.outstanding_per_tile=1"};
      const Json sequencer = metrics_of("sequencer", settings);
      for (const char* kind : {"rv32", "native"}) {
        CAPTURE(mode, preset, kind);
        const Json firmware = metrics_of(kind, settings);
        require_same_work(sequencer, firmware);
        const auto traffic = firmware["noc"]["traffic"].get<double>();
        const auto should = sequencer["noc"]["traffic"].get<double>();
        if (std::string(preset) == "takv_only")
          REQUIRE(traffic == should);
        else  // what is coalesced depends on when requests come
          REQUIRE(traffic == Approx(should).epsilon(0.03));
        const Json& c = firmware["controllers"];
        REQUIRE(c["descriptors"] == firmware["pad"]["segments"]);
        REQUIRE(c["repeated"] == 0);
        REQUIRE(c["bus_errors"] == 0);
        REQUIRE(c["cycles_per_descriptor"].get<double>() > 10);
        REQUIRE(c["share_of_step"].get<double>() > 0);
        REQUIRE(c["share_of_step"].get<double>() <= 1);
      }
    }
  }
}

TEST_CASE("Firmware: any quantum gives the same work", "[firmware]") {
  const std::vector<std::string> settings{"mode=lt", "pad.outstanding_per_tile=1", "preset=takv_only"};
  const Json sequencer = metrics_of("sequencer", settings);
  for (const char* quantum : {"1", "7", "1000"}) {
    std::vector<std::string> with = settings;
    with.push_back(std::string("controllers.quantum_cycles=") + quantum);
    CAPTURE(quantum);
    const Json firmware = metrics_of("rv32", with);
    require_same_work(sequencer, firmware);
    REQUIRE(firmware["noc"]["traffic"] == sequencer["noc"]["traffic"]);
  }
}

TEST_CASE("Firmware: other meshes, streams, samples, phases and swaps", "[firmware]") {
  for (const std::vector<std::string>& settings : std::vector<std::vector<std::string>>{
           {"mesh.width=2", "mesh.height=6"},
           // More than QUEUE_DEPTH descriptors may leave at once.
           {"mesh.width=8", "mesh.height=8", "controllers.max_lead_segments=200",
            "workload.context_tokens=2000"},
           {"workload.streams=3", "workload.shared_prefix_tokens=100"},
           {"workload.sample={\"layers\":[1],\"segments\":{\"from\":3,\"to\":20}}"},
           {"mode=[{\"mode\":\"lt\",\"layers\":1},{\"mode\":\"at\"}]"},
           {"fabric.pad=false", "controllers.max_lead_segments=1"},
           {"takv.swap_period_steps=1", "takv.swaps_per_period=4", "workload.context_tokens=20",
            "workload.streams=8", "workload.reserved_tokens=64", "workload.steps=3"}}) {
    for (const char* kind : {"rv32", "native"}) {
      CAPTURE(settings, kind);
      const Json sequencer = metrics_of("sequencer", settings);
      const Json firmware = metrics_of(kind, settings);
      REQUIRE(sequencer["scoreboard"]["checksum"] == firmware["scoreboard"]["checksum"]);
      REQUIRE(sequencer["scoreboard"]["requested"] == firmware["scoreboard"]["requested"]);
      REQUIRE(firmware["data"]["max_error_over_bound"].get<double>() <= 1);
    }
  }
}

TEST_CASE("Firmware: a run is the same, byte for byte", "[firmware]") {
  for (const char* scenario : {"decode-rv32", "decode-native"}) {
    CAPTURE(scenario);
    REQUIRE(run_firmware(scenario, {}).json.dump() == run_firmware(scenario, {}).json.dump());
  }
}

TEST_CASE("Firmware: a lost descriptor is sent again, by time-out or when the next is refused",
          "[firmware]") {
  for (const char* kind : {"rv32", "native"}) {
    const std::string k = std::string("controllers.kind=") + kind;
    const Run refused = run_firmware("lost-descriptor", {k});
    CAPTURE(kind, refused.err);
    REQUIRE(refused.exit_code == 0);
    REQUIRE(refused.json["metrics"]["controllers"]["refused"] > 0);
    REQUIRE_THAT(refused.err, Contains("descriptors were sent again"));
    // One segment in each tile's list: nothing follows the one that is lost.
    const Run silent = run_firmware(
        "lost-descriptor", {k, "workload.context_tokens=14", "workload.steps=1",
                            R"(faults=[{"kind":"lose_descriptor","at":"chip.control_bus_0","packet":1}])"});
    CAPTURE(silent.err);
    REQUIRE(silent.exit_code == 0);
    REQUIRE(silent.json["metrics"]["controllers"]["refused"] == 0);
    REQUIRE_THAT(silent.err, Contains("dc_0| 1 descriptors were sent again"));
    REQUIRE(silent.json["cycles"] > 20000);  // controllers.timeout_cycles
  }
}

TEST_CASE("Firmware: programs that drive nothing run on all harts at once", "[firmware]") {
  for (const char* kind : {"rv32", "native"}) {
    const Run run = run_firmware("selftest", {std::string("controllers.kind=") + kind});
    CAPTURE(kind, run.err);
    REQUIRE(run.exit_code == 0);
    for (int c = 0; c < 8; ++c)
      REQUIRE_THAT(run.err, Contains("dc_" + std::to_string(c) + "| selftest passed\n"));
    REQUIRE_THAT(run.json["warnings"].dump(), Contains("ended without a decode step"));
  }
}

TEST_CASE("Firmware: consoles go to files of the results, and old ones go away", "[firmware]") {
  const TemporaryFolder folder;
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{
        "run",   "scenarios/firmware/selftest.json", "--quiet", "--out", folder.path("out"),
        "--set", "controllers.firmware=hello"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramResult r = run_program(arguments);
    CAPTURE(r.err);
    REQUIRE(r.exit_code == 0);
    REQUIRE(r.err.empty());
  };
  run({});
  REQUIRE(read_file(folder.path("out/console.dc_3.txt")) == "hello from column 3 of 8, 8 rows, 300000 kHz\n");
  run({"--set", "mesh.width=2", "--set", "compare=[\"cent\",\"meshkv\"]"});
  REQUIRE(read_file(folder.path("out/console.dc_3.txt")).empty());
  REQUIRE(read_file(folder.path("out/console.cent.dc_1.txt")) ==
          "hello from column 1 of 2, 8 rows, 300000 kHz\n");
  REQUIRE_FALSE(read_file(folder.path("out/console.meshkv.dc_0.txt")).empty());
}

TEST_CASE("Firmware: files that cannot be run are refused before the run", "[firmware]") {
  const auto error_of = [](const std::vector<std::string>& settings) {
    std::vector<std::string> arguments{"check", "scenarios/firmware/decode-rv32.json"};
    for (const std::string& s : settings) arguments.insert(arguments.end(), {"--set", s});
    const ProgramResult r = run_program(arguments);
    REQUIRE(r.exit_code == 2);
    return r.err;
  };
  REQUIRE_THAT(
      error_of({"controllers.firmware=decod"}),
      Contains("controllers.firmware: found \"decod\"; allowed: a file, or one of the programs decode, "
               "hello") &&
          Contains("did you mean decode?"));
  REQUIRE_THAT(error_of({"controllers.firmware=./nowhere.elf"}), Contains("nowhere.elf: cannot be read"));
  REQUIRE_THAT(error_of({"controllers.firmware=README.md"}), Contains("README.md: not an ELF file"));
  REQUIRE_THAT(error_of({"controllers.firmware=" + program_path()}), Contains("another architecture"));
  REQUIRE_THAT(error_of({"controllers.kind=native", "controllers.firmware=README.md"}),
               Contains("README.md") && Contains("invalid ELF header"));
  REQUIRE_THAT(error_of({"controllers.kind=nativ"}),
               Contains("allowed: one of \"sequencer\", \"rv32\", \"native\""));
  REQUIRE_THAT(error_of({"controllers.kind=sequencer", "checks=null",
                         R"(faults=[{"kind":"lose_descriptor","at":"chip.control_bus_3"}])"}),
               Contains("needs controllers.kind \"rv32\" or \"native\""));
  REQUIRE_THAT(error_of({R"(faults=[{"kind":"lose_descriptor","at":"chip.control_bus_4"}])"}),
               Contains("allowed: chip.control_bus_X of the mesh"));
}
