// Whatever a scenario or a model file holds, loading it ends in a valid scenario or in an InputError.
#include <catch2/catch.hpp>
#include <iostream>
#include <random>

#include "platform/run/run_report.h"
#include "platform/scenario/json_file.h"
#include "tests/platform/support.h"
#include "tests/support/paths.h"

using namespace meshkv;
using namespace meshkv::platform;

namespace {

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

  /// A value of any kind, biased to what breaks things.
  Json value() {
    static const std::vector<Json> pool{nullptr,
                                        true,
                                        false,
                                        0,
                                        1,
                                        2,
                                        3,
                                        7,
                                        8,
                                        31,
                                        32,
                                        33,
                                        64,
                                        4096,
                                        -1,
                                        -8,
                                        1e9,
                                        1e18,
                                        9007199254740993LL,
                                        18446744073709551615ULL,
                                        -9223372036854775807LL,
                                        0.5,
                                        1.5,
                                        -0.0,
                                        1e308,
                                        5e-324,
                                        "",
                                        "x",
                                        "cent",
                                        "takv",
                                        "lt",
                                        "decode",
                                        "synthetic",
                                        "memory",
                                        "replay",
                                        "ignore",
                                        "../x",
                                        "/",
                                        "\u00e9\n\t",
                                        Json::array(),
                                        Json::object(),
                                        Json::array({0, 1}),
                                        Json::array({"cent", "meshkv"}),
                                        Json::array({nullptr}),
                                        Json{{"a", 1}}};
    return pool[below(pool.size())];
  }

  /// A declared key with some value, or an invented one, somewhere in the scenario.
  void change(Json& scenario) {
    const auto& table = parameters();
    std::string path = below(10) == 0 ? "mesh.x.y" : table[below(table.size())].path;
    if (path == "extends") path = "name";
    Json* at = &scenario;
    for (std::size_t begin = 0; begin <= path.size();) {
      const std::size_t end = std::min(path.find('.', begin), path.size());
      if (!at->is_object()) *at = Json::object();
      at = &(*at)[path.substr(begin, end - begin)];
      begin = end + 1;
    }
    *at = value();
  }

  void damage(std::string& bytes) {
    for (std::size_t n = 1 + below(4); n > 0 && !bytes.empty(); --n) {
      const std::size_t at = below(bytes.size());
      switch (below(4)) {
        case 0:
          bytes[at] = static_cast<char>(below(256));
          break;
        case 1:
          bytes.erase(at, 1 + below(8));
          break;
        case 2:
          bytes.insert(at, bytes.substr(below(bytes.size()), below(16)));
          break;
        default:
          bytes.resize(at);
          break;
      }
    }
  }

 private:
  std::mt19937_64 random_;
};

/// A new file each time: truncating an old one makes some file systems wait for the disk.
void write_new(const std::string& file, const std::string& bytes) {
  std::filesystem::remove(file);
  std::ofstream(file, std::ios::binary) << bytes;
}

/// 0 valid, 2 refused; anything else throws out of here and fails the test.
int load(const std::string& file) {
  try {
    const Scenario s = load_scenario(file, {});
    resolved_parameters(s.config).dump();
    for (const std::string& preset : s.compare) s.config_for(preset);
    standing_warnings(s.config);
    return 0;
  } catch (const InputError& e) {
    for (const Problem& p : e.problems())
      if (p.text.empty() || p.where.empty())
        throw std::logic_error("a problem without place or text: " + p.line());
    return 2;
  }
}

void fuzz(const std::string& name, std::uint64_t rounds,
          const std::function<void(Mutator&, const std::string&)>& write) {
  test::TemporaryFolder folder;
  int valid = 0, refused = 0;
  const std::string file = folder.path(name);
  for (std::uint64_t seed = 1; seed <= rounds; ++seed) {
    Mutator mutator(seed);
    write(mutator, file);
    CAPTURE(seed, test::read_file(file));
    int code = -1;
    REQUIRE_NOTHROW(code = load(file));
    (code == 0 ? valid : refused) += 1;
  }
  CAPTURE(valid, refused);
  REQUIRE(refused > 0);
  REQUIRE(valid > 0);
}

Json base_scenario(std::size_t kind) {
  if (kind == 1) return Json{{"workload", {{"kind", "synthetic"}}}};
  if (kind == 2) return Json{{"workload", {{"kind", "memory"}}}};
  return Json{{"model", test::llama_path()}, {"workload", {{"context_tokens", 8192}}}};
}

}  // namespace

TEST_CASE("Random values for random keys never crash the loader", "[platform][fuzz]") {
  fuzz("s.json", 4000, [](Mutator& m, const std::string& file) {
    Json scenario = base_scenario(m.below(3));
    for (std::size_t n = 1 + m.below(3); n > 0; --n) m.change(scenario);
    write_new(file, scenario.dump());
  });
}

TEST_CASE("Damaged scenario files never crash the loader", "[platform][fuzz]") {
  Json whole = parse_json(test::read_file(test::source_dir() + "/scenarios/base/paper.json"));
  whole["model"] = test::llama_path();
  whole.erase("abstract");
  const std::string good = whole.dump(1);
  fuzz("s.json", 3000, [&](Mutator& m, const std::string& file) {
    std::string bytes = good;
    if (m.below(20) > 0) m.damage(bytes);
    write_new(file, bytes);
  });
}

TEST_CASE("Damaged and odd model files never crash the loader", "[platform][fuzz]") {
  const std::string good = test::read_file(test::source_dir() + "/scenarios/models/mistral-7b-v0.1.json");
  test::TemporaryFolder models;
  const std::string model = models.path("m.json");
  fuzz("s.json", 3000, [&](Mutator& m, const std::string& file) {
    std::string bytes = good;
    if (m.below(2) == 0) {
      Json config = parse_json(good);
      static const std::vector<std::string> keys{"num_hidden_layers",
                                                 "num_attention_heads",
                                                 "num_key_value_heads",
                                                 "hidden_size",
                                                 "head_dim",
                                                 "sliding_window",
                                                 "model_type",
                                                 "layer_types",
                                                 "attention_types",
                                                 "text_config",
                                                 "attn_config",
                                                 "use_sliding_window",
                                                 "sliding_window_pattern",
                                                 "max_window_layers",
                                                 "architectures"};
      config[keys[m.below(keys.size())]] = m.value();
      bytes = config.dump();
    } else if (m.below(20) > 0) {
      m.damage(bytes);
    }
    write_new(model, bytes);
    write_new(file, Json{{"model", model}, {"workload", {{"context_tokens", 2048}}}}.dump());
  });
}

TEST_CASE("The program itself ends with 0 or 2 on damaged files", "[platform][fuzz]") {
  test::TemporaryFolder folder;
  const std::string file = folder.path("s.json");
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Mutator m(seed);
    std::string bytes = base_scenario(m.below(3)).dump(1);
    if (seed > 3) m.damage(bytes);
    write_new(file, bytes);
    CAPTURE(seed, bytes);
    const test::ProgramResult result = test::run_program({"check", file});
    REQUIRE((result.exit_code == 0 || result.exit_code == 2));
    REQUIRE(result.err.empty() == (result.exit_code == 0));
  }
}
