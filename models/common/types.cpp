#include "models/common/types.h"

namespace meshkv {

const char* port_name(Port p) {
  constexpr const char* kNames[kPorts] = {"east", "west", "south", "north", "tile"};
  return kNames[static_cast<unsigned>(p)];
}

NodeId MeshShape::neighbour(NodeId n, Port p) const {
  Coord c = coord(n);
  switch (p) {
    case Port::kEast:
      ++c.x;
      break;
    case Port::kWest:
      --c.x;
      break;
    case Port::kSouth:
      ++c.y;
      break;
    case Port::kNorth:
      --c.y;
      break;
    case Port::kTile:
      return n;
  }
  return contains(c) ? node(c) : kNoNode;
}

Port xy_route(const MeshShape& mesh, NodeId at, NodeId to) {
  const Coord a = mesh.coord(at);
  const Coord b = mesh.coord(to);
  if (b.x != a.x) return b.x > a.x ? Port::kEast : Port::kWest;
  if (b.y != a.y) return b.y > a.y ? Port::kSouth : Port::kNorth;
  return Port::kTile;
}

}  // namespace meshkv
