// Chips whose flits carry numbers, as a user runs them.
#include <catch2/catch.hpp>
#include <random>

#include "tests/platform/support.h"

using namespace meshkv;
using namespace meshkv::test;
using platform::Json;

namespace {

class RandomAttention {
 public:
  explicit RandomAttention(unsigned seed) : random_(seed) {}

  template <typename T>
  T pick(std::initializer_list<T> values) {
    return *(values.begin() + static_cast<std::ptrdiff_t>(random_() % values.size()));
  }

  Json model() {
    kv_heads_ = pick({1, 2, 4, 6, 8});
    const int heads = kv_heads_ * pick({1, 1, 2, 4}), head_dim = pick({16, 32, 64, 80});
    layers_ = pick({1, 2, 3});
    Json m{{"model_type", "mistral"},          {"architectures", {"MistralForCausalLM"}},
           {"num_hidden_layers", layers_},     {"num_attention_heads", heads},
           {"num_key_value_heads", kv_heads_}, {"head_dim", head_dim},
           {"hidden_size", heads * head_dim}};
    if (pick({0, 1}) == 1) m["sliding_window"] = pick({7, 40, 100});
    return m;
  }

  Json scenario() {
    const int segment = pick({8, 16, 32}), streams = pick({1, 1, 2, 3});
    std::vector<int> tokens;
    for (int b = 0; b < streams; ++b) tokens.push_back(pick({1, segment - 1, 3 * segment, 5 * segment + 3}));
    const int shortest = *std::min_element(tokens.begin(), tokens.end());
    const int bits = pick({16, 16, 8, 4, 2});
    Json s{{"model", "model.json"}, {"data", true}, {"seed", random_() % 1000}};
    s["mesh"] = {{"width", pick({2, 3, 4, 6})}, {"height", pick({2, 3, 4, 6})}};
    s["workload"] = {{"stream_context_tokens", tokens},
                     {"streams", streams},
                     {"shared_prefix_tokens", pick({0, shortest / 2, shortest})},
                     {"steps", pick({1, 1, 2, 4})}};
    s["kv_layout"] = {{"segment_tokens", segment},
                      {"heads_per_line", kv_heads_ % 2 == 0 ? pick({1, 2}) : 1},
                      {"bits_per_element", bits},
                      {"format", bits == 16 ? pick({"fp16", "bf16"}) : "fp16"}};
    s["mapping"] = {{"policy", pick({"half_copies", "column_split", "head_per_tile", "layer_following"})}};
    s["mare"] = {{"coalescing_cycles", pick({0, 1, 12})},
                 {"service", pick({"auto", "round_robin", "block_order", "fifo"})}};
    s["noc"] = {{"profile", pick({"fpga", "b1"})},
                {"vc_depth_flits", pick({4, 8})},
                {"multicast_allocation", pick({"independent", "cut_through"})}};
    s["memory"] = {{"interleave", pick({"4KiB", "128B", "block"})},
                   {"hbm_bytes", pick({0x10000000, 0x1000000})}};
    s["pad"] = {{"outstanding_per_tile", pick({1, 2, 3})}, {"outstanding_per_stream", pick({1, 2})}};
    s["fabric"] = {{"pad", pick({true, true, false})}, {"duplicate_suppression", pick({true, true, false})}};
    return s;
  }

 private:
  std::mt19937 random_;
  int kv_heads_ = 1, layers_ = 1;
};

Json run_scenario(const TemporaryFolder& folder, const std::vector<std::string>& settings,
                  const std::string& out = "out") {
  std::vector<std::string> arguments{"run", folder.path("scenario.json"), "--quiet", "--out",
                                     folder.path(out)};
  for (const std::string& s : settings) arguments.insert(arguments.end(), {"--set", s});
  const auto result = run_program(arguments);
  Json json = Json::parse(read_file(folder.path(out + "/results.json")));
  INFO(result.err << result.out << json.value("reason", ""));
  REQUIRE(result.exit_code == 0);
  return json["metrics"];
}

/// Equal orders of arrival, equal bits.
void require_same_where_order_is(const Json& a, const Json& b) {
  REQUIRE(a["heads"].size() == b["heads"].size());
  for (std::size_t i = 0; i < a["heads"].size(); ++i)
    if (a["heads"][i]["order"] == b["heads"][i]["order"])
      REQUIRE(a["heads"][i]["bits"] == b["heads"][i]["bits"]);
}

void run_random(unsigned seed) {
  RandomAttention random(seed);
  TemporaryFolder folder;
  folder.write("model.json", random.model().dump());
  const Json scenario = random.scenario();
  folder.write("scenario.json", scenario.dump());
  INFO("seed " << seed << ": " << scenario.dump() << read_file(folder.path("model.json")));
  const std::string one = random.pick({"cent", "shared", "takv_only", "meshkv", "meshkv"});
  const std::string other = random.pick({"cent", "shared", "takv_only", "meshkv"});
  const Json runs[] = {run_scenario(folder, {"preset=" + one, "mode=at"})["data"],
                       run_scenario(folder, {"preset=" + one, "mode=lt"})["data"],
                       run_scenario(folder, {"preset=" + other, "mode=at"})["data"]};
  for (const Json& run : runs) {
    REQUIRE(run["max_error_over_bound"].get<double>() <= 1);
    REQUIRE(run["max_abs_error"].get<double>() <= run["bound"].get<double>());
    require_same_where_order_is(runs[0], run);
  }
}

void write_small(const TemporaryFolder& folder) {
  folder.write("model.json",
               R"({"model_type": "llama", "architectures": ["LlamaForCausalLM"], "num_hidden_layers": 2,
                   "num_attention_heads": 8, "num_key_value_heads": 8, "head_dim": 64, "hidden_size": 512})");
  folder.write("scenario.json",
               R"({"model": "model.json", "data": true, "mesh": {"width": 4, "height": 4},
                   "workload": {"context_tokens": 200, "steps": 2}, "kv_layout": {"segment_tokens": 32}})");
}

