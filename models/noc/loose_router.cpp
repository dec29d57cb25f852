// A packet takes, on each link that it leaves by, the earliest gap at or after its arrival, and has the link
// until its last flit has room downstream.
#include "models/noc/loose_router.h"

#include <algorithm>

namespace meshkv::noc {

LooseRouter::LooseRouter(NocContext& context, NodeId node)
    : context_(&context),
      at_(context.coord(node)),
      routing_cycles_(
          static_cast<Cycle>(context.profile.routing_cycles + (context.profile.speculative ? 0 : 1))),
      flit_cycles_(static_cast<Cycle>(context.profile.flit_cycles)),
      depth_flits_(static_cast<Cycle>(context.config.vc_depth_flits)),
      node_(node) {}

void LooseRouter::b_transport(Packet& packet, unsigned from, sc_core::sc_time& delay) {
  LooseClock& clock = context_->loose;
  const Cycle flits = packet.flits;
  const Cycle head = clock.cycle(delay);
  Cycle left = 0;  // in which the last flit has left the input buffer
  if (packet.tree == nullptr) {
    left = leave(packet, from, static_cast<unsigned>(context_->route(at_, packet.destination)), delay, head);
  } else {
    unsigned ports = packet.tree->out_ports(node_);
    const auto copies = static_cast<std::uint32_t>(__builtin_popcount(ports)) - 1;
    packet.live_copies += copies;
    branch_copies_ += copies;
    // The packet may be back in its pool once the last copy has arrived.
    for (; ports != 0; ports &= ports - 1)
      left = std::max(left, leave(packet, from, static_cast<unsigned>(__builtin_ctz(ports)), delay, head));
  }
  // Of a packet that cannot go on, the last flits wait in the input buffer, off the link.
  const Cycle taken_in = std::max(head + flits - 1, left - std::min(left, depth_flits_));
  clock.prolong(delay, head, taken_in);
}

Cycle LooseRouter::leave(Packet& packet, unsigned from, unsigned port, const sc_core::sc_time& delay,
                         Cycle head) {
  LooseLink& link = links_[port];
  LooseClock& clock = context_->loose;
  const Cycle flits = packet.flits;
  const bool exclusive = LooseLink::exclusive(packet);
  const Cycle start = link.reserve(packet, from, head + routing_cycles_, clock.now());
  sc_core::sc_time downstream = delay;
  clock.prolong(downstream, head, start + flit_cycles_);
  link.next->b_transport(packet, downstream);
  const Cycle left = clock.cycle(downstream) - flit_cycles_;
  link.hold(exclusive, start, flits, left);
  return left;
}

}  // namespace meshkv::noc
