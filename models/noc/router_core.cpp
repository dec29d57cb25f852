// The hot path: one tick, VC and switch allocation, the departure of a flit. The allocators are separable,
// input first, one iteration, round robin; pointers advance past what was matched, and only then.
#include "models/noc/router_core.h"

namespace meshkv::noc {

/// What the input stage of switch allocation asks of the outputs: a byte an output, a bit an input.
struct RouterCore::SwitchRequests {
  Mask firm = 0;
  Mask speculative = 0;
  std::uint8_t vc[kPorts];  // chosen input VC of each input port that asks
};

void RouterCore::receive_behind(unsigned i, bool head, Packet* packet, Cycle visible_at) {
  InputVc& v = vcs_[i];
  if (head) {
    // The front packet is v.front: the ring holds only those that wait behind it.
    ring_[i * ring_size_ + ((v.ring_head + v.ring_count) & (ring_size_ - 1))] = packet;
    ++v.ring_count;
  }
  if ((v.flags & kMulti) != 0) schedule(&Slot::flit, bit(i), visible_at);
}

void RouterCore::take_credits(Mask outputs) {
  for (Mask m = outputs & ~free_outputs_; m != 0; m &= m - 1) {
    const unsigned o = first(m);
    const unsigned i = out_vcs_[o].owner;
    if ((multi_ & bit(i)) == 0) {
      has_credit_ |= bit(i);
    } else {
      branches_[i].credit = static_cast<std::uint8_t>(branches_[i].credit | 1U << (o / kStride));
      multi_live_ |= bit(i);
    }
  }
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
    const std::uint8_t ports = p.tree->out_ports_data()[node_];
    if ((ports & (ports - 1)) != 0) {
      begin_branches(i, ports);
      return;
    }
    port = first(ports);
  }
  v.out = static_cast<std::uint8_t>(port * kStride);
  va_wait_ |= bit(i);
}

/// The packet behind the one that has left gets to the front: in the next cycle, if its head is there by
/// then.
void RouterCore::new_front(unsigned i, Cycle now) {
  InputVc& v = vcs_[i];
  if (v.occupancy == 0) {
    v.front = nullptr;
    return;
  }
  v.front = ring_[i * ring_size_ + v.ring_head];
  v.ring_head = static_cast<std::uint16_t>((v.ring_head + 1U) & (ring_size_ - 1));
  --v.ring_count;
  Cycle from = now + 1;
  if (v.last > from && v.occupancy <= v.after(from)) from = v.from_end(v.occupancy);
  schedule(&Slot::routed, bit(i), from + routing_cycles_);
}

inline void RouterCore::transmit(InputVc& v, unsigned out, bool head, bool tail, Cycle now) {
  const unsigned o = out / kStride;
  sent_ports_ = static_cast<std::uint8_t>(sent_ports_ | 1U << o);
  ++sent_[o][v.kind];
  NocPhase phase;
  phase.at = now + flit_cycles_;
  phase.vc = static_cast<std::uint8_t>(out % kStride);
  phase.head = head;
  phase.tail = tail;
  sc_core::sc_time delay = flit_time_;
  if (outputs_[o]->nb_transport_fw(*v.front, phase, delay) == tlm::TLM_UPDATED)
    receive_credit(o, phase.vc, phase.at);
}

inline void RouterCore::return_credit(unsigned i, Packet& packet, Cycle now) {
  const unsigned port = i / kStride;
  NocPhase phase;
  phase.at = now + credit_delay_[port];
  phase.kind = NocPhase::kCredit;
  phase.vc = static_cast<std::uint8_t>(i % kStride);
  sc_core::sc_time delay = credit_time_[port];
  inputs_[port]->nb_transport_bw(packet, phase, delay);
}

void RouterCore::release_output(unsigned out) {
  free_outputs_ |= bit(out);
  const unsigned port = out / kStride;
  const Mask blocked = blocked_[port];
  if (blocked == 0) return;
  for (Mask m = blocked & multi_; m != 0; m &= m - 1) {
    Branches& b = branches_[first(m)];
    b.bidding = static_cast<std::uint8_t>(b.bidding | 1U << port);
    b.blocked = static_cast<std::uint8_t>(b.blocked & ~(1U << port));
  }
  va_wait_ |= blocked;
  blocked_[port] = 0;
  blocked_ports_ = static_cast<std::uint8_t>(blocked_ports_ & ~(1U << port));
}

/// The next flit of the unicast packet at the front of input VC `i` leaves.
inline void RouterCore::send(unsigned i, Cycle now) {
  InputVc& v = vcs_[i];
  const unsigned o = v.out;
  const Mask b = bit(i);
  CreditCounter& out = out_vcs_[o];
  sent_vcs_ |= b;
  --out.count;
  --v.occupancy;
  const bool head = v.flags != 0;
  const bool tail = --v.left == 0;
  v.flags = 0;
  transmit(v, o, head, tail, now);
  return_credit(i, *v.front, now);
  if (tail) {
    send_tail(i, o, now);
    return;
  }
  if (v.occupancy == 0) {
    has_flit_ &= ~b;
  } else if (v.last > now + 1 && v.occupancy <= v.after(now + 1)) {
    has_flit_ &= ~b;
    schedule(&Slot::flit, b, v.from_end(v.occupancy));
  }
  if (out.count == 0) {
    has_credit_ &= ~b;
  } else if (out.last > now + 1 && out.count <= out.after(now + 1)) {
    has_credit_ &= ~b;
    schedule(&Slot::credit, bit(o), out.first_usable());
  }
}

