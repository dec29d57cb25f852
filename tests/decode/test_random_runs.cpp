// Random chips, models, mappings and loads, in both modes: nothing is lost or doubled, both modes deliver the
// same payloads to the same tiles, and where no arrival time decides the flit-hops are equal too. The seed is
// printed.
#include <catch2/catch.hpp>
#include <random>

#include "tests/platform/support.h"

using namespace meshkv;
using namespace meshkv::test;
using platform::Json;

namespace {

class RandomScenario {
 public:
  explicit RandomScenario(unsigned seed) : random_(seed) {}

  template <typename T>
  T pick(std::initializer_list<T> values) {
    return *(values.begin() + static_cast<std::ptrdiff_t>(random_() % values.size()));
  }

  Json model() {
    kv_heads_ = pick({1, 2, 4, 8, 16});
    const int heads = kv_heads_ * pick({1, 2, 4});
    const int head_dim = pick({32, 64, 128});
    Json m{{"model_type", "mistral"},
           {"architectures", {"MistralForCausalLM"}},
           {"num_hidden_layers", pick({1, 2, 5})},
           {"num_attention_heads", heads},
           {"num_key_value_heads", kv_heads_},
           {"head_dim", head_dim},
           {"hidden_size", heads * head_dim}};
    if (pick({0, 1}) == 1) m["sliding_window"] = pick({100, 256});
    return m;
  }

  Json scenario() {
    const int segment = pick({16, 32, 64});
    const int tokens = pick({1, segment - 1, 3 * segment, 7 * segment + 5});
    Json s{{"model", "model.json"}, {"preset", pick({"cent", "shared", "takv_only", "meshkv", "meshkv"})}};
    s["mesh"] = {{"width", pick({2, 3, 4, 5, 8})}, {"height", pick({2, 3, 4, 5, 8})}};
    s["workload"] = {{"context_tokens", tokens},
                     {"streams", pick({1, 1, 2, 4})},
                     {"shared_prefix_tokens", pick({0, tokens / 2, tokens})},
                     {"steps", pick({1, 1, 2})}};
    s["kv_layout"] = {{"segment_tokens", segment},
                      {"heads_per_line", std::min(kv_heads_, pick({1, 2, 4}))},
                      {"bits_per_element", pick({16, 8, 4})}};
    s["mapping"] = {{"policy", pick({"half_copies", "column_split", "head_per_tile", "layer_following"})}};
    s["mare"] = {{"coalescing_cycles", pick({0, 1, 12, 48})},
                 {"service", pick({"auto", "round_robin", "block_order", "fifo"})}};
    s["cent"] = {{"ports", pick({"corner", "corners", "edge", "centre"})}, {"flits_per_cycle", pick({1, 2})}};
    s["controllers"] = {{"max_lead_segments", pick({1, 3, 8})}};
    s["noc"] = {{"profile", pick({"fpga", "fpga", "b1", "b2"})},
                {"vcs_per_vn", pick({2, 3})},
                {"vc_depth_flits", pick({4, 8, 16})},
                {"multicast_allocation", pick({"independent", "cut_through"})}};
    s["pad"] = {{"outstanding_per_tile", pick({1, 2, 3})}, {"macs_per_cycle", pick({10, 90, 1000})}};
    s["fabric"] = {{"pad", pick({true, true, false})}};
    return s;
  }

 private:
  std::mt19937 random_;
  int kv_heads_ = 1;
};

Json run_mode(const TemporaryFolder& folder, const char* mode) {
  const auto result = run_program(
      {"run", folder.path("scenario.json"), "--mode", mode, "--quiet", "--out", folder.path(mode)});
  INFO(mode << ": " << result.err << result.out);
  REQUIRE(result.exit_code == 0);
  return Json::parse(read_file(folder.path(std::string(mode) + "/results.json")));
}

void run_random(unsigned seed) {
  RandomScenario random(seed);
  TemporaryFolder folder;
  folder.write("model.json", random.model().dump());
  const Json scenario = random.scenario();
  folder.write("scenario.json", scenario.dump());
  INFO("seed " << seed << ": " << scenario.dump() << read_file(folder.path("model.json")));
  const Json at = run_mode(folder, "at")["metrics"], lt = run_mode(folder, "lt")["metrics"];
  for (const char* key : {"lost", "duplicated", "misdelivered"}) {
    REQUIRE(at["scoreboard"][key] == 0);
    REQUIRE(lt["scoreboard"][key] == 0);
  }
  REQUIRE(at["scoreboard"]["requested"] == at["scoreboard"]["delivered"]);
  REQUIRE(at["scoreboard"]["delivered"] == lt["scoreboard"]["delivered"]);
  REQUIRE(at["scoreboard"]["checksum"] == lt["scoreboard"]["checksum"]);
  if (scenario["preset"] != "meshkv") REQUIRE(at["noc"]["traffic"] == lt["noc"]["traffic"]);
}

}  // namespace

TEST_CASE("Random runs keep every payload, in both modes", "[decode][random]") {
  for (unsigned seed = 1; seed <= 12; ++seed) run_random(seed);
}

TEST_CASE("Three hundred random runs keep every payload, in both modes", "[.long][decode][random]") {
  for (unsigned seed = 1000; seed < 1300; ++seed) run_random(seed);
}
