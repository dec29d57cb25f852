// Faults on demand: what is broken, and where.
#pragma once

#include <cstdint>

#include "models/noc/link_probe.h"

namespace meshkv::check {

enum class FaultKind : std::uint8_t {
  kLoseFlit,       ///< a link drops a flit (lt: the whole chunk)
  kMisroute,       ///< a packet leaves a link with another destination in its header
  kSuppressFirst,  ///< a router drops a payload as a duplicate that it never forwarded
  kStaleBlock,     ///< a home throws away what it is to write: new tokens, swapped blocks
  kLoseDescriptor  ///< a column's control bus acknowledges a FETCH_COMPUTE descriptor and loses it
};

struct Fault {
  FaultKind kind = FaultKind::kLoseFlit;
  noc::LinkId link;  ///< kLoseFlit, kMisroute; of the others only the node
  noc::LinkFault effect;
  int column = 0;  ///< kLoseDescriptor; effect.packet says which one
};

}  // namespace meshkv::check
