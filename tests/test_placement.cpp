#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <set>

#include "models/takv/placement.h"

using namespace meshkv;
using namespace meshkv::takv;

namespace {
PlacementConfig with(PlacementKind kind) {
  PlacementConfig config;
  config.kind = kind;
  return config;
}
}  // namespace

TEST_CASE("Equation 4 by hand on a 4x4 mesh", "[takv]") {
  const MeshShape mesh{4, 4};
  const Placement p(with(PlacementKind::kTakv), mesh, 6);
  REQUIRE(p.stride() == 5);
  REQUIRE(p.home(0, 0) == mesh.node({0, 0}));
  REQUIRE(p.home(0, 5) == mesh.node({0, 1}));
  REQUIRE(p.home(1, 0) == mesh.node({1, 1}));  // 5 mod 4
  REQUIRE(p.home(1, 2) == mesh.node({1, 3}));
  REQUIRE(p.home(1, 3) == mesh.node({1, 0}));
  REQUIRE(p.home(6, 1) == mesh.node({2, 3}));  // 6 mod 4, (30 + 1) mod 4
  REQUIRE(p.central_ports().empty());
}

TEST_CASE("The stride must be odd and coprime to the height", "[takv]") {
  PlacementConfig config;
  REQUIRE_FALSE(validate(config, MeshShape{8, 8}));
  REQUIRE(effective_stride(config, MeshShape{8, 8}) == 9);
  REQUIRE(effective_stride(config, MeshShape{5, 3}) == 7);  // 6 is even
  REQUIRE(effective_stride(config, MeshShape{2, 6}) == 5);  // 3 divides 6
  REQUIRE(effective_stride(config, MeshShape{16, 4}) == 17);
  config.a = 4;
  const auto even = validate(config, MeshShape{8, 8});
  REQUIRE(even);
  REQUIRE(even->find("takv.a = 4") == 0);
  REQUIRE(even->find("5 is valid") != std::string::npos);
  REQUIRE_THROWS_AS(Placement(config, MeshShape{8, 8}, 4), std::invalid_argument);
  config.a = 3;
  REQUIRE(validate(config, MeshShape{8, 6}));
  REQUIRE_FALSE(validate(config, MeshShape{8, 8}));
  config.a = -1;
  REQUIRE(validate(config, MeshShape{8, 8}));
}

TEST_CASE("Any mesh gets a valid default stride, and spreads each layer over its column", "[takv]") {
  for (int w = 2; w <= 32; ++w) {
    for (int h = 2; h <= 32; ++h) {
      const MeshShape mesh{w, h};
      const Placement p(PlacementConfig{}, mesh, 2 * h);
      REQUIRE(p.stride() > w);
      for (int layer : {0, 1, w, 3 * w + 1}) {
        std::map<NodeId, int> blocks;
        for (int s = 0; s < 2 * h; ++s) ++blocks[p.home(layer, s)];
        REQUIRE(blocks.size() == static_cast<std::size_t>(h));
        for (const auto& [node, n] : blocks) {
          REQUIRE(mesh.coord(node).x == layer % w);
          REQUIRE(n == 2);
        }
      }
    }
  }
}

TEST_CASE("Shared homes go round robin over all tiles", "[takv]") {
  const MeshShape mesh{4, 4};
  PlacementConfig config = with(PlacementKind::kShared);
  const Placement columns(config, mesh, 6);
  REQUIRE(columns.home(0, 0) == mesh.node({0, 0}));
  REQUIRE(columns.home(0, 5) == mesh.node({1, 1}));
  REQUIRE(columns.home(1, 0) == mesh.node({1, 2}));  // block 6
  REQUIRE(columns.home(2, 5) == mesh.node({0, 1}));  // block 17
  config.shared_order = SharedOrder::kRowMajor;
  const Placement rows(config, mesh, 6);
  REQUIRE(rows.home(0, 5) == mesh.node({1, 1}));
  REQUIRE(rows.home(1, 0) == mesh.node({2, 1}));  // block 6
}

TEST_CASE("Central ports and their interleaving", "[takv]") {
  const MeshShape mesh{8, 6};
  PlacementConfig config = with(PlacementKind::kCent);
  const Placement corners(config, mesh, 10);
  REQUIRE(corners.central_ports() == std::vector<NodeId>{0, 7, 40, 47});
  REQUIRE(corners.home(5, 0) == 0);
  REQUIRE(corners.home(5, 6) == 40);
  config.cent_ports = CentPorts::kCorner;
  REQUIRE(Placement(config, mesh, 10).central_ports() == std::vector<NodeId>{0});
  REQUIRE(Placement(config, mesh, 10).home(3, 7) == 0);
  config.cent_ports = CentPorts::kEdge;
  REQUIRE(Placement(config, mesh, 10).central_ports() == std::vector<NodeId>{mesh.node({4, 0})});
  config.cent_ports = CentPorts::kCentre;
  REQUIRE(Placement(config, mesh, 10).central_ports() == std::vector<NodeId>{mesh.node({4, 3})});
}

TEST_CASE("N_max of the paper's example", "[takv]") {
  // L = 32, T = 32768, P = 64, 8x8: 256 blocks a tile, and eq. 4 fills every tile to just that.
  const MeshShape mesh{8, 8};
  REQUIRE(max_blocks_per_tile(mesh, 32, 512) == 256);
  REQUIRE(max_blocks_per_tile(mesh, 3, 43) == 3);  // 129 / 64
  const Placement p(PlacementConfig{}, mesh, 512);
  std::vector<int> blocks(64, 0);
  for (int l = 0; l < 32; ++l)
    for (int s = 0; s < 512; ++s) ++blocks[p.home(l, s)];
  for (int n : blocks) REQUIRE(n == 256);
}
