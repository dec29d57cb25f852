// Occupancy swaps in a run: blocks change homes between steps, their bytes move, and numbers follow.
#include <catch2/catch.hpp>

#include "tests/platform/support.h"

using namespace meshkv;
using namespace meshkv::test;
using platform::Json;

namespace {

// 4x4 mesh, two layers. Eight streams of 20 tokens in segments of 16, each with room for 64: of four rows of
// homes the first two have all blocks that are read, the other two nothing.
constexpr const char* kModel =
    R"({"model_type": "llama", "architectures": ["LlamaForCausalLM"], "num_hidden_layers": 2,
        "num_attention_heads": 8, "num_key_value_heads": 8, "head_dim": 32, "hidden_size": 256})";
constexpr const char* kScenario =
    R"({"model": "model.json", "mesh": {"width": 4, "height": 4}, "preset": "meshkv",
        "takv": {"a": 5, "swap_period_steps": 1, "swaps_per_period": 4},
        "workload": {"context_tokens": 20, "streams": 8, "reserved_tokens": 64, "steps": 3},
        "kv_layout": {"segment_tokens": 16}})";

struct Ran {
  int exit_code;
  Json results;
};

Ran run_skewed(const std::vector<std::string>& settings) {
  TemporaryFolder folder;
  folder.write("model.json", kModel);
  folder.write("scenario.json", kScenario);
  std::vector<std::string> arguments{"run", folder.path("scenario.json"), "--quiet", "--out",
                                     folder.path("out")};
  for (const std::string& s : settings) arguments.insert(arguments.end(), {"--set", s});
  const auto result = run_program(arguments);
  INFO(result.err);
  REQUIRE(result.exit_code != 2);
  return {result.exit_code, Json::parse(read_file(folder.path("out/results.json")))};
}

Json run_well(const std::vector<std::string>& settings) {
  const Ran ran = run_skewed(settings);
  INFO(ran.results.value("reason", ""));
  REQUIRE(ran.exit_code == 0);
  return ran.results["metrics"];
}

}  // namespace

TEST_CASE("Swaps spread what skewed streams ask for, and cost what they move", "[takv][swap][decode]") {
  for (const char* mode : {"at", "lt"}) {
    CAPTURE(mode);
    const std::string m = std::string("mode=") + mode;
    const Json with = run_well({m}), without = run_well({m, "fabric.swaps=false"});
    REQUIRE(without["takv"]["swaps"] == 0);
    REQUIRE(without["takv"]["moved_bytes"] == 0);
    // Two of four homes share the load of a layer: twice the squares of equal loads.
    REQUIRE(without["takv"]["occupancy_spread"].get<double>() == Approx(2).epsilon(0.3));
    REQUIRE(with["takv"]["swaps"].get<int>() >= 4);
    REQUIRE(with["takv"]["occupancy_spread_before"].get<double>() > 1.5);
    REQUIRE(with["takv"]["occupancy_spread"].get<double>() < 1.2);
    REQUIRE(with["takv"]["sum_of_squares_after"] < with["takv"]["sum_of_squares_before"]);
    REQUIRE(with["takv"]["swap_cycles"].get<int>() > 0);
    // Both homes write what they get; blocks that hold nothing have nothing to move.
    REQUIRE(with["takv"]["moved_bytes"].get<double>() > 0);
    REQUIRE(with["scoreboard"]["delivered"] == without["scoreboard"]["delivered"]);
    REQUIRE(with["scoreboard"]["checksum"] == without["scoreboard"]["checksum"]);
  }
}

TEST_CASE("A swap moves the tokens of both blocks once", "[takv][swap][decode]") {
  // Two streams with 16 and 4 tokens in their two segments, of 8 heads of 32 numbers of keys and of values. A
  // full one swaps with an empty block.
  for (const char* mode : {"at", "lt"}) {
    CAPTURE(mode);
    const Json m = run_well({std::string("mode=") + mode, "workload.streams=2", "workload.steps=2",
                             "takv.swaps_per_period=1", "workload.sample.layers=[0]"});
    REQUIRE(m["takv"]["swaps"] == 1);
    REQUIRE(m["takv"]["moved_blocks"] == 2);
    REQUIRE(m["takv"]["moved_bytes"] == 16 * 8 * 32 * 2 * 2);
  }
}

