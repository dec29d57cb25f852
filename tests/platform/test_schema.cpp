// The JSON Schema against an independent validator: all scenarios, all negative ones, and random ones.
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <regex>
#include <set>

#include "platform/regress/scenario_files.h"
#include "platform/scenario/json_file.h"
#include "platform/scenario/schema.h"
#include "tests/platform/support.h"

using namespace meshkv::platform;
using meshkv::test::problems_of;
using meshkv::test::quoted;
using meshkv::test::run_program;
using meshkv::test::source_dir;
using meshkv::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

/// For each file the paths that the schema finds wrong; null for what is no JSON.
Json validated(const TemporaryFolder& folder, const std::vector<std::string>& files) {
  folder.write("schema.json", scenario_schema().dump());
  std::string command = "/usr/bin/python3 " + quoted(source_dir() + "/tests/platform/validate_scenarios.py") +
                        " " + quoted(folder.path("schema.json"));
  for (const std::string& file : files) command += " " + quoted(file);
  const auto run = meshkv::test::run_shell(command, source_dir());
  INFO("python3-jsonschema is one of the packages that ./vp installs\n" << run.err);
  REQUIRE(run.exit_code == 0);
  return parse_json(run.out);
}

std::vector<std::string> negative_scenarios() {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(source_dir() + "/scenarios/negative"))
    if (entry.path().extension() == ".expected")
      files.push_back(fs::path(entry.path()).replace_extension(".json").string());
  return files;
}

/// What is merged of a file and all that it extends, as a file that stands alone.
std::string merged_file(const TemporaryFolder& folder, const std::string& file) {
  const std::string name = "merged/" + std::to_string(std::hash<std::string>{}(file)) + ".json";
  return folder.write(name, load_merged(file, {}).values().dump());
}

/// What `vp check` says that a schema cannot know, and why.
const std::vector<std::pair<std::regex, const char*>>& beyond_a_schema() {
  static const std::vector<std::pair<std::regex, const char*>> reasons{
      {std::regex("^model: |heads_per_line: |a slice would have|KV heads; allowed"),
       "content of the model's file"},
      {std::regex("workload\\.packets: .*: "), "content of the replayed file"},
      {std::regex("^values\\.[a-z]+: .*: "), "content of the files of values"},
      {std::regex("extends: "), "other files"},
      {std::regex("^abstract: "), "the schema is for files that are extended, too"},
      {std::regex("segments of a sampled layer|found layer|segments a layer"),
       "layers and tokens of the model"},
      {std::regex("the KV cache needs"), "capacity: a product of many values"},
      {std::regex("hotspot_node: |multicast_fanout: "), "a product of two values, the tiles of the mesh"},
      {std::regex(
           "shared_prefix_tokens: |sample\\.segments\\.to: |min is larger than max|workload\\.channels: |"
           "memory\\.chunk_bytes: |chunk_flits: a packet|vc_depth_flits: |a KV_DATA packet|"
           "sram_banks: |sram_bytes: |packet_flits: |injection_rate: |slice_bytes: |window_bytes: "
           "|access_bytes: "),
       "two values compared or divided"},
      {std::regex("stream_context_tokens: .*workload\\.streams"), "the length of a list against a number"},
      {std::regex("no metric of this run"), "which metrics there are follows from the whole scenario"},
      {std::regex("duplicate key"), "a parser sees one of them"},
      {std::regex("number overflow"), "a parser makes it infinite, which is out of range: the path differs"},
      {std::regex("^takv\\.a: .*coprime"), "the height may be in a file that is extended"},
      {std::regex("^takv\\.swaps_by: .*(fabric\\.|controllers\\.kind)"),
       "what fabric there is follows from presets, and the file may be extended"}};
  return reasons;
}

bool is_beyond(const std::string& problem) {
  for (const auto& [pattern, reason] : beyond_a_schema())
    if (std::regex_search(problem, pattern)) return true;
  return false;
}

/// "FILE: PATH: text" without the file.
std::string without_file(const std::string& line, const std::string& file) {
  const std::size_t at = line.find(file + ": ");
  return at == std::string::npos ? line : line.substr(at + file.size() + 2);
}

}  // namespace

TEST_CASE("The schema accepts every scenario of the project, as written and merged", "[platform][schema]") {
  TemporaryFolder folder;
  const FoundScenarios found = find_scenarios({source_dir() + "/scenarios"}, {});
  std::vector<std::string> files = found.abstract;
  for (const std::string& file : found.files) {
    if (file.find("/negative/") != std::string::npos) continue;
    files.push_back(file);
    files.push_back(merged_file(folder, file));
  }
  REQUIRE(files.size() > 40);
  const Json verdicts = validated(folder, files);
  for (const std::string& file : files) {
    CAPTURE(file);
    REQUIRE(verdicts.at(file).dump() == "[]");
  }
}

