// Loosely-timed transport through a router: a packet takes, on each link that it leaves by, the earliest gap
// at or after its arrival, and has the link until its last flit has room downstream.
#include <algorithm>

#include "models/noc/router_port.h"

namespace meshkv::noc {

void RouterPort::b_transport(Packet& packet, sc_core::sc_time& delay) {
  LooseClock& clock = context_->loose;
  delay = clock.delay(core_->pass_on(packet, clock.cycle(delay)));
}

Cycle RouterCore::pass_on(Packet& packet, Cycle head) {
  const Cycle flits = packet.flits;
  const Cycle ready = head + routing_cycles_ + (speculative_ ? 0 : 1);
  Cycle left = 0;  // in which the last flit has left the input buffer
  if (packet.tree == nullptr) {
    left = pass_on(packet, static_cast<unsigned>(context_.route(at_, packet.destination)), ready, flits);
  } else {
    // The packet may be back in its pool once the last copy has arrived.
    unsigned ports = packet.tree->out_ports(node_);
    const auto copies = static_cast<std::uint32_t>(__builtin_popcount(ports)) - 1;
    packet.live_copies += copies;
    statistics_.branch_copies += copies;
    for (; ports != 0; ports &= ports - 1)
      left = std::max(left, pass_on(packet, static_cast<unsigned>(__builtin_ctz(ports)), ready, flits));
  }
  // Of a packet that cannot go on, the last flits wait in the input buffer, off the link.
  const auto depth = static_cast<Cycle>(context_.config.vc_depth_flits);
  return std::max(head + flits - 1, left - std::min(left, depth));
}

Cycle RouterCore::pass_on(Packet& packet, unsigned port, Cycle ready, Cycle flits) {
  LooseLink& link = loose_[port];
  LooseClock& clock = context_.loose;
  const bool data = packet.packet_class == PacketClass::kKvData;
  const Cycle start = link.reserve(packet, ready, clock.now());
  sc_core::sc_time delay = clock.delay(start + flit_cycles_);
  link.next->b_transport(packet, delay);
  const Cycle left = clock.cycle(delay) - flit_cycles_;
  link.hold(data, start, flits, left + 1);
  return left;
}

}  // namespace meshkv::noc
