// What the VCD says is what the routers did: levels, credits and flits agree in every cycle and with the
// statistics.
#include <catch2/catch.hpp>

#include <random>

#include "platform/run/run_synthetic.h"
#include "tests/decode/decode_fixture.h"
#include "tests/platform/support.h"
#include "tests/trace/vcd_parser.h"

using namespace meshkv;
using namespace meshkv::test;
using platform::Json;

namespace {

constexpr Port kCardinals[] = {Port::kEast, Port::kWest, Port::kSouth, Port::kNorth};

std::string port_path(const MeshShape& mesh, const std::string& root, NodeId node, Port port) {
  const Coord at = mesh.coord(node);
  return root + ".tile_" + std::to_string(at.x) + "_" + std::to_string(at.y) + ".router.port_" +
         port_name(port) + ".";
}

/// Packets between random tiles, so many that FIFOs fill.
platform::RunConfig replay(const TemporaryFolder& folder, const std::string& profile) {
  std::mt19937 random(5);
  std::string csv = "created,src,dst,flits\n";
  for (int i = 0; i < 600; ++i) {
    const unsigned src = static_cast<unsigned>(random() % 12),
                   dst = (src + 1 + static_cast<unsigned>(random() % 11)) % 12;
    csv += std::to_string(i / 2) + "," + std::to_string(src) + "," + std::to_string(dst) + "," +
           std::to_string(1 + random() % 7) + "\n";
  }
  platform::RunConfig config;
  config.name = "replay";
  config.workload_kind = platform::WorkloadKind::kSynthetic;
  config.noc.mesh = {4, 3};
  config.noc.profile = profile;
  config.synthetic.pattern = workload::TrafficPattern::kReplay;
  config.synthetic.packets = folder.write("packets.csv", csv);
  config.tracing.kind = platform::TraceKind::kVcd;
  config.tracing.file = folder.path("trace.vcd");
  return config;
}

platform::SimulationResult simulate(const platform::RunConfig& config) {
  SilentProgress progress;
  return platform::run_synthetic(config, progress);
}

/// Upstream's credits and downstream's level make up a FIFO, on every link, VC and cycle.
void require_credits_match(const Vcd& vcd, const MeshShape& mesh, const std::string& root, int vcs,
                           int depth) {
  int links = 0;
  for (int n = 0; n < mesh.nodes(); ++n) {
    for (const Port port : kCardinals) {
      const auto node = static_cast<NodeId>(n);
      const NodeId next = mesh.neighbour(node, port);
      if (next == kNoNode) continue;
      ++links;
      for (int vc = 0; vc < vcs; ++vc) {
        const std::string name = "vc" + std::to_string(vc);
        const Vcd::Variable& credits =
            vcd.variables.at(port_path(mesh, root, node, port) + name + "_credits");
        const Vcd::Variable& level =
            vcd.variables.at(port_path(mesh, root, next, opposite(port)) + name + "_fifo");
        const Vcd::Variable& state =
            vcd.variables.at(port_path(mesh, root, next, opposite(port)) + name + "_state");
        for (const std::uint64_t t : vcd.times) {
          REQUIRE(credits.at(t) + level.at(t) == static_cast<std::uint64_t>(depth));
          if (state.at(t) == 0) REQUIRE(level.at(t) == 0);
        }
      }
    }
  }
  REQUIRE(links == 2 * ((mesh.width - 1) * mesh.height + mesh.width * (mesh.height - 1)));
}

}  // namespace

