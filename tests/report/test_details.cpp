// details.json: what it counts is what the metrics count, and keeping it changes nothing.
#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

#include "models/common/log_histogram.h"
#include "platform/run/details.h"
#include "tests/decode/decode_fixture.h"
#include "tests/platform/support.h"

using namespace meshkv;
using namespace meshkv::test;
using platform::Json;

namespace {

std::uint64_t sum_of(const Json& links, const char* kind, const std::vector<std::string>& ports) {
  std::uint64_t sum = 0;
  for (const Json& slice : links[kind]) {
    REQUIRE((slice.empty() || slice.size() == links["links"].size()));
    for (std::size_t i = 0; i < slice.size(); ++i) {
      const std::string name = links["links"][i].get<std::string>();
      const std::string port = name.substr(name.find('.') + 1);
      if (std::find(ports.begin(), ports.end(), port) != ports.end()) sum += slice[i].get<std::uint64_t>();
    }
  }
  return sum;
}

void require_links_add_up(const Json& links, const Json& noc) {
  const struct {
    const char* metric;
    std::vector<std::string> ports;
  } groups[] = {{"links", {"east", "west", "south", "north"}},
                {"injection", {"injection", "injection_1"}},
                {"ejection", {"tile"}}};
  for (const auto& group : groups) {
    CAPTURE(group.metric);
    REQUIRE(sum_of(links, "useful", group.ports) == noc[group.metric]["kv_data_useful"]);
    REQUIRE(sum_of(links, "duplicate", group.ports) == noc[group.metric]["kv_data_duplicate"]);
    REQUIRE(sum_of(links, "control", group.ports) == noc[group.metric]["control"]);
    REQUIRE(sum_of(links, "back_pressure", group.ports) == noc[group.metric]["back_pressure_cycles"]);
  }
}

platform::RunConfig recorded(const char* preset, TimingMode mode, int slices) {
  platform::RunConfig config = hand_case(preset, mode, 24);
  config.record.slices = slices;
  config.record.tiles = "tile_*";
  return config;
}

void require_slices(const Json& links, std::uint64_t cycles, std::size_t most) {
  const auto ends = links["slice_ends"].get<std::vector<std::uint64_t>>();
  REQUIRE((ends.size() >= 1 && ends.size() <= most));
  REQUIRE(ends.back() == cycles);
  REQUIRE(std::is_sorted(ends.begin(), ends.end(), std::less_equal<>()));
  for (const char* kind : {"useful", "duplicate", "control", "back_pressure"})
    REQUIRE(links[kind].size() == ends.size());
}

}  // namespace

TEST_CASE("The links' slices add up to the metrics (at, meshkv)", "[report]") {
  const platform::SimulationResult r = run(recorded("meshkv", TimingMode::kAt, 8));
  require_slices(r.details["links"], r.cycles, 8);
  REQUIRE(r.details["links"]["slice_ends"].size() >= 4);
  require_links_add_up(r.details["links"], r.metrics["noc"]);
}

TEST_CASE("The links' slices add up to the metrics (at, cent)", "[report]") {
  const platform::SimulationResult r = run(recorded("cent", TimingMode::kAt, 64));
  require_slices(r.details["links"], r.cycles, 64);
  require_links_add_up(r.details["links"], r.metrics["noc"]);
}

TEST_CASE("The links' slices add up to the metrics (lt)", "[report]") {
  const platform::SimulationResult r = run(recorded("meshkv", TimingMode::kLt, 2));
  require_slices(r.details["links"], r.cycles, 2);
  require_links_add_up(r.details["links"], r.metrics["noc"]);
}

TEST_CASE("A link is never counted for more cycles than a slice has (at)", "[report]") {
  const platform::SimulationResult r = run(recorded("shared", TimingMode::kAt, 64));
  const Json& links = r.details["links"];
  std::uint64_t begin = 0;
  for (std::size_t s = 0; s < links["slice_ends"].size(); ++s) {
    const auto end = links["slice_ends"][s].get<std::uint64_t>();
    for (std::size_t i = 0; i < links["links"].size(); ++i) {
      std::uint64_t used = 0;
      for (const char* kind : {"useful", "duplicate", "control", "back_pressure"})
        if (!links[kind][s].empty()) used += links[kind][s][i].get<std::uint64_t>();
      REQUIRE(used <= end - begin);
    }
    begin = end;
  }
}