TEST_CASE("The schema refuses each negative scenario where check does, but for listed reasons",
          "[platform][schema]") {
  TemporaryFolder folder;
  std::map<std::string, std::string> merged;  // by original
  std::vector<std::string> files;
  for (const std::string& file : negative_scenarios()) {
    files.push_back(file);
    try {
      merged[file] = merged_file(folder, file);
      files.push_back(merged[file]);
    } catch (const InputError&) {
    }
  }
  const Json verdicts = validated(folder, files);
  int refused = 0, beyond = 0;
  for (const std::string& file : negative_scenarios()) {
    CAPTURE(file);
    const Json& as_written = verdicts.at(file);
    if (as_written.is_null()) {  // no JSON: neither the validator nor we can read it
      REQUIRE_FALSE(problems_of(file).empty());
      ++refused;
      continue;
    }
    auto found = as_written.get<std::vector<std::string>>();
    std::set<std::string> paths(found.begin(), found.end());
    if (merged.count(file)) {
      found = verdicts.at(merged[file]).get<std::vector<std::string>>();
      paths.insert(found.begin(), found.end());
    }
    for (const std::string& line : problems_of(file)) {
      const std::string problem = without_file(line, file);
      const std::string path = problem.substr(0, problem.find(": "));
      CAPTURE(problem, paths);
      if (paths.count(problem.rfind("found ", 0) == 0 ? "" : path) == 1) {
        ++refused;
        continue;
      }
      REQUIRE(is_beyond(problem));
      ++beyond;
    }
  }
  REQUIRE(refused >= 18);
  REQUIRE(beyond >= 10);  // else the list of reasons is longer than it need be
}

namespace {

/// Scenarios near the edge of what is allowed.
class RandomScenarios {
 public:
  explicit RandomScenarios(unsigned seed) : random_(seed) {}

  Json make() {
    Json scenario = Json::object();
    if (below(4) != 0) scenario["model"] = meshkv::test::llama_path();
    const char* kinds[] = {"decode", "synthetic", "memory"};
    if (below(3) != 0) set(scenario, "workload.kind", kinds[below(3)]);
    const auto& table = parameters();
    for (std::size_t i = 0, n = 1 + below(6); i < n; ++i) {
      const Parameter& p = table[below(table.size())];
      if (p.path == "extends" || p.path == "model" || p.type == ParameterType::kChecks) continue;
      set(scenario, p.path, value_of(p));
    }
    return scenario;
  }

 private:
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

  Json value_of(const Parameter& p) {
    static const std::vector<Json> odd{nullptr, true, 0, -1, 7, 1.5, "x", "", Json::array(), Json::object()};
    if (below(8) == 0) return odd[below(odd.size())];
    if (!p.choices.empty()) return p.choices[below(p.choices.size())].value;
    switch (p.type) {
      case ParameterType::kBoolean:
        return below(2) == 0;
      case ParameterType::kInteger:
        return number(p);
      case ParameterType::kReal:
        return static_cast<double>(number(p));
      case ParameterType::kIntegerList:
        return Json::array({below(3), 3 + below(40)});
      case ParameterType::kPresetList:
        return Json::array({"cent", "meshkv"});
      case ParameterType::kMode:
        return below(2) == 0 ? Json("lt") : Json::parse(R"([{"mode": "lt", "layers": 1}, {"mode": "at"}])");
      default:
        return "a";
    }
  }

  std::int64_t number(const Parameter& p) {
    const auto low = static_cast<std::int64_t>(p.minimum), high = static_cast<std::int64_t>(p.maximum);
    const std::int64_t some[] = {low, high, low - 1, high + 1, 2, 3, 4, 6, 8, 9, 16, 64, 512, 4096};
    return some[below(std::size(some))];
  }

  static void set(Json& scenario, const std::string& path, const Json& value) {
    Json* at = &scenario;
    std::stringstream parts(path);
    for (std::string key; std::getline(parts, key, '.');) {
      if (!at->is_object()) *at = Json::object();
      at = &(*at)[key];
    }
    *at = value;
  }

  std::mt19937 random_;
};

void compare_verdicts(unsigned seed, int count) {
  TemporaryFolder folder;
  RandomScenarios scenarios(seed);
  std::vector<std::string> files;
  for (int i = 0; i < count; ++i)
    files.push_back(folder.write("s" + std::to_string(i) + ".json", scenarios.make().dump()));
  const Json verdicts = validated(folder, files);
  int valid = 0;
  for (const std::string& file : files) {
    const auto problems = problems_of(file);
    const Json& paths = verdicts.at(file);
    CAPTURE(meshkv::test::read_file(file), problems, paths.dump());
    if (problems.empty()) {
      ++valid;
      REQUIRE(paths.empty());  // an editor that complains about what runs is worse than none
    } else if (paths.empty()) {
      for (const std::string& problem : problems) REQUIRE(is_beyond(without_file(problem, file)));
    }
  }
  REQUIRE(valid > count / 20);
}

}  // namespace

TEST_CASE("Schema and check agree on random scenarios", "[platform][schema]") {
  compare_verdicts(1, 60);
}

TEST_CASE("Schema and check agree on many random scenarios", "[platform][schema][.long]") {
  for (unsigned seed = 2; seed < 22; ++seed) compare_verdicts(seed, 300);
}

TEST_CASE("The schema knows each parameter, and what an editor shows", "[platform][schema]") {
  const Json schema = parse_json(run_program({"params", "--json-schema"}).out);
  for (const Parameter& p : parameters()) {
    CAPTURE(p.path);
    const Json* at = &schema;
    std::stringstream path(p.path);
    for (std::string key; std::getline(path, key, '.');) at = &at->at("properties").at(key);
    REQUIRE(at->contains("description"));
  }
}