TEST_CASE("Numbers follow the blocks that swap", "[takv][swap][data]") {
  for (const char* mode : {"at", "lt"}) {
    for (const char* bits : {"16", "4"}) {
      for (const char* reach : {"pool", "column"}) {
        CAPTURE(mode, bits, reach);
        const std::vector<std::string> settings{std::string("mode=") + mode, "workload.steps=5",
                                                std::string("kv_layout.bits_per_element=") + bits,
                                                std::string("memory.hbm_reach=") + reach};
        auto with_data = settings;
        with_data.push_back("data=true");
        Json with = run_well(with_data);
        const Json without = run_well(settings);
        REQUIRE(with["takv"]["swaps"].get<int>() >= 4);
        REQUIRE(with["data"]["max_error_over_bound"].get<double>() <= 1);
        with.erase("data");
        REQUIRE(with == without);
      }
    }
  }
}

TEST_CASE("Swaps of two full blocks exchange them", "[takv][swap][data]") {
  // No room but what is used: a full block of a hot row swaps with one that holds a few tokens.
  for (const char* mode : {"at", "lt"}) {
    CAPTURE(mode);
    const Json m =
        run_well({std::string("mode=") + mode, "data=true", "workload.reserved_tokens=0",
                  "workload.stream_context_tokens=[120, 17, 17, 17, 17, 17, 17, 17]", "workload.steps=4"});
    REQUIRE(m["takv"]["swaps"].get<int>() >= 1);
    REQUIRE(m["data"]["max_error_over_bound"].get<double>() <= 1);
  }
}

TEST_CASE("A block that stays behind in a swap is caught", "[takv][swap][faults]") {
  // The home of row 2 throws away what it gets; nobody appends there in these steps.
  for (const char* mode : {"at", "lt"}) {
    CAPTURE(mode);
    const Ran ran = run_skewed({std::string("mode=") + mode, "data=true", "workload.steps=2",
                                R"(faults=[{"kind": "stale_block", "at": "chip.tile_0_2.home"}])"});
    INFO(ran.results.value("reason", ""));
    REQUIRE(ran.exit_code == 3);
    REQUIRE(ran.results["outcome"] == "wrong_data");
    REQUIRE(ran.results["reason"].get<std::string>().find("chip.tile_0_2.home") != std::string::npos);
  }
}

TEST_CASE("A flit of a swapped block that is lost is caught on its link", "[takv][swap][faults]") {
  // All that is read is computed in rows 0 and 1: what crosses from row 1 to row 2 first is a block that
  // swaps.
  for (const char* mode : {"at", "lt"}) {
    CAPTURE(mode);
    const Ran ran =
        run_skewed({std::string("mode=") + mode, "workload.steps=2", "workload.sample.layers=[0]",
                    R"(faults=[{"kind": "lose_flit", "at": "chip.tile_0_1.router.port_south", "flit": 1}])"});
    const std::string reason = ran.results.value("reason", "");
    INFO(reason);
    REQUIRE(ran.exit_code == 3);
    REQUIRE(ran.results["outcome"] == "lost_data");
    // In lt a chunk is dropped whole, and missed where it should have come.
    const bool at = std::string(mode) == "at";
    REQUIRE(reason.find(at ? "swapped block of layer 0" : "swap of layer 0") != std::string::npos);
    REQUIRE(reason.find(at ? "chip.tile_0_1.router.port_south" : "chip.tile_0_2.home") != std::string::npos);
  }
}

TEST_CASE("Swaps wait for what the step before appends", "[takv][swap][data]") {
  // Memory that takes its time to write: the block that gets a token each step is the one that swaps.
  for (const char* mode : {"at", "lt"}) {
    CAPTURE(mode);
    const Json m =
        run_well({std::string("mode=") + mode, "data=true", "workload.steps=6", "workload.context_tokens=3",
                  "memory.port_outstanding=1", "controllers.barrier_cycles=1"});
    REQUIRE(m["takv"]["swaps"].get<int>() >= 2);
    REQUIRE(m["mare"]["appended_rows"] == 5 * 2 * 8 * 8);
    REQUIRE(m["data"]["max_error_over_bound"].get<double>() <= 1);
  }
}
