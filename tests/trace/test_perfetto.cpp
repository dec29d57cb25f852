// The trace for ui.perfetto.dev is valid Trace Event Format: times never go back on a track, what begins
// ends, every flow has both ends.
#include <catch2/catch.hpp>

#include <map>
#include <set>

#include "tests/decode/decode_fixture.h"
#include "tests/platform/support.h"

using namespace meshkv;
using namespace meshkv::test;
using platform::Json;

namespace {

using Track = std::pair<int, int>;

struct Flow {
  int starts = 0, ends = 0;
  std::uint64_t last = 0;
  std::vector<std::string> slices;  ///< names of the spans that it touches, in order of time
};

/// What a trace holds, after everything that the format asks for was required.
struct Checked {
  std::map<std::uint64_t, Flow> flows;
  std::map<Track, std::string> names;
  std::map<std::string, int> spans;  ///< by the first word of their names
  std::map<int, std::string> processes;
  Json marker;
  std::size_t events = 0;
};

struct Span {
  std::uint64_t begin, end;
  std::string name;
};

Checked inspect(const std::string& text) {
  const Json trace = Json::parse(text);
  Checked c;
  std::map<Track, std::uint64_t> last;
  std::map<std::pair<int, std::string>, std::uint64_t> last_counter;
  std::map<Track, std::vector<Span>> spans;
  std::map<Track, int> open;
  std::vector<Json> flow_events;
  for (const Json& e : trace.at("traceEvents")) {
    ++c.events;
    const auto phase = e.at("ph").get<std::string>();
    const int pid = e.at("pid"), tid = e.at("tid");
    const Track track{pid, tid};
    if (phase == "M") {
      if (e.at("name") == "process_name") c.processes[pid] = e.at("args").at("name");
      if (e.at("name") == "thread_name") REQUIRE(c.names.emplace(track, e.at("args").at("name")).second);
      continue;
    }
    const auto at = e.at("ts").get<std::uint64_t>();
    REQUIRE(c.processes.count(pid) == 1);
    if (phase == "C") {
      auto& before = last_counter[{pid, e.at("name").get<std::string>()}];
      REQUIRE(at >= before);
      before = at;
      for (const auto& [series, value] : e.at("args").items()) REQUIRE((value.is_number() && value >= 0));
      continue;
    }
    if (phase == "i") {
      c.marker = e;
      continue;
    }
    REQUIRE(c.names.count(track) == 1);
    REQUIRE(at >= last[track]);
    last[track] = at;
    if (phase == "X") {
      const auto end = at + e.at("dur").get<std::uint64_t>();
      REQUIRE(end > at);
      if (!spans[track].empty()) REQUIRE(at >= spans[track].back().end);
      const std::string name = e.at("name");
      spans[track].push_back({at, end, name});
      ++c.spans[name.substr(0, name.find(' '))];
    } else if (phase == "B") {
      REQUIRE(open[track]++ == 0);
    } else if (phase == "E") {
      REQUIRE(open[track]-- == 1);
    } else {
      REQUIRE((phase == "s" || phase == "t" || phase == "f"));
      flow_events.push_back(e);
    }
  }
  for (const auto& [track, count] : open) REQUIRE(count == 0);
  for (const Json& e : flow_events) {
    Flow& flow = c.flows[e.at("id").get<std::uint64_t>()];
    const auto at = e.at("ts").get<std::uint64_t>();
    const std::string phase = e.at("ph");
    // Nothing before the start, nothing after the end, in order of time.
    REQUIRE((phase == "s") == (flow.slices.empty()));
    REQUIRE(flow.ends == 0);
    REQUIRE(at >= flow.last);
    flow.last = at;
    flow.starts += phase == "s";
    flow.ends += phase == "f";
    if (phase != "s") REQUIRE(e.at("bp") == "e");
    const auto& on = spans[{e.at("pid").get<int>(), e.at("tid").get<int>()}];
    const auto span =
        std::find_if(on.begin(), on.end(), [&](const Span& s) { return s.begin <= at && at < s.end; });
    REQUIRE(span != on.end());
    flow.slices.push_back(span->name);
  }
  for (const auto& [id, flow] : c.flows) REQUIRE((flow.starts == 1 && flow.ends == 1));
  return c;
}

platform::RunConfig traced(const TemporaryFolder& folder, const char* preset, TimingMode mode,
                           long segments) {
  platform::RunConfig config = hand_case(preset, mode, segments);
  config.tracing.kind = platform::TraceKind::kPerfetto;
  config.tracing.file = folder.path("trace.json");
  return config;
}

void check_whole(const char* preset, TimingMode mode) {
  TemporaryFolder folder;
  const platform::RunConfig config = traced(folder, preset, mode, 6);
  const platform::SimulationResult result = run(config);
  REQUIRE(result.outcome == platform::Outcome::kOk);
  REQUIRE_FALSE(result.trace.contains("cut_at"));
  const std::string text = read_file(config.tracing.file);
  REQUIRE(result.trace["bytes"] == text.size());
  const Checked c = inspect(text);
  REQUIRE(c.events == result.trace["events"]);
  const auto segments = result.metrics["pad"]["segments"].get<std::size_t>();
  REQUIRE(c.flows.size() == segments);
  REQUIRE(c.spans.at("KV_FETCH") == static_cast<int>(2 * segments));  // the tile's and the home's
  REQUIRE(c.spans.at("q·K") == static_cast<int>(segments));
  REQUIRE(c.spans.at("softmax·V") == static_cast<int>(segments));
  std::size_t to_part = 0;
  for (const auto& [id, flow] : c.flows) {
    CAPTURE(id);
    REQUIRE(flow.slices.size() >= 3);
    REQUIRE(flow.slices[0].find("KV_FETCH") == 0);
    REQUIRE(flow.slices[1] == flow.slices[0]);  // at the home
    REQUIRE(flow.slices[2].find("KV_DATA") == 0);
    if (flow.slices.size() == 3) continue;
    REQUIRE(flow.slices.size() == 5);
    REQUIRE(flow.slices[3].find("PART") == 0);
    ++to_part;
  }
  // One layer: each tile with work sends its results once.
  std::set<std::string> tiles;
  for (const auto& [track, name] : c.names)
    if (name == "Tm") tiles.insert(c.processes.at(track.first));
  REQUIRE(to_part == tiles.size());
  bool memory = false, controllers = false, roots = false;
  for (const auto& [track, name] : c.names) {
    memory = memory || name == "channel 0";
    controllers = controllers || name == "dc_0";
    roots = roots || name == "reduce root";
  }
  REQUIRE((memory && controllers && roots));
}

}  // namespace