void RouterCore::send_tail(unsigned i, unsigned out, Cycle now) {
  const Mask keep = ~bit(i);
  active_ &= keep;
  has_flit_ &= keep;
  has_credit_ &= keep;
  release_output(out);
  new_front(i, now);
}

inline void RouterCore::bid(unsigned i, unsigned port, Cycle now, Mask& requested, Mask* requests,
                            Bids& bids) {
  const InputVc& v = vcs_[i];
  Mask candidates = free_outputs_ & (Mask{v.vc_mask} << port * kStride);
  if (candidates == 0) {
    blocked_[port] |= bit(i);
    blocked_ports_ = static_cast<std::uint8_t>(blocked_ports_ | 1U << port);
    va_wait_ &= ~bit(i);
    return;
  }
  if (allocation_ == MulticastAllocation::kCutThrough && v.front->tree != nullptr) {
    for (Mask m = candidates; m != 0; m &= m - 1)
      if (out_vcs_[first(m)].usable(now) < v.front->flits) candidates &= ~bit(first(m));
    if (candidates == 0) return;
  }
  if (speculative_) {
    // The switch is asked at the same time, if some free VC has room.
    for (Mask m = candidates; m != 0; m &= m - 1) {
      if (out_vcs_[first(m)].usable(now) > 0) {
        bids.speculative |= bit(i);
        break;
      }
    }
  }
  const unsigned o = rotate(candidates, va_input_pointer_[i]);
  requests[o] = (requested & bit(o)) != 0 ? requests[o] | bit(i) : bit(i);
  requested |= bit(o);
}

RouterCore::Bids RouterCore::allocate_vcs(Cycle now) {
  Bids bids;
  Mask requested = 0;
  Mask requests[kIndices];  // of the output VCs in `requested`
  for (Mask m = va_wait_; m != 0; m &= m - 1) {
    const unsigned i = first(m);
    if ((multi_ & bit(i)) == 0) {
      bid(i, vcs_[i].out / kStride, now, requested, requests, bids);
      continue;
    }
    Branches& b = branches_[i];
    for (unsigned ports = b.bidding; ports != 0; ports &= ports - 1) {
      const unsigned port = first(ports);
      bid(i, port, now, requested, requests, bids);
      if ((blocked_[port] & bit(i)) == 0) continue;
      b.bidding = static_cast<std::uint8_t>(b.bidding & ~(1U << port));
      b.blocked = static_cast<std::uint8_t>(b.blocked | 1U << port);
    }
    bids.speculative &= ~bit(i);  // a branch that is granted a VC simply asks for the switch, see tick()
    if (b.bidding != 0) va_wait_ |= bit(i);
  }
  for (; requested != 0; requested &= requested - 1) {
    const unsigned o = first(requested);
    const Mask bidders = requests[o];
    const unsigned i =
        (bidders & (bidders - 1)) == 0 ? first(bidders) : rotate(bidders, va_output_pointer_[o]);
    va_input_pointer_[i] = static_cast<std::uint8_t>(o + 1);
    va_output_pointer_[o] = static_cast<std::uint8_t>(i + 1);
    free_outputs_ &= ~bit(o);
    out_vcs_[o].owner = static_cast<std::uint8_t>(i);
    if ((multi_ & bit(i)) == 0) {
      grant_vc(i, o, now, bids);
    } else {
      grant_branch(i, o, now);
    }
  }
  return bids;
}

inline void RouterCore::grant_vc(unsigned i, unsigned o, Cycle now, Bids& bids) {
  const Mask b = bit(i);
  vcs_[i].out = static_cast<std::uint8_t>(o);
  va_wait_ &= ~b;
  active_ |= b;
  has_flit_ |= b;
  bids.granted |= b;
  const CreditCounter& out = out_vcs_[o];
  if (out.count == 0) return;
  if (out.last <= now + 1 || out.count > out.after(now + 1)) {
    has_credit_ |= b;
  } else {
    schedule(&Slot::credit, bit(o), out.first_usable());
  }
}

/// Input stage for a port with several candidates: for each output the next VC in turn, then the next output
/// in turn. Returns the input VC; `asked` gets its requests.
unsigned RouterCore::choose(unsigned port, unsigned candidates, SwitchRequests& requests, Mask& asked) {
  const unsigned base = port * kStride;
  unsigned outputs = 0;
  std::uint8_t chosen[kPorts] = {};
  for (unsigned rest = candidates; rest != 0;) {
    const unsigned vc = rotate(rest, sw_vc_pointer_[port]);
    rest &= ~(1U << vc);
    const unsigned i = base + vc;
    const unsigned wanted = (multi_ & bit(i)) != 0 ? branches_[i].ready : 1U << (vcs_[i].out / kStride);
    for (unsigned m = wanted & ~outputs; m != 0; m &= m - 1) chosen[first(m)] = static_cast<std::uint8_t>(i);
    outputs |= wanted;
  }
  const unsigned output = rotate(outputs, sw_input_pointer_[port]);
  const unsigned i = chosen[output];
  requests.vc[port] = static_cast<std::uint8_t>(i);
  // One read of the buffer feeds all the branches that are ready; each is granted on its own.
  unsigned wanted = (multi_ & bit(i)) != 0 ? branches_[i].ready : 1U << output;
  for (; wanted != 0; wanted &= wanted - 1) asked |= bit(first(wanted) * kStride + port);
  return i;
}

