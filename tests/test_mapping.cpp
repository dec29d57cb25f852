#include <catch2/catch.hpp>
#include <set>

#include "models/noc/multicast_tree.h"
#include "models/takv/placement.h"
#include "models/workload/mapping.h"

using namespace meshkv;
using namespace meshkv::workload;

namespace {

ModelShape model(int layers, int heads, int kv_heads) {
  ModelShape m;
  m.layers = layers;
  m.heads = heads;
  m.kv_heads = kv_heads;
  return m;
}

std::unique_ptr<Mapping> make(MappingPolicy policy, MeshShape mesh, const ModelShape& m, int a, int slots) {
  MappingConfig config;
  config.policy = policy;
  config.reduce_root_row = 1;
  config.follow_columns = std::min(4, mesh.width);
  return Mapping::make(config, mesh, m, KvLayout{}, a, slots);
}

/// Mean flit-hops of a line (as delivered to one tile, or by a tree to all heads that share it).
double hops_per_line(const MeshShape& mesh, const ModelShape& m, takv::PlacementKind kind, bool multicast) {
  constexpr int kSlots = 512;
  constexpr int kHeadsPerLine = 2;
  takv::PlacementConfig config;
  config.kind = kind;
  const takv::Placement placement(config, mesh, kSlots);
  const auto mapping = make(MappingPolicy::kHalfCopies, mesh, m, placement.stride(), kSlots);
  noc::TreeCache trees(mesh);
  long hops = 0;
  long lines = 0;
  for (int l = 0; l < m.layers; ++l) {
    for (int s = 0; s < kSlots; ++s) {
      for (int h = 0; h < m.kv_heads; h += kHeadsPerLine) {
        std::set<NodeId> tiles;
        for (int i = 0; i < kHeadsPerLine; ++i) tiles.insert(mapping->tile(l, s, h + i));
        const NodeId home = placement.home(l, s);
        ++lines;
        if (multicast) {
          hops += trees.get(home, {tiles.begin(), tiles.end()})->flit_hops();
        } else {
          for (NodeId t : tiles) hops += trees.get(home, {t})->flit_hops();
        }
      }
    }
  }
  return static_cast<double>(hops) / static_cast<double>(lines);
}

}  // namespace

TEST_CASE("half_copies by hand on a 4x4 mesh", "[workload][mapping]") {
  // 8 heads on 8 slots of a half (4 columns x 2 rows). a = 5: home row (5 l + s) mod 4.
  const MeshShape mesh{4, 4};
  const auto m = make(MappingPolicy::kHalfCopies, mesh, model(4, 8, 8), 5, 6);
  REQUIRE(m->tile(0, 0, 0) == mesh.node({0, 0}));
  REQUIRE(m->tile(0, 1, 1) == mesh.node({0, 1}));  // pair mate below, same half
  REQUIRE(m->tile(0, 2, 1) == mesh.node({0, 3}));  // home row 2: lower half
  REQUIRE(m->tile(0, 3, 7) == mesh.node({3, 3}));
  REQUIRE(m->tile(1, 0, 4) == mesh.node({2, 0}));  // home row 1
  REQUIRE(m->tile(1, 1, 4) == mesh.node({2, 2}));  // home row 2
  REQUIRE(m->reduce_root(3, 5) == mesh.node({2, 1}));
}

TEST_CASE("half_copies repeats few heads and stacks many", "[workload][mapping]") {
  const MeshShape mesh{4, 4};
  // 4 KV heads (two pairs) on 8 slots: two copies of each pair side by side, 4 segments each in turn.
  const auto few = make(MappingPolicy::kHalfCopies, mesh, model(4, 8, 4), 5, 64);
  REQUIRE(few->tile(0, 0, 1) == mesh.node({0, 1}));
  REQUIRE(few->tile(0, 4, 1) == mesh.node({1, 1}));   // copy 1 of pair 0: slots 2 and 3
  REQUIRE(few->tile(0, 4, 2) == mesh.node({3, 0}));   // copy 1 of pair 1: slots 6 and 7
  REQUIRE(few->tile(0, 14, 0) == mesh.node({1, 2}));  // copy 1; home row 2
  REQUIRE(few->tile(0, 8, 1) == few->tile(0, 0, 1));
  REQUIRE(few->reduce_root(0, 1) == mesh.node({0, 1}));
  REQUIRE(few->reduce_root(0, 3) == mesh.node({2, 1}));
  // 20 heads on 8 slots: 3 consecutive heads a slot.
  const auto many = make(MappingPolicy::kHalfCopies, mesh, model(4, 20, 20), 5, 64);
  REQUIRE(many->tile(0, 0, 2) == mesh.node({0, 0}));
  REQUIRE(many->tile(0, 0, 3) == mesh.node({0, 1}));
  REQUIRE(many->tile(0, 0, 19) == mesh.node({3, 0}));
  REQUIRE(many->reduce_root(0, 19) == mesh.node({3, 1}));
}

TEST_CASE("half_copies leaves the middle row of an odd mesh idle", "[workload][mapping]") {
  const MeshShape mesh{4, 5};
  const auto m = make(MappingPolicy::kHalfCopies, mesh, model(1, 8, 8), 7, 20);
  REQUIRE(m->tile(0, 1, 0) == mesh.node({0, 0}));
  REQUIRE(m->tile(0, 3, 0) == mesh.node({0, 3}));
  REQUIRE(m->tile(0, 2, 0) == mesh.node({0, 0}));  // home in the middle: upper and lower in turn
  REQUIRE(m->tile(0, 7, 0) == mesh.node({0, 3}));
}

