#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "models/mare/tag_filter.h"

using namespace meshkv;
using mare::TagFilter;
using mare::TagFilterConfig;
using noc::MulticastTree;
using noc::PayloadKey;

namespace {
PayloadKey key(std::uint32_t segment, std::uint32_t index = 0) {
  return {segment, 3, 1, index};
}
}  // namespace

TEST_CASE("A copy is covered only when every destination was served", "[mare][tags]") {
  // Root (0,1) = 4 of a 4x4 mesh. Tree a: to (2,1) = 6 and (2,3) = 14; both pass router (1,1) = 5.
  const MeshShape mesh{4, 4};
  const MulticastTree a(mesh, 4, {6, 14});
  const MulticastTree b(mesh, 4, {6, 15});
  TagFilter filter(TagFilterConfig{});
  REQUIRE_FALSE(filter.covered(key(9), &a, 0, 5, 10));
  filter.record(key(9), &a, 0, 5, 10);
  REQUIRE(filter.covered(key(9), &a, 0, 5, 11));
  REQUIRE(filter.covered(key(9), nullptr, 14, 5, 11));
  REQUIRE_FALSE(filter.covered(key(9), nullptr, 15, 5, 11));
  REQUIRE_FALSE(filter.covered(key(9), &b, 0, 5, 11));     // 15 was never served
  REQUIRE_FALSE(filter.covered(key(9, 1), &a, 0, 5, 11));  // another packet of the slice
  filter.record(key(9), nullptr, 15, 5, 12);
  REQUIRE(filter.covered(key(9), &b, 0, 5, 13));  // the union of tree a and the unicast copy
  REQUIRE(filter.statistics().exact_hits == 5);
  REQUIRE(filter.statistics().covered == 3);
}

TEST_CASE("A tag covers what passed this router, not the whole tree", "[mare][tags]") {
  // Tree from (1,1) = 5 to (0,1) = 4 and (3,1) = 7. Router (2,1) = 6 forwarded it to 7 alone.
  const MeshShape mesh{4, 4};
  const MulticastTree tree(mesh, 5, {4, 7});
  TagFilter filter(TagFilterConfig{});
  filter.record(key(1), &tree, 0, 6, 0);
  REQUIRE(filter.covered(key(1), nullptr, 7, 6, 1));
  REQUIRE_FALSE(filter.covered(key(1), nullptr, 4, 6, 1));
}

TEST_CASE("Tags are replaced oldest first", "[mare][tags]") {
  TagFilter filter({2, 256, 96});
  filter.record(key(1), nullptr, 7, 0, 0);
  filter.record(key(2), nullptr, 7, 0, 1);
  filter.record(key(1), nullptr, 8, 0, 2);  // merged: does not make the tag younger
  filter.record(key(3), nullptr, 7, 0, 3);  // replaces 1
  REQUIRE_FALSE(filter.covered(key(1), nullptr, 7, 0, 4));
  REQUIRE(filter.covered(key(2), nullptr, 7, 0, 4));
  REQUIRE(filter.covered(key(3), nullptr, 7, 0, 4));
  filter.record(key(1), nullptr, 8, 0, 5);  // replaces 2; the old destination 7 is forgotten
  REQUIRE_FALSE(filter.covered(key(1), nullptr, 7, 0, 6));
  REQUIRE(filter.covered(key(1), nullptr, 8, 0, 6));
  REQUIRE_FALSE(filter.covered(key(2), nullptr, 7, 0, 6));
  REQUIRE(filter.statistics().replaced_tags == 2);
}

TEST_CASE("The bloom is cleared at multiples of the refresh interval", "[mare][tags]") {
  TagFilter filter(TagFilterConfig{});
  filter.record(key(1), nullptr, 7, 0, 90);
  REQUIRE(filter.covered(key(1), nullptr, 7, 0, 95));
  REQUIRE_FALSE(filter.covered(key(1), nullptr, 7, 0, 96));  // in the tag table, but the prefilter says no
  filter.record(key(1), nullptr, 8, 0, 97);
  REQUIRE(filter.covered(key(1), nullptr, 7, 0, 191));  // the tag was kept and merged
  REQUIRE_FALSE(filter.covered(key(1), nullptr, 7, 0, 192 + 5 * 96));
}

TEST_CASE("A bloom hit alone drops nothing", "[mare][tags]") {
  // One bloom bit: every lookup after the first record hits it.
  TagFilter filter({16, 1, 96});
  filter.record(key(1), nullptr, 7, 0, 0);
  for (std::uint32_t s = 2; s < 100; ++s) REQUIRE_FALSE(filter.covered(key(s), nullptr, 7, 0, 1));
  REQUIRE(filter.statistics().bloom_hits == 98);
  REQUIRE(filter.statistics().bloom_false_positives == 98);
  REQUIRE(filter.statistics().exact_hits == 0);
  TagFilter none({0, 1, 96});
  none.record(key(1), nullptr, 7, 0, 0);
  REQUIRE_FALSE(none.covered(key(1), nullptr, 7, 0, 0));
}

TEST_CASE("The filter never covers more than was forwarded", "[mare][tags]") {
  const MeshShape mesh{6, 5};
  std::mt19937 random(11);
  const auto below = [&](unsigned n) { return random() % n; };
  std::vector<std::unique_ptr<MulticastTree>> trees;
  for (int i = 0; i < 40; ++i) {
    std::vector<NodeId> to(1 + below(4));
    for (auto& d : to) d = static_cast<NodeId>(below(30));
    trees.push_back(std::make_unique<MulticastTree>(mesh, static_cast<NodeId>(below(30)), to));
  }
  const NodeId here = 14;
  TagFilter filter({4, 64, 96});
  std::map<std::uint32_t, std::set<NodeId>> truth;
  int dropped = 0;
  for (Cycle now = 0; now < 20000; ++now) {
    const auto s = static_cast<std::uint32_t>(below(6) + 6 * (now / 200));
    const auto* tree = below(3) ? trees[below(40)].get() : nullptr;
    const NodeId dst = static_cast<NodeId>(below(30));
    const auto serves = tree ? tree->destinations_through(here) : std::vector<NodeId>{dst};
    if (serves.empty()) continue;  // this tree does not pass here
    if (filter.covered(key(s), tree, dst, here, now)) {
      ++dropped;
      for (NodeId d : serves) REQUIRE(truth[s].count(d) == 1);
    } else {
      filter.record(key(s), tree, dst, here, now);
      truth[s].insert(serves.begin(), serves.end());
    }
  }
  REQUIRE(dropped > 100);
}

TEST_CASE("Two bloom bits of 256 let few strangers through", "[mare][tags]") {
  TagFilter filter(TagFilterConfig{});
  for (std::uint32_t i = 0; i < 16; ++i) filter.record(key(1, i), nullptr, 7, 0, 0);
  for (std::uint32_t s = 2; s < 10002; ++s) filter.covered(key(s), nullptr, 7, 0, 1);
  // 32 bits set at most: (1 - (1 - 1/256)^32)^2 = 1.4 %.
  REQUIRE(filter.statistics().bloom_false_positives < 300);
}

TEST_CASE("Storage of the filter", "[mare][tags]") {
  REQUIRE(TagFilter::storage_bits(TagFilterConfig{}, 64) == 256 + 16 * (1 + 96 + 64));
}
