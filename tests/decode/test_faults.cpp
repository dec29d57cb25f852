// A broken fabric is caught, and the message says whose data, and where it first went wrong.
#include <catch2/catch.hpp>

#include "tests/platform/support.h"

using namespace meshkv;
using namespace meshkv::test;
using platform::Json;

namespace {

// 4x4 mesh, half_copies: KV heads 2g and 2g+1 share a line and sit at (g, 0) and (g, 1), or two rows further
// down. One layer; home(0, s) = (0, s mod 4).
constexpr const char* kModel =
    R"({"model_type": "llama", "architectures": ["LlamaForCausalLM"], "num_hidden_layers": 1,
        "num_attention_heads": 8, "num_key_value_heads": 8, "head_dim": 32, "hidden_size": 256})";
constexpr const char* kScenario =
    R"({"model": "model.json", "mesh": {"width": 4, "height": 4}, "takv": {"a": 5},
        "workload": {"context_tokens": 16}, "kv_layout": {"segment_tokens": 16}})";

struct Caught {
  std::string outcome, reason;
};

Caught run_broken(const std::string& fault, const std::vector<std::string>& settings) {
  TemporaryFolder folder;
  folder.write("model.json", kModel);
  folder.write("scenario.json", kScenario);
  std::vector<std::string> arguments{
      "run",   folder.path("scenario.json"), "--quiet", "--out", folder.path("out"),
      "--set", "faults=[" + fault + "]"};
  for (const std::string& s : settings) arguments.insert(arguments.end(), {"--set", s});
  const auto result = run_program(arguments);
  INFO(result.err);
  REQUIRE(result.exit_code == 3);
  const Json json = Json::parse(read_file(folder.path("out/results.json")));
  return {json["outcome"], json["reason"]};
}

void require_named(const Caught& caught, const std::string& outcome, const std::vector<std::string>& words) {
  INFO(caught.outcome << ": " << caught.reason);
  REQUIRE(caught.outcome == outcome);
  for (const std::string& word : words) {
    INFO(word);
    REQUIRE(caught.reason.find(word) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("A lost flit is caught at the end of its link", "[faults]") {
  for (const char* preset : {"takv_only", "meshkv"}) {
    for (const char* mode : {"at", "lt"}) {
      for (const char* flit : {"0", "3", "7"}) {
        for (const char* data : {"true", "false"}) {
          CAPTURE(preset, mode, flit, data);
          const auto caught = run_broken(
              std::string(R"({"kind": "lose_flit", "at": "chip.tile_2_0.router.port_east", "flit": )") +
                  flit + "}",
              {std::string("preset=") + preset, std::string("mode=") + mode, std::string("data=") + data});
          // Only heads 6 and 7 lie behind (2, 0) eastwards.
          require_named(caught, "lost_data",
                        {"segment 0", "KV head", "first wrong hop: chip.tile_2_0.router.port_east"});
        }
      }
    }
  }
}

TEST_CASE("A payload to the wrong tile is caught at the first hop that leaves its way", "[faults]") {
  for (const char* mode : {"at", "lt"}) {
    CAPTURE(mode);
    const auto caught =
        run_broken(R"({"kind": "misroute", "at": "chip.tile_2_0.router.port_east", "to": "chip.tile_3_3"})",
                   {"preset=meshkv", std::string("mode=") + mode});
    // From (3, 0) the way to (3, 1) is the right one still; from there nobody wants it further south.
    require_named(
        caught, "lost_data",
        {"misrouted", "segment 0", "KV heads 6, 7", "first wrong hop: chip.tile_3_1.router.port_south"});
  }
}

TEST_CASE("A payload on the wrong way at once is caught at once", "[faults]") {
  const auto caught = run_broken(
      R"({"kind": "misroute", "at": "chip.tile_0_0.network_interface", "to": "chip.tile_0_3", "packet": 5})",
      {"preset=takv_only"});
  require_named(caught, "lost_data", {"misrouted", "segment 0", "KV head", "first wrong hop: chip.tile_0_"});
}

TEST_CASE("A suppressed first arrival is caught, and the router that dropped it is named", "[faults]") {
  for (const char* data : {"true", "false"}) {
    const auto caught = run_broken(R"({"kind": "suppress_first", "at": "chip.tile_2_0.router"})",
                                   {"preset=meshkv", std::string("data=") + data});
    require_named(caught, "lost_data", {"segment 0", "KV head", "first wrong hop: chip.tile_2_0.router"});
  }
}

TEST_CASE("A stale block is caught where it is read", "[faults]") {
  for (const char* mode : {"at", "lt"}) {
    for (const char* bits : {"16", "4"}) {
      CAPTURE(mode, bits);
      const auto caught =
          run_broken(R"({"kind": "stale_block", "at": "chip.tile_0_1.home"})",
                     {"data=true", "workload.steps=2", "workload.context_tokens=20",
                      std::string("mode=") + mode, std::string("kv_layout.bits_per_element=") + bits});
      require_named(caught, "wrong_data",
                    {"step 1", "segment 1", "KV head", "stale: what it was in step 0",
                     "first wrong hop: chip.tile_0_1.home"});
    }
  }
}

TEST_CASE("Faults that cannot be are refused", "[faults]") {
  TemporaryFolder folder;
  folder.write("model.json", kModel);
  const std::string file = folder.write("scenario.json", kScenario);
  const auto refused = [&](const std::string& fault, const std::string& text) {
    const auto lines = problems_of(file, {"faults=[" + fault + "]"});
    CAPTURE(fault, lines);
    REQUIRE(lines.size() == 1);
    REQUIRE(lines[0].find(text) != std::string::npos);
  };
  refused(R"({"kind": "lose_flits", "at": "chip"})",
          "faults[0].kind: found \"lose_flits\"; allowed: \"lose_flit\"");
  refused(R"({"kind": "lose_flit", "at": "chip.tile_3_0.router.port_east"})", "faults[0].at: found");
  refused(R"({"kind": "lose_flit", "at": "chip.tile_4_0.router.port_west"})", "faults[0].at: found");
  refused(R"({"kind": "misroute", "at": "chip.tile_1_0.router.port_west"})", "faults[0].to: found null");
  refused(R"({"kind": "stale_block", "at": "chip.tile_0_1.home"})", "needs workload.steps of 2 or more");
  refused(R"({"kind": "suppress_first", "at": "chip.tile_0_1.router", "flit": 1})",
          "belongs to kind \"lose_flit\"");
  refused(R"({"kind": "lose_flit", "at": "chip.tile_0_1.router.port_east", "flitt": 1})",
          "did you mean flit?");
}
