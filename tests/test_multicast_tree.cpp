#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "models/noc/multicast_tree.h"

using namespace meshkv;
using meshkv::noc::MulticastTree;
using meshkv::noc::TreeCache;

namespace {

std::uint8_t bits(std::initializer_list<Port> ports) {
  unsigned b = 0;
  for (Port p : ports) b |= port_bit(p);
  return static_cast<std::uint8_t>(b);
}

/// Walks the tree as copies of a packet would and counts what arrives where.
std::vector<int> walk(const MeshShape& mesh, const MulticastTree& tree, int& links) {
  std::vector<int> arrived(static_cast<std::size_t>(mesh.nodes()), 0);
  std::vector<NodeId> todo{tree.root()};
  links = 0;
  while (!todo.empty()) {
    const NodeId at = todo.back();
    todo.pop_back();
    if (tree.out_ports(at) & port_bit(Port::kTile)) ++arrived[at];
    for (Port p : {Port::kEast, Port::kWest, Port::kSouth, Port::kNorth}) {
      if (!(tree.out_ports(at) & port_bit(p))) continue;
      const NodeId next = mesh.neighbour(at, p);
      REQUIRE(next != kNoNode);
      todo.push_back(next);
      ++links;
    }
  }
  return arrived;
}

}  // namespace

TEST_CASE("A multicast tree is the union of its XY paths", "[mare][tree]") {
  // 4x4, root (1,1) = 5 to (3,1) = 7, (3,3) = 15, (1,0) = 1, (0,2) = 8 and itself.
  const MeshShape mesh{4, 4};
  const MulticastTree tree(mesh, 5, {15, 7, 1, 5, 8, 7});
  REQUIRE(tree.destinations() == std::vector<NodeId>{1, 5, 7, 8, 15});
  REQUIRE(tree.out_ports(5) == bits({Port::kEast, Port::kWest, Port::kNorth, Port::kTile}));
  REQUIRE(tree.out_ports(6) == bits({Port::kEast}));
  REQUIRE(tree.out_ports(7) == bits({Port::kSouth, Port::kTile}));
  REQUIRE(tree.out_ports(11) == bits({Port::kSouth}));
  REQUIRE(tree.out_ports(15) == bits({Port::kTile}));
  REQUIRE(tree.out_ports(4) == bits({Port::kSouth}));
  REQUIRE(tree.out_ports(8) == bits({Port::kTile}));
  REQUIRE(tree.out_ports(1) == bits({Port::kTile}));
  REQUIRE(tree.out_ports(0) == 0);
  // 5-6 6-7 7-11 11-15, 5-4 4-8, 5-1; plus one injection and five ejection links.
  REQUIRE(tree.links() == 7);
  REQUIRE(tree.flit_hops() == 7 + 1 + 5);

  REQUIRE(tree.destinations_through(7) == std::vector<NodeId>{7, 15});
  REQUIRE(tree.destinations_through(5) == tree.destinations());
  REQUIRE(tree.destinations_through(4) == std::vector<NodeId>{8});
  REQUIRE(tree.destinations_through(0).empty());
  REQUIRE(tree.serves(11, 15));
  REQUIRE_FALSE(tree.serves(11, 7));
  REQUIRE_FALSE(tree.serves(11, 11));  // passed, but not a destination
}

TEST_CASE("A tree to its own root uses the two tile links only", "[mare][tree]") {
  const MeshShape mesh{4, 4};
  const MulticastTree tree(mesh, 9, {9});
  REQUIRE(tree.links() == 0);
  REQUIRE(tree.flit_hops() == 2);
}

TEST_CASE("Trees refuse what is not in the mesh", "[mare][tree]") {
  const MeshShape mesh{4, 4};
  REQUIRE_THROWS_AS(MulticastTree(mesh, 0, {}), std::invalid_argument);
  REQUIRE_THROWS_AS(MulticastTree(mesh, 0, {16}), std::invalid_argument);
  REQUIRE_THROWS_AS(MulticastTree(mesh, 16, {0}), std::invalid_argument);
}

TEST_CASE("Every random tree delivers once, by each link at most once", "[mare][tree]") {
  std::mt19937 random(7);
  for (const MeshShape mesh : {MeshShape{8, 8}, MeshShape{16, 4}, MeshShape{5, 3}, MeshShape{32, 32}}) {
    for (int round = 0; round < 40; ++round) {
      const auto node = [&] { return static_cast<NodeId>(random() % static_cast<unsigned>(mesh.nodes())); };
      const NodeId root = node();
      std::vector<NodeId> wanted(1 + random() % 20);
      for (auto& w : wanted) w = node();
      const MulticastTree tree(mesh, root, wanted);
      int links = 0;
      const auto arrived = walk(mesh, tree, links);
      // The walk visits a link as often as copies cross it: equality says once each.
      REQUIRE(links == tree.links());
      const std::set<NodeId> expected(wanted.begin(), wanted.end());
      for (NodeId n = 0; n < mesh.nodes(); ++n) REQUIRE(arrived[n] == (expected.count(n) ? 1 : 0));
      // Where a tree branches, what passes the branches is what the router serves.
      for (NodeId at = 0; at < mesh.nodes(); ++at) {
        const auto through = tree.destinations_through(at);
        for (NodeId d : tree.destinations()) {
          bool on_path = false;
          for (NodeId n = root;; n = mesh.neighbour(n, xy_route(mesh, n, d))) {
            on_path |= n == at;
            if (n == d) break;
          }
          REQUIRE(on_path == std::binary_search(through.begin(), through.end(), d));
          REQUIRE(on_path == tree.serves(at, d));
        }
      }
    }
  }
}

TEST_CASE("The tree cache knows a set by its members", "[mare][tree]") {
  TreeCache cache(MeshShape{8, 8});
  const MulticastTree* a = cache.get(3, {10, 20, 30});
  REQUIRE(cache.get(3, {30, 10, 20, 10}) == a);
  REQUIRE(cache.get(4, {10, 20, 30}) != a);
  REQUIRE(cache.get(3, {10, 20}) != a);
  REQUIRE(cache.size() == 3);
  std::set<const MulticastTree*> all;
  for (NodeId r = 0; r < 64; ++r)
    for (NodeId i = 0; i < 64; ++i)
      for (NodeId j = i; j < 64; ++j) all.insert(cache.get(r, {j, i}));
  REQUIRE(all.size() == 64 * 65 * 32);
  REQUIRE(cache.get(3, {10, 20, 30}) == a);
  REQUIRE(cache.get(63, {7, 9})->root() == 63);
  REQUIRE(cache.get(63, {7, 9})->destinations() == std::vector<NodeId>{7, 9});
}
