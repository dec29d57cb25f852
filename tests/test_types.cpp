#include <catch2/catch.hpp>

#include "models/common/types.h"

using namespace meshkv;

TEST_CASE("XY routing goes along the row first", "[common]") {
  const MeshShape mesh{4, 4};
  REQUIRE(xy_route(mesh, mesh.node({0, 0}), mesh.node({2, 3})) == Port::kEast);
  REQUIRE(xy_route(mesh, mesh.node({2, 0}), mesh.node({2, 3})) == Port::kSouth);
  REQUIRE(xy_route(mesh, mesh.node({2, 3}), mesh.node({2, 3})) == Port::kTile);
  REQUIRE(xy_route(mesh, mesh.node({3, 3}), mesh.node({1, 0})) == Port::kWest);
  REQUIRE(xy_route(mesh, mesh.node({1, 3}), mesh.node({1, 0})) == Port::kNorth);
}

TEST_CASE("Neighbours end at the edge", "[common]") {
  const MeshShape mesh{3, 2};
  REQUIRE(mesh.neighbour(mesh.node({2, 0}), Port::kEast) == kNoNode);
  REQUIRE(mesh.neighbour(mesh.node({1, 1}), Port::kNorth) == mesh.node({1, 0}));
  REQUIRE(opposite(Port::kEast) == Port::kWest);
  REQUIRE(opposite(Port::kNorth) == Port::kSouth);
}