TEST_CASE("A whole trace has every segment's way (at, meshkv)", "[trace][perfetto]") {
  check_whole("meshkv", TimingMode::kAt);
}
TEST_CASE("A whole trace has every segment's way (at, cent)", "[trace][perfetto]") {
  check_whole("cent", TimingMode::kAt);
}
TEST_CASE("A whole trace has every segment's way (lt)", "[trace][perfetto]") {
  check_whole("meshkv", TimingMode::kLt);
}

TEST_CASE("A trace is cut at its limit with whole flows, and says so", "[trace][perfetto]") {
  TemporaryFolder folder;
  platform::RunConfig config = traced(folder, "shared", TimingMode::kAt, 12);
  config.tracing.limit_bytes = 60000;
  const platform::SimulationResult result = run(config);
  const std::string text = read_file(config.tracing.file);
  REQUIRE(text.size() <= 60000);
  const Checked c = inspect(text);
  REQUIRE(c.flows.size() > 3);
  REQUIRE(c.marker.at("name") == "trace cut");
  REQUIRE(c.marker.at("args").at("events_left_out") == result.trace["left_out"]);
  REQUIRE(result.trace["left_out"] > 0);
  REQUIRE(result.trace["cut_at"] > 0);
  REQUIRE(result.warnings.back().get<std::string>().find("the trace is cut") == 0);
}

TEST_CASE("A trace of one tile and a window has only that", "[trace][perfetto]") {
  TemporaryFolder folder;
  platform::RunConfig config = traced(folder, "meshkv", TimingMode::kAt, 24);
  config.tracing.instances = "chip.tile_1_0";
  config.tracing.from = 500;
  config.tracing.to = 1500;
  const platform::SimulationResult result = run(config);
  REQUIRE(result.cycles > 2000);
  const Json trace = Json::parse(read_file(config.tracing.file));
  const Checked c = inspect(read_file(config.tracing.file));
  REQUIRE(c.processes.size() == 1);
  REQUIRE(c.processes.begin()->second == "tile_1_0");
  REQUIRE_FALSE(c.flows.empty());
  for (const Json& e : trace["traceEvents"])
    if (e["ph"] == "X" && e["name"].get<std::string>().find("KV_FETCH") == 0)
      REQUIRE((e["ts"] >= 500 && e["ts"] < 1600));
}

TEST_CASE("Traces change no result, and lie beside them", "[trace][perfetto]") {
  TemporaryFolder folder;
  const std::string scenario = folder.write("s.json", R"({"model": ")" + llama_path() + R"(",
      "mesh": {"width": 4, "height": 4}, "compare": ["cent", "meshkv"],
      "workload": {"context_tokens": 1024, "sample": {"layers": [0, 1], "segments": {"from": 0, "to": 4}}}})");
  const auto simulate = [&](const std::string& out, const std::vector<std::string>& more) {
    std::vector<std::string> all{"run", scenario, "--out", folder.path(out)};
    all.insert(all.end(), more.begin(), more.end());
    const ProgramResult result = run_program(all);
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    return result.out;
  };
  simulate("plain", {});
  const std::string plain = read_file(folder.path("plain/results.json"));
  const std::string said = simulate("traced", {"--trace", "perfetto"});
  REQUIRE(read_file(folder.path("traced/results.json")) == plain);
  for (const char* preset : {"cent", "meshkv"}) {
    const std::string file = folder.path("traced/trace." + std::string(preset) + ".json");
    REQUIRE(said.find("trace: " + file) != std::string::npos);
    REQUIRE_FALSE(inspect(read_file(file)).flows.empty());
  }
  // Another run's traces do not stay beside new results.
  simulate("traced", {"--trace", "vcd", "--trace-instances", "*.tile_0_0"});
  REQUIRE(read_file(folder.path("traced/results.json")) == plain);
  REQUIRE_FALSE(std::filesystem::exists(folder.path("traced/trace.cent.json")));
  REQUIRE(std::filesystem::exists(folder.path("traced/trace.cent.vcd")));
  // A cut trace is said to be one.
  REQUIRE(simulate("traced", {"--trace", "vcd", "--trace-limit", "64K"}).find("the trace is cut") !=
          std::string::npos);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    files += entry.path().filename() != "";
  REQUIRE(files == 3);  // no temporary ones: the scenario and two folders
}
