// One decode step on a 4x4 mesh, computed by hand (see decode_fixture.h), in both timing modes.
#include <catch2/catch.hpp>

#include "models/takv/placement.h"
#include "tests/decode/decode_fixture.h"

using namespace meshkv;
using namespace meshkv::test;
using platform::Outcome;

namespace {

constexpr int kSlice = 64;
// To (g, 0) and (g, 1) from the home (0, 0), injection and ejection included: g + 2 and g + 3 for g = 0..3.
constexpr int kUnicastHops = (2 + 3) + (3 + 4) + (4 + 5) + (5 + 6);
// One tree a line group: g + 1 links, one injection, two ejections.
constexpr int kTreeHops = 4 + 5 + 6 + 7;
// PART packets of 34 values of 32 bits, 3 flits, from (g, 0) and (g, 1) to the reduce root (g, 0).
constexpr int kPartHops = 4 * (2 + 3) * 3;

platform::SimulationResult run_ok(const platform::RunConfig& config) {
  platform::SimulationResult result = run(config);
  INFO(result.reason);
  REQUIRE(result.outcome == Outcome::kOk);
  const auto& board = result.metrics["scoreboard"];
  REQUIRE(board["lost"] == 0);
  REQUIRE(board["duplicated"] == 0);
  REQUIRE(board["delivered"] == board["requested"]);
  return result;
}

}  // namespace

// SystemC's kernel runs once a process: a case for each mode.
#define BOTH_MODES(name, tags, body) \
  TEST_CASE(name ", at", tags) {     \
    body(TimingMode::kAt);           \
  }                                  \
  TEST_CASE(name ", lt", tags) {     \
    body(TimingMode::kLt);           \
  }

namespace {

void unicast(TimingMode mode) {
  const auto m = run_ok(hand_case("takv_only", mode)).metrics;
  REQUIRE(m["noc"]["traffic"] == kSlice * kUnicastHops);
  // Eight KV_FETCHes of one flit travel the same distances the other way.
  REQUIRE(m["noc"]["flit_hops"] == kSlice * kUnicastHops + kUnicastHops + kPartHops);
  REQUIRE(m["scoreboard"]["delivered"] == 8 * kSlice);
  REQUIRE(m["mare"]["coalesced"] == 0);
  REQUIRE(m["mare"]["mean_fanout"] == 1.0);
  REQUIRE(m["pad"]["parts"] == 8);
}

void multicast(TimingMode mode) {
  const auto m = run_ok(hand_case("meshkv", mode)).metrics;
  // All eight requests reach the home within 12 cycles of the first: one window, one tree a line group.
  REQUIRE(m["mare"]["fetches"] == 8);
  REQUIRE(m["mare"]["coalesced"] == 7);
  REQUIRE(m["mare"]["windows"] == 1);
  REQUIRE(m["noc"]["traffic"] == kSlice * kTreeHops);
  REQUIRE(m["noc"]["flit_hops"] == kSlice * kTreeHops + kUnicastHops + kPartHops);
  REQUIRE(m["mare"]["mean_fanout"] == 2.0);
  REQUIRE(m["scoreboard"]["delivered"] == 8 * kSlice);
}

void lines_of_one_head(TimingMode mode) {
  auto config = hand_case("meshkv", mode);
  config.decode.layout.heads_per_line = 1;
  const auto m = run_ok(config).metrics;
  // Nobody shares a line: 32 flits a head, and multicast gives nothing.
  REQUIRE(m["noc"]["traffic"] == kSlice / 2 * kUnicastHops);
  REQUIRE(m["mare"]["mean_fanout"] == 1.0);
}

void no_window_no_suppression(TimingMode mode) {
  auto config = hand_case("meshkv", mode);
  config.mare.coalescing_cycles = 0;
  config.mare.duplicate_suppression = false;
  const auto m = run_ok(config).metrics;
  // Each request streams its slice on a tree of its own: unicast again. Of each pair one is a second copy.
  REQUIRE(m["mare"]["coalesced"] == 0);
  REQUIRE(m["noc"]["traffic"] == kSlice * kUnicastHops);
  REQUIRE(m["mare"]["restreamed_flits"].get<int>() > 0);
}

void late_requests_join(TimingMode mode) {
  auto config = hand_case("meshkv", mode);
  config.mare.coalescing_cycles = 1;
  const auto m = run_ok(config).metrics;
  // Whatever joins late gets the prefix that it missed and then the running tree: every payload once, no more
  // than unicast and no less than one tree a group.
  REQUIRE(m["mare"]["late_joined"].get<int>() > 0);
  REQUIRE(m["mare"]["duplicates_suppressed_at_home"].get<int>() > 0);
  REQUIRE(m["noc"]["traffic"].get<int>() >= kSlice * kTreeHops);
  REQUIRE(m["noc"]["traffic"].get<int>() < kSlice * kUnicastHops);
}

void central(TimingMode mode) {
  auto config = hand_case("cent", mode, 4);
  const auto m = run_ok(config).metrics;
  // Segment s comes from the corner of its turn, and is computed in the half that holds row s mod 4.
  REQUIRE(m["scoreboard"]["delivered"] == 4 * 8 * kSlice);
  REQUIRE(m["mare"]["coalesced"] == 0);
  int hops = 0;
  const MeshShape mesh{4, 4};
  const takv::Placement placement(config.placement, mesh, 4);
  for (int s = 0; s < 4; ++s) {
    const Coord home = mesh.coord(placement.home(0, s));
    for (int g = 0; g < 4; ++g) {
      for (int r = 0; r < 2; ++r)
        hops += std::abs(home.x - g) + std::abs(home.y - (r + (s >= 2 ? 2 : 0))) + 2;
    }
  }
  REQUIRE(m["noc"]["traffic"] == kSlice * hops);
}

}  // namespace

BOTH_MODES("Unicast flit-hops are distances", "[decode]", unicast)
BOTH_MODES("One window and one tree a line group", "[decode]", multicast)
BOTH_MODES("Lines of one head give multicast nothing", "[decode]", lines_of_one_head)
BOTH_MODES("Without window and suppression multicast is unicast", "[decode]", no_window_no_suppression)
BOTH_MODES("Late requests join the running tree", "[decode]", late_requests_join)
BOTH_MODES("cent serves each segment from its corner", "[decode]", central)
