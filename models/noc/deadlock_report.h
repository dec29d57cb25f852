// Who waits for whom in a mesh that does not move: the cycle of waits, with names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/noc/network_interface_module.h"
#include "models/noc/router.h"

namespace meshkv::noc {

struct DeadlockReport {
  enum class Place : std::uint8_t { kRouterVc, kInjection, kEjection };

  /// One packet of the cycle: what it holds, and what it waits for (held by the next one).
  struct Wait {
    Place place = Place::kRouterVc;
    std::string where;  ///< hierarchical name of the port or interface
    NodeId node = kNoNode;
    Port port = Port::kTile;
    int vc = 0;
    std::uint64_t packet = 0;  ///< Packet::id
    PacketClass packet_class = PacketClass::kPart;
    NodeId source = kNoNode;
    NodeId destination = kNoNode;  ///< kNoNode: a tree
    std::string waits_for;         ///< in words
  };

  Cycle at = 0;               ///< when it was found
  Cycle still_cycles = 0;     ///< for so long nothing had moved
  std::uint64_t packets = 0;  ///< in flight or queued at a source
  std::vector<Wait> cycle;    ///< the last waits for the first; empty: no cycle, see `endpoint`
  std::string endpoint;       ///< where no cycle was found: an endpoint that does not drain, or nothing

  /// Several lines for people.
  std::string text() const;
};

/// Looks at a mesh at rest. `routers` and `interfaces` are indexed by NodeId.
DeadlockReport find_deadlock(const MeshShape& mesh, const std::vector<const Router*>& routers,
                             const std::vector<const NetworkInterface*>& interfaces);

}  // namespace meshkv::noc
