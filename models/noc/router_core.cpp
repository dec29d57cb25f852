#include "models/noc/router_core.h"

namespace meshkv::noc {

RouterCore::RouterCore(NocContext& context, NodeId node)
    : domain_(&context.domain),
      routing_cycles_(static_cast<std::uint8_t>(context.profile.routing_cycles)),
      flit_cycles_(static_cast<std::uint8_t>(context.profile.flit_cycles)),
      speculative_(context.profile.speculative),
      allocation_(context.config.multicast_allocation),
      context_(context),
      node_(node),
      at_(context.coord(node)) {
  const auto depth = static_cast<unsigned>(context.config.vc_depth_flits);
  ring_size_ = 1;
  while (ring_size_ < depth) ring_size_ *= 2;
  ring_.assign(std::size_t{kIndices} * ring_size_, nullptr);
  branches_.resize(kIndices);
  flit_time_ = domain_->period() * context.profile.flit_cycles;
  if (context.config.tag_filter) {
    const NocConfig& c = context.config;
    filter_ = std::make_unique<mare::TagFilter>(
        mare::TagFilterConfig{c.tags, c.bloom_bits, c.bloom_refresh_cycles});
  }
  id_ = domain_->add(*this);
}

void RouterCore::connect_output(Port port, NocFlitIf* next) {
  const auto o = static_cast<unsigned>(port);
  outputs_[o] = next;
  for (int vc = 0; vc < context_.config.vcs(); ++vc) {
    const unsigned out = o * kStride + static_cast<unsigned>(vc);
    free_outputs_ |= bit(out);
    out_vcs_[out].count = static_cast<std::uint16_t>(context_.config.vc_depth_flits);
  }
}

void RouterCore::connect_input(Port port, NocCreditIf* previous, int credit_delay) {
  const auto p = static_cast<unsigned>(port);
  inputs_[p] = previous;
  credit_delay_[p] = static_cast<std::uint8_t>(credit_delay);
  credit_time_[p] = domain_->period() * credit_delay;
}

void RouterCore::schedule(Mask Slot::*what, Mask bits, Cycle at) {
  calendar_[at % kSlots].*what |= bits;
  domain_->wake(id_, at);
}

void RouterCore::receive_flit(unsigned port, unsigned vc, bool head, Packet* packet, Cycle visible_at) {
  const unsigned i = port * kStride + vc;
  InputVc& v = vcs_[i];
  v.add(visible_at);
  if (++v.occupancy == 1) {
    if (head) {
      v.front = packet;
      schedule(&Slot::routed, bit(i), visible_at + routing_cycles_);
    } else {
      schedule(&Slot::flit, bit(i), visible_at);
    }
    return;
  }
  if (head) {
    // Behind the front packet, which stays in v.front: the ring holds only those that wait.
    ring_[i * ring_size_ + ((v.ring_head + v.ring_count) & (ring_size_ - 1))] = packet;
    ++v.ring_count;
  }
  if ((v.flags & kMulti) != 0) schedule(&Slot::flit, bit(i), visible_at);
}

void RouterCore::receive_credit(unsigned port, unsigned vc, Cycle usable_at) {
  const unsigned o = port * kStride + vc;
  CreditCounter& out = out_vcs_[o];
  out.give_back(usable_at);
  // With credits left nobody starves for this one. With the output VC free, whoever gets it will look.
  if (out.count == 1 && (free_outputs_ & bit(o)) == 0) schedule(&Slot::credit, bit(o), usable_at);
}

void RouterCore::tick(Cycle now) {
  if (sleep_stalls_ != 0) {
    const Cycle gap = now - last_tick_ - 1;
    for (unsigned s = sleep_stalls_; s != 0; s &= s - 1) back_pressure_[first(s)] += gap;
    sleep_stalls_ = 0;
  }
  last_tick_ = now;
  sent_ports_ = 0;
  sent_vcs_ = 0;
  Slot& slot = calendar_[now % kSlots];
  for (Mask m = slot.credit; m != 0; m &= m - 1) {
    const unsigned o = first(m);
    if ((free_outputs_ & bit(o)) != 0) continue;
    const unsigned i = out_vcs_[o].owner;
    if ((multi_ & bit(i)) == 0) {
      has_credit_ |= bit(i);
    } else {
      branches_[i].credit = static_cast<std::uint8_t>(branches_[i].credit | 1U << (o / kStride));
      multi_live_ |= bit(i);
    }
  }
  has_flit_ |= slot.flit;
  multi_live_ |= slot.flit & multi_;
  const Mask routed = slot.routed;
  slot = Slot{};
  for (Mask m = routed; m != 0; m &= m - 1) begin_bid(first(m), now);

  // What may use the switch in this cycle; an output VC granted now is usable in the next cycle, or now on
  // speculation.
  const Mask held = active_ & has_flit_;
  const Mask ready = held & has_credit_;
  Bids bids;
  Mask multi = 0;
  if (!speculative_ && multi_live_ != 0) multi = ready_multi(now);
  if (va_wait_ != 0) bids = allocate_vcs(now);
  if (speculative_ && multi_live_ != 0) multi = ready_multi(now);
  if ((ready | bids.speculative | multi) != 0) allocate_switch(ready, multi, bids, now);
  if (multi_ != 0) settle_branches(now);
  account(speculative_ ? held | bids.granted : held, now);
}

void RouterCore::begin_bid(unsigned i, Cycle now) {
  InputVc& v = vcs_[i];
  Packet& p = *v.front;
  v.kind = static_cast<std::uint8_t>(flit_kind(p));
  v.flags = kHeadNext;
  v.left = p.flits;
  v.vc_mask = context_.class_vcs(p.packet_class);
  if (filter_ != nullptr && p.packet_class == PacketClass::kKvData) {
    if (filter_->covered(p.key, p.tree, p.destination, node_, now)) {
      ++statistics_.suppressed_packets;
      begin_branches(i, 0);
      return;
    }
    filter_->record(p.key, p.tree, p.destination, node_, now);
  }
  unsigned port;
  if (p.tree == nullptr) {
    port = static_cast<unsigned>(context_.route(at_, p.destination));
  } else {
    const std::uint8_t ports = p.tree->out_ports(node_);
    if ((ports & (ports - 1)) != 0) {
      p.live_copies += static_cast<std::uint32_t>(__builtin_popcount(ports)) - 1;
      statistics_.branch_copies += static_cast<std::uint64_t>(__builtin_popcount(ports)) - 1;
      begin_branches(i, ports);
      return;
    }
    port = first(ports);
  }
  v.out = static_cast<std::uint8_t>(port * kStride);
  va_wait_ |= bit(i);
}

void RouterCore::new_front(unsigned i, Cycle visible_at, Cycle earliest) {
  InputVc& v = vcs_[i];
  v.front = ring_[i * ring_size_ + v.ring_head];
  v.ring_head = static_cast<std::uint16_t>((v.ring_head + 1U) & (ring_size_ - 1));
  --v.ring_count;
  schedule(&Slot::routed, bit(i), (visible_at > earliest ? visible_at : earliest) + routing_cycles_);
}

void RouterCore::transmit(InputVc& v, unsigned out, bool head, bool tail) {
  const unsigned o = out / kStride;
  sent_ports_ = static_cast<std::uint8_t>(sent_ports_ | 1U << o);
  ++sent_[o][v.kind];
  NocPhase phase;
  phase.vc = static_cast<std::uint8_t>(out % kStride);
  phase.head = head;
  phase.tail = tail;
  phase.delay_cycles = flit_cycles_;
  sc_core::sc_time delay = flit_time_;
  if (outputs_[o]->nb_transport_fw(*v.front, phase, delay) == tlm::TLM_UPDATED)
    receive_credit(o, phase.vc, last_tick_ + phase.delay_cycles);
}

void RouterCore::free_slot(unsigned i, Cycle now) {
  InputVc& v = vcs_[i];
  --v.occupancy;
  const unsigned port = i / kStride;
  NocPhase phase;
  phase.kind = NocPhase::kCredit;
  phase.vc = static_cast<std::uint8_t>(i % kStride);
  phase.delay_cycles = credit_delay_[port];
  sc_core::sc_time delay = credit_time_[port];
  inputs_[port]->nb_transport_bw(*v.front, phase, delay);
  if (--v.left != 0) return;
  if (v.occupancy == 0) {
    v.front = nullptr;
    return;
  }
  const int hidden = v.after(now + 1);
  const bool visible = v.occupancy > hidden;
  new_front(i, visible ? now + 1 : v.from_end(v.occupancy), now + 1);
}

bool RouterCore::next_flit_visible(InputVc& v, Mask b, Cycle now) {
  if (v.occupancy == 0) return false;
  if (v.last <= now + 1 || v.occupancy > v.after(now + 1)) return true;
  schedule(&Slot::flit, b, v.from_end(v.occupancy));
  return false;
}

void RouterCore::release_output(unsigned out) {
  free_outputs_ |= bit(out);
  Mask& blocked = blocked_[out / kStride];
  if (blocked == 0) return;
  blocked_ports_ = static_cast<std::uint8_t>(blocked_ports_ & ~(1U << (out / kStride)));
  for (Mask m = blocked & multi_; m != 0; m &= m - 1) {
    Branches& b = branches_[first(m)];
    const unsigned port = 1U << (out / kStride);
    b.bidding = static_cast<std::uint8_t>(b.bidding | port);
    b.blocked = static_cast<std::uint8_t>(b.blocked & ~port);
  }
  va_wait_ |= blocked;
  blocked = 0;
}

void RouterCore::refresh_credit(unsigned i, CreditCounter& out, unsigned o, Cycle now) {
  if (out.count == 0 || out.usable(now + 1) == 0) {
    has_credit_ &= ~bit(i);
    if (out.count != 0) schedule(&Slot::credit, bit(o), out.first_usable());
  } else {
    has_credit_ |= bit(i);
  }
}

void RouterCore::send(unsigned i, Cycle now) {
  InputVc& v = vcs_[i];
  const unsigned o = v.out;
  const Mask b = bit(i);
  CreditCounter& out = out_vcs_[o];
  --out.count;
  sent_vcs_ |= b;
  const bool tail = v.left == 1;
  const bool head = (v.flags & kHeadNext) != 0;
  v.flags = 0;
  transmit(v, o, head, tail);
  free_slot(i, now);
  if (tail) {
    active_ &= ~b;
    has_flit_ &= ~b;
    has_credit_ &= ~b;
    release_output(o);
    return;
  }
  if (!next_flit_visible(v, b, now)) has_flit_ &= ~b;
  refresh_credit(i, out, o, now);
}

}  // namespace meshkv::noc