inline void RouterCore::match(unsigned i, unsigned port, unsigned output) {
  sw_input_pointer_[port] = static_cast<std::uint8_t>(output + 1);
  sw_output_pointer_[output] = static_cast<std::uint8_t>(port + 1);
  sw_vc_pointer_[port] = static_cast<std::uint8_t>(i % kStride + 1);
}

void RouterCore::allocate_switch(Mask ready, Mask multi, const Bids& bids, Cycle now) {
  SwitchRequests requests;
  Mask taken = 0;  // what lockstep packets use up, see there
  if (multi != 0) {
    if (allocation_ == MulticastAllocation::kLockstep) {
      taken = send_lockstep(multi, now);
    } else {
      ready |= multi;
    }
  }
  for (Mask all = ready | bids.speculative; all != 0;) {
    const unsigned lowest = first(all);
    const unsigned shift = lowest & ~(kStride - 1);
    const unsigned port = shift / kStride;
    all &= ~(Mask{0xff} << shift);
    if ((taken >> (kStride * kPorts + port) & 1U) != 0) continue;
    auto candidates = static_cast<unsigned>(ready >> shift & 0xff);
    Mask& asked = candidates != 0 ? requests.firm : requests.speculative;
    if (candidates == 0) candidates = static_cast<unsigned>(bids.speculative >> shift & 0xff);
    if ((candidates & (candidates - 1)) != 0 || (multi_ >> shift & candidates) != 0) {
      choose(port, candidates, requests, asked);
      continue;
    }
    const unsigned i = shift + first(candidates);
    requests.vc[port] = static_cast<std::uint8_t>(i);
    asked |= bit((vcs_[i].out & ~(kStride - 1)) + port);
  }
  for (Mask asked = requests.firm | requests.speculative; asked != 0;) {
    const unsigned shift = first(asked) & ~(kStride - 1);
    const unsigned o = shift / kStride;
    asked &= ~(Mask{0xff} << shift);
    if ((taken >> o & 1U) != 0) continue;
    Mask inputs = requests.firm >> shift & 0xff;
    const bool firm = inputs != 0;
    if (!firm) inputs = requests.speculative >> shift & 0xff;
    const unsigned port =
        (inputs & (inputs - 1)) == 0 ? first(inputs) : rotate(inputs, sw_output_pointer_[o]);
    const unsigned i = requests.vc[port];
    match(i, port, o);
    if (firm && (multi_ & bit(i)) != 0) {
      send_branch(i, o, now);
    } else if (firm || ((bids.granted & bit(i)) != 0 && out_vcs_[vcs_[i].out].usable(now) > 0)) {
      send(i, now);
    }
  }
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
  has_flit_ |= slot.flit;
  multi_live_ |= slot.flit & multi_;
  const Mask routed = slot.routed;
  const Mask credit = slot.credit;
  slot.flit = slot.routed = slot.credit = 0;
  if (credit != 0) take_credits(credit);
  for (Mask m = routed; m != 0; m &= m - 1) begin_bid(first(m), now);

  // What may use the switch in this cycle; an output VC granted now is usable in the next cycle, or now on
  // speculation.
  Mask held = active_ & has_flit_;
  const Mask ready = held & has_credit_;
  Bids bids;
  Mask multi = 0;
  if (!speculative_ && multi_live_ != 0) multi = ready_multi(now);
  if (va_wait_ != 0) bids = allocate_vcs(now);
  if (speculative_) {
    held |= bids.granted;
    if (multi_live_ != 0) multi = ready_multi(now);
  }
  if (((ready & (ready - 1)) | bids.speculative | multi) != 0) {
    allocate_switch(ready, multi, bids, now);
  } else if (ready != 0) {
    const unsigned i = first(ready);
    match(i, i / kStride, vcs_[i].out / kStride);
    send(i, now);
  }
  if (multi_ != 0) settle_branches(now);

  const Mask losers = held & ~sent_vcs_;
  if ((losers | va_wait_ | multi_) != 0 || blocked_ports_ != 0) account_stalls(losers, now);
  const Mask next = active_ & has_flit_;
  if ((va_wait_ | (next & has_credit_) | multi_live_) != 0) {
    domain_->wake(id_, now + 1);
  } else if ((next | multi_) != 0 || blocked_ports_ != 0) {
    sleep_stalls_ = static_cast<std::uint8_t>(stalled_ports(next, now + 1));
  }
}

}  // namespace meshkv::noc