TEST_CASE("FIFO levels of a VCD are what came in less what went out, as the statistics count it",
          "[trace][vcd]") {
  TemporaryFolder folder;
  const platform::RunConfig config = replay(folder, "fpga");
  const MeshShape mesh = config.noc.mesh;
  const platform::SimulationResult result = simulate(config);
  REQUIRE(result.outcome == platform::Outcome::kOk);
  REQUIRE_FALSE(result.trace.contains("cut_at"));
  const Vcd vcd = parse_vcd(read_file(config.tracing.file));
  require_credits_match(vcd, mesh, "mesh", config.noc.vcs(), config.noc.vc_depth_flits);
  const std::uint64_t last = vcd.times.back();
  REQUIRE(last == result.cycles);
  std::uint64_t fullest = 0;
  for (int n = 0; n < mesh.nodes(); ++n) {
    const auto node = static_cast<NodeId>(n);
    const Coord at = mesh.coord(node);
    const Json& links = result.metrics["noc"]["links"][std::to_string(at.x) + "_" + std::to_string(at.y)];
    const auto flits = [&](NodeId of, Port port) -> const Vcd::Variable& {
      return vcd.variables.at(port_path(mesh, "mesh", of, port) + "flits");
    };
    // Each link's counters end where the results are.
    for (const Port port : {Port::kEast, Port::kWest, Port::kSouth, Port::kNorth, Port::kTile}) {
      if (port != Port::kTile && mesh.neighbour(node, port) == kNoNode) continue;
      const Json& link = links[port_name(port)];
      REQUIRE(flits(node, port).at(last) ==
              link["control"].get<std::uint64_t>() + link["kv_data"].get<std::uint64_t>());
      REQUIRE(vcd.variables.at(port_path(mesh, "mesh", node, port) + "back_pressure").at(last) ==
              link["back_pressure"]);
    }
    // What a router holds is what its links brought and took: the rest is what was injected, which never
    // goes back, comes one flit a cycle, and ends at what the results say.
    std::uint64_t injected_before = 0, time_before = 0;
    for (const std::uint64_t t : vcd.times) {
      std::uint64_t held = 0, out = flits(node, Port::kTile).at(t), in = 0;
      for (const Port port : {Port::kEast, Port::kWest, Port::kSouth, Port::kNorth, Port::kTile}) {
        const NodeId next = port == Port::kTile ? node : mesh.neighbour(node, port);
        if (next == kNoNode) continue;
        if (port != Port::kTile) out += flits(node, port).at(t), in += flits(next, opposite(port)).at(t);
        for (int vc = 0; vc < config.noc.vcs(); ++vc) {
          const std::uint64_t level =
              vcd.variables.at(port_path(mesh, "mesh", node, port) + "vc" + std::to_string(vc) + "_fifo")
                  .at(t);
          held += level;
          fullest = std::max(fullest, level);
        }
      }
      REQUIRE(held + out >= in);
      const std::uint64_t injected = held + out - in;
      REQUIRE((injected >= injected_before &&
               injected - injected_before <= std::max<std::uint64_t>(1, t - time_before)));
      injected_before = injected;
      time_before = t;
    }
    const Json& injection = links["injection"];
    REQUIRE(injected_before ==
            injection["control"].get<std::uint64_t>() + injection["kv_data"].get<std::uint64_t>());
  }
  REQUIRE(fullest == static_cast<std::uint64_t>(config.noc.vc_depth_flits));  // or the test would see little
}

TEST_CASE("Credits and FIFO levels agree under multicast, too", "[trace][vcd]") {
  TemporaryFolder folder;
  platform::RunConfig config = hand_case("meshkv", TimingMode::kAt, 4);
  config.tracing.kind = platform::TraceKind::kVcd;
  config.tracing.file = folder.path("trace.vcd");
  const platform::SimulationResult result = run(config);
  REQUIRE(result.outcome == platform::Outcome::kOk);
  const Vcd vcd = parse_vcd(read_file(config.tracing.file));
  require_credits_match(vcd, config.noc.mesh, "chip", config.noc.vcs(), config.noc.vc_depth_flits);
  std::uint64_t flits = 0;
  for (const auto& [name, variable] : vcd.variables)
    if (name.size() > 6 && name.compare(name.size() - 6, 6, ".flits") == 0 &&
        name.find("port_tile") == std::string::npos)
      flits += variable.at(vcd.times.back());
  const Json& links = result.metrics["noc"]["links"];
  REQUIRE(flits == links["kv_data_useful"].get<std::uint64_t>() +
                       links["kv_data_duplicate"].get<std::uint64_t>() +
                       links["control"].get<std::uint64_t>());
}

