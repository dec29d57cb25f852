// Words that every part shares: cycles, nodes, ports, the shape of the mesh.
#pragma once

#include <cstdint>

namespace meshkv {

/// Fabric clock cycles since the start of simulation. Time is counted in cycles and converted to sc_time
/// once.
using Cycle = std::uint64_t;
constexpr Cycle kNever = ~Cycle{0};

/// Tile number: node = x + width * y (BookSim2's numbering).
using NodeId = std::uint16_t;
constexpr NodeId kNoNode = 0xffff;

struct Coord {
  int x = 0;
  int y = 0;
  friend bool operator==(Coord a, Coord b) { return a.x == b.x && a.y == b.y; }
  friend bool operator!=(Coord a, Coord b) { return !(a == b); }
};

/// Router ports. East is x+1, west x-1, south y+1, north y-1; `kTile` is injection and ejection.
enum class Port : std::uint8_t { kEast = 0, kWest = 1, kSouth = 2, kNorth = 3, kTile = 4 };
constexpr int kPorts = 5;
constexpr std::uint8_t port_bit(Port p) {
  return static_cast<std::uint8_t>(1U << static_cast<unsigned>(p));
}
constexpr Port opposite(Port p) {
  return p == Port::kTile ? p : static_cast<Port>(static_cast<unsigned>(p) ^ 1U);
}
const char* port_name(Port p);  ///< "east", "west", "south", "north", "tile"

/// Width x height mesh of tiles, 2x2 to 32x32.
struct MeshShape {
  int width = 8;
  int height = 8;
  int nodes() const { return width * height; }
  NodeId node(Coord c) const { return static_cast<NodeId>(c.x + width * c.y); }
  Coord coord(NodeId n) const { return {n % width, n / width}; }
  bool contains(Coord c) const { return c.x >= 0 && c.x < width && c.y >= 0 && c.y < height; }
  /// Neighbour in a cardinal direction, or kNoNode at the edge.
  NodeId neighbour(NodeId n, Port p) const;
};

/// Dimension-ordered (X first, then Y) routing: the port by which a flit at `at` leaves for `to`.
Port xy_route(const MeshShape& mesh, NodeId at, NodeId to);

/// How transactions travel (DESIGN section 3): loosely or approximately timed.
enum class TimingMode : std::uint8_t { kLt, kAt };

}  // namespace meshkv
