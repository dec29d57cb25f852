#include <catch2/catch.hpp>
#include <random>

#include "models/mare/coalescer.h"

using namespace meshkv;
using namespace meshkv::mare;

namespace {
Request request(int segment, NodeId from, std::initializer_list<int> heads, int layer = 2) {
  Request r;
  r.layer = layer;
  r.segment = segment;
  r.requester = from;
  for (int h : heads) r.heads.set(static_cast<std::size_t>(h));
  return r;
}
using Tiles = std::vector<NodeId>;
}  // namespace

TEST_CASE("Requests within twelve cycles of the first merge", "[mare][coalescer]") {
  Coalescer home(12, 2);
  auto added = home.add(request(7, 9, {0, 1}), 100);
  REQUIRE(added.opened);
  REQUIRE(added.closes == 112);
  added = home.add(request(7, 4, {1, 2}), 111);
  REQUIRE_FALSE(added.opened);
  REQUIRE(added.closes == 112);
  REQUIRE(home.next_close() == 112);
  REQUIRE(home.take_closed(111).empty());
  added = home.add(request(7, 5, {5}), 112);  // one cycle too late: a window of its own
  REQUIRE(added.opened);
  REQUIRE(added.closes == 124);

  const auto closed = home.take_closed(112);
  REQUIRE(closed.size() == 1);
  REQUIRE(closed[0].layer == 2);
  REQUIRE(closed[0].segment == 7);
  REQUIRE(closed[0].opened == 100);
  REQUIRE(closed[0].requests == 2);
  REQUIRE(closed[0].heads.to_ulong() == 0b111);
  REQUIRE(closed[0].groups.size() == 2);
  REQUIRE(closed[0].groups[0].group == 0);
  REQUIRE(closed[0].groups[0].tiles == Tiles{4, 9});
  REQUIRE(closed[0].groups[1].group == 1);
  REQUIRE(closed[0].groups[1].tiles == Tiles{4});

  const auto late = home.take_closed(500);
  REQUIRE(late.size() == 1);
  REQUIRE(late[0].groups[0].group == 2);
  REQUIRE(home.empty());
  REQUIRE(home.next_close() == kNever);
  REQUIRE(home.statistics().requests == 3);
  REQUIRE(home.statistics().merged == 1);
  REQUIRE(home.statistics().windows == 2);
  REQUIRE(home.statistics().coalesced_fraction() == Approx(1.0 / 3));
}

TEST_CASE("Blocks have windows of their own, closed in order", "[mare][coalescer]") {
  Coalescer home(12, 1);
  home.add(request(1, 3, {0}), 10);
  home.add(request(2, 3, {0}), 12);
  home.add(request(1, 3, {0}, 5), 12);  // another layer
  home.add(request(2, 3, {0}), 13);     // the same tile again: one destination
  const auto closed = home.take_closed(30);
  REQUIRE(closed.size() == 3);
  REQUIRE(closed[0].segment == 1);
  REQUIRE(closed[1].segment == 2);
  REQUIRE(closed[1].requests == 2);
  REQUIRE(closed[1].groups[0].tiles == Tiles{3});
  REQUIRE(closed[2].layer == 5);
}

TEST_CASE("A window of zero cycles merges nothing", "[mare][coalescer]") {
  Coalescer home(0, 1);
  REQUIRE(home.add(request(1, 3, {0}), 10).closes == 10);
  REQUIRE(home.add(request(1, 4, {0}), 10).opened);
  REQUIRE(home.take_closed(10).size() == 2);
  REQUIRE_THROWS_AS(Coalescer(-1, 1), std::invalid_argument);
  REQUIRE_THROWS_AS(Coalescer(1, 0), std::invalid_argument);
}

TEST_CASE("Nobody is lost or invented by merging", "[mare][coalescer]") {
  std::mt19937 random(3);
  for (int heads_per_line : {1, 2, 4}) {
    Coalescer home(12, heads_per_line);
    // Per (segment, group, tile): how many requests are waiting for a window to close.
    std::vector<int> waiting(4 * 64 * 16, 0);
    const auto at = [](int s, int g, int t) { return static_cast<std::size_t>((s * 64 + g) * 16 + t); };
    for (Cycle now = 0; now < 5000; ++now) {
      for (const auto& w : home.take_closed(now)) {
        REQUIRE(w.closes == now);
        for (const auto& g : w.groups) {
          REQUIRE_FALSE(g.tiles.empty());
          for (NodeId t : g.tiles) {
            REQUIRE(waiting[at(w.segment, g.group, t)] == 1);
            waiting[at(w.segment, g.group, t)] = 0;
          }
        }
      }
      if (now > 4900 || random() % 3 == 0) continue;
      const int s = static_cast<int>(random() % 4);
      const int t = static_cast<int>(random() % 16);
      const int h = static_cast<int>(random() % 64);
      home.add(request(s, static_cast<NodeId>(t), {h}), now);
      waiting[at(s, h / heads_per_line, t)] = 1;
    }
    REQUIRE(home.empty());
    for (int w : waiting) REQUIRE(w == 0);
  }
}

TEST_CASE("Head masks become line groups", "[mare][coalescer]") {
  HeadMask heads;
  heads.set(0).set(5).set(255);
  REQUIRE(line_groups(heads, 1) == heads);
  GroupMask expected;
  expected.set(0).set(1).set(63);
  REQUIRE(line_groups(heads, 4) == expected);
  std::vector<int> seen;
  for_each_set(heads, [&](int h) { seen.push_back(h); });
  REQUIRE(seen == std::vector<int>{0, 5, 255});
}
