#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "models/takv/swap_table.h"

using namespace meshkv;
using namespace meshkv::takv;

namespace {

double sum_of_squares(const std::vector<double>& q) {
  double sum = 0;
  for (double v : q) sum += v * v;
  return sum;
}

std::vector<double> occupancy(const SwapTable& table, int nodes, const std::vector<BlockLoad>& blocks) {
  std::vector<double> q(static_cast<std::size_t>(nodes), 0.0);
  for (const BlockLoad& b : blocks) q[table.home(b.layer, b.slot)] += b.load;
  return q;
}

}  // namespace

TEST_CASE("A hot home gives a hot block for a cold one", "[takv][swap]") {
  // 4x4, layer 0: slots 0..7 in column 0, row s mod 4. Slots 0 and 4 (row 0) are read five times as often.
  const MeshShape mesh{4, 4};
  SwapTable table(Placement(PlacementConfig{}, mesh, 8), mesh);
  std::vector<BlockLoad> blocks;
  for (int s = 0; s < 8; ++s) blocks.push_back({0, s, s % 4 == 0 ? 5.0 : 1.0});
  const auto q = occupancy(table, 16, blocks);  // rows: 10 2 2 2, sum of squares 112
  const auto swaps = table.decide(q, blocks, 8);
  // 10, 2 -> 6, 6 (gain 32). Then 6 against 2: shifting 4 only renames them, so there is no second one.
  REQUIRE(swaps.size() == 1);
  REQUIRE(swaps[0].slot_a == 0);
  REQUIRE(swaps[0].home_a == mesh.node({0, 0}));
  REQUIRE(swaps[0].slot_b == 1);
  REQUIRE(swaps[0].home_b == mesh.node({0, 1}));
  table.apply(swaps[0]);
  REQUIRE(table.home(0, 0) == mesh.node({0, 1}));
  REQUIRE(table.home(0, 1) == mesh.node({0, 0}));
  REQUIRE(table.home(0, 4) == mesh.node({0, 0}));
  REQUIRE(table.home(4, 0) == mesh.node({0, 0}));  // another layer in the same column: not touched
  REQUIRE(sum_of_squares(occupancy(table, 16, blocks)) == Approx(80));
  REQUIRE(table.entries() == 2);
  REQUIRE(table.swaps() == 1);
  REQUIRE_THROWS_AS(table.apply(swaps[0]), std::logic_error);
}

TEST_CASE("A swap back clears the table", "[takv][swap]") {
  const MeshShape mesh{4, 4};
  SwapTable table(Placement(PlacementConfig{}, mesh, 8), mesh);
  table.apply({0, 0, mesh.node({0, 0}), 0, 1, mesh.node({0, 1})});
  REQUIRE(table.entries() == 2);
  table.apply({0, 1, mesh.node({0, 0}), 0, 0, mesh.node({0, 1})});
  REQUIRE(table.entries() == 0);
  REQUIRE(table.home(0, 0) == mesh.node({0, 0}));
}

TEST_CASE("Equal loads are left alone", "[takv][swap]") {
  const MeshShape mesh{8, 8};
  const SwapTable table(Placement(PlacementConfig{}, mesh, 64), mesh);
  std::vector<BlockLoad> blocks;
  for (int s = 0; s < 64; ++s) blocks.push_back({3, s, 0.1});
  REQUIRE(table.decide(occupancy(table, 64, blocks), blocks, 100).empty());
  // A hot tile whose blocks are all equally hot, and a cold one likewise, one block each: a rename.
  std::vector<BlockLoad> two{{3, 0, 9.0}, {3, 1, 1.0}};
  REQUIRE(table.decide(occupancy(table, 64, two), two, 100).empty());
}

TEST_CASE("Swaps always lower the sum of squares and stay a placement", "[takv][swap]") {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    const MeshShape mesh{2 + static_cast<int>(random() % 5), 2 + static_cast<int>(random() % 6)};
    const int slots = 5 + static_cast<int>(random() % 40);
    const int layers = 1 + static_cast<int>(random() % 9);
    PlacementConfig config;
    if (round % 3 == 1) config.kind = PlacementKind::kShared;
    SwapTable table(Placement(config, mesh, slots), mesh);
    std::vector<int> count(static_cast<std::size_t>(mesh.nodes()), 0);
    for (int l = 0; l < layers; ++l)
      for (int s = 0; s < slots; ++s) ++count[table.home(l, s)];

    for (int epoch = 0; epoch < 4; ++epoch) {
      std::vector<BlockLoad> blocks;
      for (int l = 0; l < layers; ++l)
        for (int s = 0; s < slots; ++s) blocks.push_back({l, s, static_cast<double>(random() % 10)});
      double before = sum_of_squares(occupancy(table, mesh.nodes(), blocks));
      for (const Swap& swap : table.decide(occupancy(table, mesh.nodes(), blocks), blocks, 6)) {
        table.apply(swap);
        const double after = sum_of_squares(occupancy(table, mesh.nodes(), blocks));
        REQUIRE(after < before);
        before = after;
      }
    }
    // Every tile holds as many blocks as before: N_max is kept wherever it held.
    std::vector<int> now(count.size(), 0);
    for (int l = 0; l < layers; ++l)
      for (int s = 0; s < slots; ++s) ++now[table.home(l, s)];
    REQUIRE(now == count);
  }
}

TEST_CASE("Swaps flatten a skewed layer", "[takv][swap]") {
  // Row 0 of the column is hot: 8 of 64 segments are read eight times.
  const MeshShape mesh{8, 8};
  SwapTable table(Placement(PlacementConfig{}, mesh, 64), mesh);
  std::vector<BlockLoad> blocks;
  for (int s = 0; s < 64; ++s) blocks.push_back({0, s, s % 8 == 0 ? 8.0 : 1.0});
  for (const Swap& swap : table.decide(occupancy(table, 64, blocks), blocks, 1000)) table.apply(swap);
  const auto q = occupancy(table, 64, blocks);
  for (int y = 0; y < 8; ++y) REQUIRE(q[mesh.node({0, y})] == Approx(15.0));  // 64 + 7 * 8 over 8 rows
}
