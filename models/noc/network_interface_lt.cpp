// Loosely-timed sending and ejection: a packet is at all its destinations when transfer() returns, each with
// the cycles in which that will be so.
#include <algorithm>
#include <cstdlib>

#include "models/noc/network_interface_module.h"

namespace meshkv::noc {

namespace {

constexpr unsigned kOneInput = 0;  // of an injection link

/// Of a head, if nothing is in its way. A slice that comes packet by packet in turn with others takes up what
/// its packets wait on the way, but for the last one's few cycles.
Cycle way(const NocContext& context, NodeId from, NodeId to) {
  const Coord a = context.coord(from), b = context.coord(to);
  const int routers = std::abs(a.x - b.x) + std::abs(a.y - b.y) + 1;
  return static_cast<Cycle>(context.profile.inject_cycles + routers * context.profile.hop_cycles());
}

}  // namespace

Cycle NetworkInterface::transfer(Packet* packet, Cycle earliest) {
  const auto c = static_cast<unsigned>(packet->packet_class);
  packet->source = node_;
  packet->created = earliest;
  packet->live_copies = 1;
  // A chunk stands for the packets that it would be in at.
  const auto depth = static_cast<unsigned>(context_.config.vc_depth_flits);
  const bool data = packet->packet_class == PacketClass::kKvData;
  statistics_.sent_packets[c] += data ? (packet->flits + depth - 1) / depth : 1;
  statistics_.sent_flits[c] += packet->flits;
  return carry(*packet, earliest);
}

Cycle NetworkInterface::carry(Packet& packet, Cycle earliest) {
  const Cycle flits = packet.flits;
  const bool exclusive = LooseLink::exclusive(packet);
  LooseLink* link = &links_[0]->loose();
  LooseLink* other = nullptr;
  if (links_.size() > 1) {
    other = &links_[1]->loose();
    if (other->data_free() < link->data_free()) std::swap(link, other);
  }
  LooseClock& clock = context_.loose;
  const Cycle present = context_.domain.now();
  // As in at: who acts in a cycle is heard in the next one.
  const Cycle start = link->reserve(
      packet, kOneInput, std::max(earliest, context_.domain.processing() ? present + 1 : present), present);
  packet.injected = start;
  const auto travel = static_cast<Cycle>(context_.profile.inject_cycles);
  sc_core::sc_time delay = clock.begin(present, start + travel);
  link->next->b_transport(packet, delay);
  link->hold(exclusive, start, flits, clock.cycle(delay) - travel);
  const Cycle free = other != nullptr ? std::min(link->data_free(), other->data_free()) : link->data_free();
  return std::max(free, present + 1) - 1;
}

void NetworkInterface::b_transport(Packet& packet, sc_core::sc_time& delay) {
  LooseClock& clock = context_.loose;
  const auto c = static_cast<unsigned>(packet.packet_class);
  const Cycle flits = packet.flits;
  const auto depth = static_cast<unsigned>(context_.config.vc_depth_flits);
  statistics_.ejected_packets[c] +=
      packet.packet_class == PacketClass::kKvData ? (packet.flits + depth - 1) / depth : 1;
  statistics_.ejected_flits[c] += flits;
  const Cycle head = clock.cycle(delay);
  const Cycle drain = drains_at_once_ ? head : std::max(head, client_->on_head(packet, head));
  const Cycle tail = drain + flits - 1;
  const Cycle last = std::max(tail, packet.tail_not_before + way(context_, packet.source, node_));
  client_->on_tail(packet, last);
  context_.pool.drop_copy(&packet);
  clock.prolong(delay, head, tail);
}

}  // namespace meshkv::noc