TEST_CASE("Every segment of every tile is in the Pad timeline, in order of its stages", "[report]") {
  const platform::SimulationResult r = run(recorded("meshkv", TimingMode::kAt, 8));
  const Json& pad = r.details["pad"];
  REQUIRE(pad["tiles"].size() == 16);
  std::size_t segments = 0;
  for (const auto& [tile, log] : pad["tiles"].items()) {
    CAPTURE(tile);
    REQUIRE(log["not_recorded"] == 0);
    for (const Json& s : log["segments"]) {
      ++segments;
      const auto at = [&](int column) { return s[static_cast<std::size_t>(column)].get<std::uint64_t>(); };
      const std::uint64_t sent = at(4), first = at(5), complete = at(6), tm_begin = at(7), tm_end = at(8),
                          rd_begin = at(9), rd_end = at(10);
      REQUIRE((sent < first && first < complete && complete < r.cycles));
      REQUIRE((first <= tm_begin && tm_begin < tm_end && tm_end <= rd_end));
      REQUIRE((tm_begin < rd_begin && rd_begin < rd_end && complete < rd_end));
    }
  }
  REQUIRE(segments == r.metrics["pad"]["segments"]);
  REQUIRE(r.details["latency"]["fetch"]["count"] == segments);
  REQUIRE(r.details["latency"]["fetch"]["mean"] == r.metrics["pad"]["mean_fetch_cycles"]);
}

TEST_CASE("Without Pad a segment is computed after it is complete; the log is bounded", "[report]") {
  platform::RunConfig config = recorded("cent", TimingMode::kAt, 8);
  config.pad.enabled = false;
  config.record.segments_per_tile = 3;
  config.record.tiles_most = 2;
  const platform::SimulationResult r = run(config);
  const Json& pad = r.details["pad"];
  REQUIRE(pad["tiles"].size() == 2);
  REQUIRE(pad["tiles_left_out"] == 14);
  for (const auto& [tile, log] : pad["tiles"].items()) {
    REQUIRE(log["segments"].size() == 3);
    REQUIRE(log["not_recorded"] > 0);
    for (const Json& s : log["segments"]) REQUIRE(s[7] >= s[6]);
  }
}

TEST_CASE("Keeping details changes no result", "[report]") {
  TemporaryFolder folder;
  const std::string scenario = folder.write("s.json", R"({"model": ")" + llama_path() + R"(",
      "mesh": {"width": 4, "height": 4}, "compare": ["cent", "meshkv"],
      "workload": {"context_tokens": 1024, "sample": {"layers": [0, 1], "segments": {"from": 0, "to": 4}}}})");
  const auto simulate = [&](const std::string& out, const std::string& slices, const std::string& jobs) {
    const ProgramResult result = run_program(
        {"run", scenario, "--quiet", "--out", folder.path(out), "--details", slices, "--jobs", jobs});
    REQUIRE(result.exit_code == 0);
    return read_file(folder.path(out + "/results.json"));
  };
  const std::string with = simulate("a", "64", "1");
  REQUIRE(simulate("b", "0", "1") == with);
  REQUIRE(simulate("c", "64", "4") == with);
  const std::string details = read_file(folder.path("a/details.json"));
  REQUIRE(read_file(folder.path("c/details.json")) == details);
  REQUIRE(Json::parse(details)["of"] == platform::fingerprint(with));
  REQUIRE(Json::parse(details)["runs"].size() == 2);
  REQUIRE_FALSE(std::filesystem::exists(folder.path("b/details.json")));
  // Details of an older run do not stay beside new results.
  REQUIRE(simulate("a", "0", "1") == with);
  REQUIRE_FALSE(std::filesystem::exists(folder.path("a/details.json")));
  for (const char* bad : {"3", "-2", "2000"})
    REQUIRE(run_program({"run", scenario, "--out", folder.path("d"), "--details", bad}).exit_code == 2);
}

TEST_CASE("A logarithmic histogram counts exactly and is off by 1/32 at most", "[report]") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 20; ++round) {
    LogHistogram whole, half[2];
    std::vector<std::uint64_t> values;
    for (int i = 0; i < 500; ++i) {
      const std::uint64_t v = random() >> (random() % 64);
      values.push_back(v);
      whole.add(v);
      half[i % 2].add(v);
    }
    std::sort(values.begin(), values.end());
    half[0] += half[1];
    REQUIRE(whole.max() == values.back());
    for (const double p : {0.001, 0.5, 0.9, 0.99, 1.0}) {
      const auto rank = static_cast<std::size_t>(std::ceil(p * 500));
      const std::uint64_t exact = values[rank - 1], found = whole.percentile(p);
      REQUIRE(found == half[0].percentile(p));
      REQUIRE((found >= exact && static_cast<double>(found - exact) <= static_cast<double>(exact) / 32.0));
    }
    std::size_t counted = 0;
    std::uint64_t last = 0;
    for (const LogHistogram::Bin& bin : whole.bins()) {
      REQUIRE((counted == 0 || bin.from > last));
      const auto inside = std::count_if(values.begin(), values.end(),
                                        [&](std::uint64_t v) { return v >= bin.from && v <= bin.to; });
      REQUIRE(static_cast<std::uint64_t>(inside) == bin.count);
      counted += bin.count;
      last = bin.to;
    }
    REQUIRE(counted == 500);
  }
  REQUIRE(LogHistogram().percentile(0.5) == 0);
}