TEST_CASE("The other mappings by hand on a 4x4 mesh", "[workload][mapping]") {
  const MeshShape mesh{4, 4};
  const auto split = make(MappingPolicy::kColumnSplit, mesh, model(4, 8, 8), 5, 64);
  REQUIRE(split->tile(2, 6, 5) == mesh.node({2, 2}));
  REQUIRE(split->tile(2, 6, 4) == mesh.node({2, 2}));
  REQUIRE(split->reduce_root(2, 7) == mesh.node({3, 1}));
  const auto tile = make(MappingPolicy::kHeadPerTile, mesh, model(4, 8, 8), 5, 64);
  REQUIRE(tile->tile(2, 6, 5) == mesh.node({1, 1}));
  REQUIRE(tile->reduce_root(2, 5) == mesh.node({1, 1}));
  const auto shared = make(MappingPolicy::kHeadPerTile, mesh, model(4, 40, 40), 5, 64);
  REQUIRE(shared->tile(0, 0, 39) == mesh.node({3, 1}));  // 3 heads a tile
  const auto follow = make(MappingPolicy::kLayerFollowing, MeshShape{8, 8}, model(32, 32, 32), 9, 64);
  const MeshShape big{8, 8};
  REQUIRE(follow->tile(4, 11, 0) == big.node({3, 3}));
  REQUIRE(follow->tile(4, 11, 31) == big.node({6, 3}));
  REQUIRE(follow->tile(0, 0, 0) == big.node({0, 0}));  // shifted inwards at the edges
  REQUIRE(follow->tile(15, 0, 31) == big.node({7, 0}));
  REQUIRE(follow->tile(15, 0, 0) == big.node({4, 0}));
  REQUIRE(follow->reduce_root(4, 0) == big.node({3, 1}));
}

TEST_CASE("Mappings refuse rows and columns outside the mesh", "[workload][mapping]") {
  MappingConfig config;
  config.reduce_root_row = 4;
  REQUIRE(Mapping::validate(config, MeshShape{4, 4}));
  REQUIRE_THROWS_AS(Mapping::make(config, MeshShape{4, 4}, model(1, 1, 1), KvLayout{}, 5, 1),
                    std::invalid_argument);
  config.reduce_root_row = 3;
  REQUIRE_FALSE(Mapping::validate(config, MeshShape{4, 4}));
  config.policy = MappingPolicy::kLayerFollowing;
  config.follow_columns = 5;
  REQUIRE(Mapping::validate(config, MeshShape{4, 4}));
}

TEST_CASE("Every mapping stays in the mesh, and roots stand in a column of their head",
          "[workload][mapping]") {
  for (const auto policy : {MappingPolicy::kHalfCopies, MappingPolicy::kColumnSplit,
                            MappingPolicy::kHeadPerTile, MappingPolicy::kLayerFollowing}) {
    for (const MeshShape mesh : {MeshShape{2, 2}, MeshShape{8, 8}, MeshShape{16, 4}, MeshShape{5, 3},
                                 MeshShape{3, 7}, MeshShape{32, 32}}) {
      for (int kv : {1, 2, 7, 8, 32, 40, 128}) {
        const int a = takv::effective_stride({}, mesh);
        const auto m = make(policy, mesh, model(9, kv, kv), a, 100);
        bool inside = true;
        bool root_in_column = true;
        for (int l = 0; l < 9; ++l) {
          for (int h = 0; h < kv; ++h) {
            bool found = false;
            for (int s = 0; s < 100; ++s) {
              const NodeId t = m->tile(l, s, h);
              inside = inside && t < mesh.nodes();
              found = found || mesh.coord(t).x == mesh.coord(m->reduce_root(l, h)).x;
            }
            root_in_column = root_in_column && found && mesh.coord(m->reduce_root(l, h)).y == 1;
          }
        }
        CAPTURE(static_cast<int>(policy), mesh.width, mesh.height, kv);
        REQUIRE(inside);
        REQUIRE(root_in_column);
      }
    }
  }
}

TEST_CASE("half_copies explains the traffic of the paper's Table IV", "[workload][mapping]") {
  const MeshShape mesh{8, 8};
  using takv::PlacementKind;
  // LLaMA-2-7B: a line serves two tiles; unicast sends it twice.
  const ModelShape llama = model(32, 32, 32);
  const double cent = hops_per_line(mesh, llama, PlacementKind::kCent, false);
  REQUIRE(cent == 2 * 9.0);
  REQUIRE(hops_per_line(mesh, llama, PlacementKind::kShared, false) == 2 * 7.25);
  REQUIRE(hops_per_line(mesh, llama, PlacementKind::kTakv, false) == 2 * 5.875);
  REQUIRE(hops_per_line(mesh, llama, PlacementKind::kTakv, true) / cent == Approx(0.41).margin(0.002));
  // Mistral-7B: 8 KV heads in four replicas.
  const ModelShape mistral = model(32, 32, 8);
  const double central = hops_per_line(mesh, mistral, PlacementKind::kCent, false);
  REQUIRE(hops_per_line(mesh, mistral, PlacementKind::kShared, false) / central == Approx(7.125 / 9));
  REQUIRE(hops_per_line(mesh, mistral, PlacementKind::kTakv, false) / central == Approx(0.653).margin(0.001));
  REQUIRE(hops_per_line(mesh, mistral, PlacementKind::kTakv, true) / central == Approx(0.411).margin(0.002));
}