/// Everything but the figures of the numbers.
Json without_data(Json metrics) {
  metrics.erase("data");
  return metrics;
}

}  // namespace

TEST_CASE("Random attention is within its bound in both modes, part 1", "[data][random]") {
  for (unsigned seed = 1; seed <= 10; ++seed) run_random(seed);
}
TEST_CASE("Random attention is within its bound in both modes, part 2", "[data][random]") {
  for (unsigned seed = 11; seed <= 20; ++seed) run_random(seed);
}
TEST_CASE("Random attention is within its bound in both modes, part 3", "[data][random]") {
  for (unsigned seed = 21; seed <= 30; ++seed) run_random(seed);
}
TEST_CASE("Three hundred random attentions are within their bounds", "[.long][data][random]") {
  for (unsigned seed = 1000; seed < 1300; ++seed) run_random(seed);
}

TEST_CASE("Numbers change no cycle and no counter", "[data]") {
  TemporaryFolder folder;
  write_small(folder);
  for (const char* mode : {"at", "lt"}) {
    for (const char* preset : {"cent", "meshkv"}) {
      for (const char* bits : {"16", "4"}) {
        const std::vector<std::string> settings{std::string("mode=") + mode, std::string("preset=") + preset,
                                                std::string("kv_layout.bits_per_element=") + bits};
        auto off = settings;
        off.push_back("data=false");
        CAPTURE(mode, preset, bits);
        const Json with = run_scenario(folder, settings), without = run_scenario(folder, off);
        REQUIRE(with.contains("data"));
        REQUIRE_FALSE(without.contains("data"));
        REQUIRE(without_data(with) == without);
      }
    }
  }
}

TEST_CASE("Both modes and all presets give the same bits where segments come in the same order", "[data]") {
  TemporaryFolder folder;
  write_small(folder);
  Json first;
  int same = 0;
  for (const char* mode : {"at", "lt"}) {
    for (const char* preset : {"cent", "shared", "takv_only", "meshkv"}) {
      const Json data =
          run_scenario(folder, {std::string("mode=") + mode, std::string("preset=") + preset})["data"];
      if (first.is_null()) first = data;
      require_same_where_order_is(first, data);
      for (std::size_t i = 0; i < data["heads"].size(); ++i)
        same += data["heads"][i]["bits"] == first["heads"][i]["bits"] ? 1 : 0;
    }
  }
  REQUIRE(same > 8);  // others than the first run with itself: the comparison is not empty
}

TEST_CASE("Fewer bits, fewer flits, larger errors", "[data]") {
  TemporaryFolder folder;
  write_small(folder);
  double traffic = 1e18, error = 0;
  for (const char* bits : {"16", "8", "4", "2"}) {
    const Json m = run_scenario(folder, {std::string("kv_layout.bits_per_element=") + bits, "mode=lt"});
    REQUIRE(m["noc"]["traffic"].get<double>() < traffic);
    REQUIRE(m["data"]["mean_format_error"].get<double>() > error);
    traffic = m["noc"]["traffic"].get<double>();
    error = m["data"]["mean_format_error"].get<double>();
  }
}

TEST_CASE("The keys and values of each step's token are written, and counted", "[data][steps]") {
  TemporaryFolder folder;
  write_small(folder);
  const Json one = run_scenario(folder, {"workload.steps=1"}),
             three = run_scenario(folder, {"workload.steps=3"});
  REQUIRE(one["mare"]["appended_rows"] == 0);
  // Two steps, two layers, eight heads; 64 elements of keys and of values in 16 bits.
  REQUIRE(three["mare"]["appended_rows"] == 2 * 2 * 8);
  REQUIRE(three["mare"]["appended_bytes"] == 2 * 2 * 8 * 2 * 64 * 2);
}
