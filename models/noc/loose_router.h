// A router in lt: its output links, and how a packet goes through it. Compact: what all routers of a mesh
// touch should stay in a core's caches.
#pragma once

#include <array>

#include "models/noc/loose_link.h"
#include "models/noc/noc_context.h"

namespace meshkv::noc {

class LooseRouter {
 public:
  LooseRouter(NocContext& context, NodeId node);

  /// A packet's head is at input `from`, `delay` from now. On return `delay` says when its last flit was
  /// taken in.
  void b_transport(Packet& packet, unsigned from, sc_core::sc_time& delay);

  void connect(Port port, NocBlockingIf* next) { links_[static_cast<unsigned>(port)].next = next; }
  const LooseLink& link(Port port) const { return links_[static_cast<unsigned>(port)]; }
  std::uint64_t branch_copies() const { return branch_copies_; }

 private:
  /// Returns the cycle in which the last flit leaves by `port`.
  Cycle leave(Packet& packet, unsigned from, unsigned port, const sc_core::sc_time& delay, Cycle head);

  NocContext* context_;
  Coord at_;
  Cycle routing_cycles_;  // head visible at an input -> switch, at zero load
  Cycle flit_cycles_;     // switch -> visible downstream
  Cycle depth_flits_;
  std::uint64_t branch_copies_ = 0;
  NodeId node_;
  std::array<LooseLink, kPorts> links_;
};

}  // namespace meshkv::noc