TEST_CASE("A VCD is cut at its limit, and says so", "[trace][vcd]") {
  TemporaryFolder folder;
  platform::RunConfig config = replay(folder, "b1");
  config.tracing.limit_bytes = 40000;
  const platform::SimulationResult result = simulate(config);
  const std::string text = read_file(config.tracing.file);
  REQUIRE(text.size() <= 40000);
  REQUIRE(text.size() > 30000);
  REQUIRE(result.trace["bytes"] == text.size());
  REQUIRE(result.trace["left_out"] == result.cycles - result.trace["cut_at"].get<Cycle>());
  REQUIRE(result.trace["left_out"] > 10);
  const Vcd vcd = parse_vcd(text);
  REQUIRE(vcd.variables.at("trace.cut").at(vcd.times.back()) == 1);
  REQUIRE(vcd.variables.at("trace.cut").changes.size() == 2);
  REQUIRE(vcd.comments.back().find("trace cut: the limit of 40000 bytes") == 0);
  REQUIRE(result.warnings.back().get<std::string>().find("the trace is cut") == 0);
}

TEST_CASE("A VCD whose names do not fit the limit says so, and keeps to it", "[trace][vcd]") {
  TemporaryFolder folder;
  platform::RunConfig config = replay(folder, "b1");
  config.tracing.limit_bytes = 1000;
  const platform::SimulationResult result = simulate(config);
  const std::string text = read_file(config.tracing.file);
  REQUIRE(text.size() <= 1000);
  const Vcd vcd = parse_vcd(text);
  REQUIRE(vcd.comments.back().find("trace cut: the limit of 1000 bytes") == 0);
  REQUIRE(result.trace["cut_at"] == 0);
  REQUIRE(result.trace["left_out"] == result.cycles);
}

TEST_CASE("A trace that cannot be written fails after the run, not within it", "[trace][vcd]") {
  TemporaryFolder folder;
  platform::RunConfig config = replay(folder, "b1");
  config.tracing.file = "/dev/full";
  const platform::SimulationResult result = simulate(config);
  REQUIRE(result.outcome == platform::Outcome::kOk);
  REQUIRE(result.trace["failure"] == "No space left on device");
}

TEST_CASE("A trace in a folder that does not exist fails after the run, too", "[trace][vcd]") {
  TemporaryFolder folder;
  platform::RunConfig config = replay(folder, "b1");
  config.tracing.kind = platform::TraceKind::kPerfetto;
  config.tracing.file = folder.path("nowhere/trace.json");
  const platform::SimulationResult result = simulate(config);
  REQUIRE(result.outcome == platform::Outcome::kOk);
  REQUIRE(result.trace["failure"] == "No such file or directory");
}

TEST_CASE("Options of a trace without a trace are refused", "[trace]") {
  TemporaryFolder folder;
  const std::string file = folder.write("s.json", R"({"workload": {"kind": "synthetic"}})");
  for (const char* option : {"--trace-limit=5M", "--trace-window=1:2", "--trace-instances=*"}) {
    const ProgramResult run = run_program({"run", file, "--out", folder.path("out"), option});
    REQUIRE(run.exit_code == 2);
    REQUIRE_THAT(run.err, Catch::Matchers::Contains("there is no --trace"));
  }
}

TEST_CASE("A VCD of a window and of one port holds no more", "[trace][vcd]") {
  TemporaryFolder folder;
  platform::RunConfig config = replay(folder, "fpga");
  config.tracing.from = 100;
  config.tracing.to = 150;
  config.tracing.instances = "*.tile_1_1.router.port_east";
  const platform::SimulationResult result = simulate(config);
  const Vcd vcd = parse_vcd(read_file(config.tracing.file));
  REQUIRE(vcd.times.front() >= 100);
  REQUIRE(vcd.times.back() <= 150);
  for (const auto& [name, variable] : vcd.variables)
    REQUIRE((name.find("mesh.tile_1_1.router.port_east.") == 0 || name.find("trace.") == 0));
  REQUIRE(vcd.variables.size() == 2 + 4 * static_cast<std::size_t>(config.noc.vcs()) + 2);
  REQUIRE_FALSE(result.trace.contains("cut_at"));
}
