// The hot path: one tick, VC and switch allocation, the departure of a flit. The allocators are separable,
// input first, one iteration, round robin; pointers advance past what was matched, and only then.
#include "models/noc/router_core.h"

namespace meshkv::noc {

tlm::tlm_sync_enum RouterCore::Input::nb_transport_fw(Packet& packet, NocPhase& phase, sc_core::sc_time&) {
  const unsigned i = first_ + phase.vc;
  if (phase.head) {
    core_->receive_head(i, &packet, phase.at);
  } else {
    core_->schedule(&Slot::flit, bit(i), phase.at);
  }
  return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum RouterCore::Output::nb_transport_bw(Packet&, NocPhase& phase, sc_core::sc_time&) {
  receive_credit(phase.vc, phase.at);
  return tlm::TLM_ACCEPTED;
}

void RouterCore::receive_head(unsigned i, Packet* packet, Cycle visible_at) {
  InputVc& v = in_vc(i);
  if (v.front == nullptr) {
    // Nothing happens before its route is known.
    v.front = packet;
    v.fresh = true;
    schedule(&Slot::routed, bit(i), visible_at + routing_cycles_);
    return;
  }
  // The front packet is v.front: the ring holds only those that wait behind it.
  ring_[i * ring_size_ + ((v.ring_head + v.ring_count) & (ring_size_ - 1))] = packet;
  ++v.ring_count;
  schedule(&Slot::flit, bit(i), visible_at);
}

void RouterCore::Input::b_transport(Packet& packet, sc_core::sc_time& delay) {
  core_->loose_.b_transport(packet, first_ / kStride, delay);
}

void RouterCore::count_visible_above(Mask toggle, Mask down) {
  for (Mask& plane : visible_above_) {
    const Mask before = plane;
    plane ^= toggle;
    toggle &= before ^ down;
  }
}

void RouterCore::take_credits(Mask outputs) {
  for (Mask m = outputs & ~free_outputs_; m != 0; m &= m - 1) {
    const unsigned o = first(m);
    const unsigned i = out_vc(o).owner;
    if ((multi_ & bit(i)) == 0) {
      has_credit_ |= bit(i);
    } else {
      branches_[i].credit = static_cast<std::uint8_t>(branches_[i].credit | 1U << (o / kStride));
      multi_live_ |= bit(i);
    }
  }
}

void RouterCore::begin_bids(Mask routed, Cycle now) {
  Mask fresh = 0;
  for (Mask m = routed; m != 0; m &= m - 1) {
    const unsigned i = first(m);
    InputVc& v = in_vc(i);
    fresh |= Mask{v.fresh} << i;
    v.fresh = false;
    begin_bid(i, now);
  }
  count_visible(fresh, 0);
}

inline void RouterCore::begin_bid(unsigned i, Cycle now) {
  InputVc& v = in_vc(i);
  Packet& p = *v.front;
  v.state = static_cast<std::uint8_t>(static_cast<unsigned>(flit_kind(p)) | kHeadNext |
                                      static_cast<unsigned>(p.packet_class) << kClassShift);
  v.left = p.flits;
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
  want_[port] |= bit(i);
  va_wait_ |= bit(i);
}

/// The packet behind the one that has left gets to the front: in the next cycle, if its head is there by
/// then.
void RouterCore::new_front(unsigned i, Cycle now) {
  InputVc& v = in_vc(i);
  if (v.ring_count == 0) {
    v.front = nullptr;
    return;
  }
  v.front = ring_[i * ring_size_ + v.ring_head];
  v.ring_head = static_cast<std::uint8_t>((v.ring_head + 1U) & (ring_size_ - 1));
  --v.ring_count;
  Cycle from = now + 1;
  if ((several_ & bit(i)) == 0)
    while ((calendar_[from % kSlots].flit & bit(i)) == 0 && from < now + kSlots) ++from;
  schedule(&Slot::routed, bit(i), from + routing_cycles_);
}

void RouterCore::release_output(unsigned out) {
  free_outputs_ |= bit(out);
  const unsigned port = out / kStride;
  Mask woken = blocked_ & want_[port];
  if (woken == 0) return;
  for (Mask m = woken & multi_; m != 0; m &= m - 1) {
    Branches& b = branches_[first(m)];
    if ((b.blocked >> port & 1U) == 0) {
      woken &= ~bit(first(m));
      continue;
    }
    b.bidding = static_cast<std::uint8_t>(b.bidding | 1U << port);
    b.blocked = static_cast<std::uint8_t>(b.blocked & ~(1U << port));
    if (b.blocked != 0) {
      va_wait_ |= bit(first(m));
      woken &= ~bit(first(m));
    }
  }
  va_wait_ |= woken;
  blocked_ &= ~woken;
}

/// The next flit of the unicast packet at the front of input VC `i` leaves. All of this router's state is
/// settled before the neighbours are called.
void RouterCore::send(unsigned i, Cycle now) {
  Input& from = inputs_[i / kStride];
  InputVc& v = from.in_[i % kStride];
  const unsigned o = v.out;
  Output& to = outputs_[o / kStride];
  CreditCounter& out = to.out_[o % kStride];
  Packet& packet = *v.front;
  const unsigned state = v.state;
  NocPhase flit;
  flit.at = now + flit_cycles_;
  flit.vc = static_cast<std::uint8_t>(o % kStride);
  flit.head = (state & kHeadNext) != 0;
  flit.tail = v.left == 1;
  count_sent(o / kStride, state & kKindBits);
  left_vcs_ |= bit(i);
  sent_ports_ = static_cast<std::uint8_t>(sent_ports_ | 1U << (o / kStride));
  v.state = static_cast<std::uint8_t>(state & ~kHeadNext);
  --out.count;
  if (--v.left == 0) {
    send_tail(i, o, now);
  } else if (out.count <= out.after(now + 1)) {
    has_credit_ &= ~bit(i);
    if (out.count != 0) schedule(&Slot::credit, bit(o), out.first_usable());
  }
  sc_core::sc_time delay = delay_times_[flit_cycles_];
  if (to.next_->nb_transport_fw(packet, flit, delay) == tlm::TLM_UPDATED) to.receive_credit(flit.vc, flit.at);
  NocPhase credit;
  credit.at = now + from.credit_delay_;
  credit.kind = NocPhase::kCredit;
  credit.vc = static_cast<std::uint8_t>(i % kStride);
  delay = delay_times_[from.credit_delay_];
  from.previous_->nb_transport_bw(packet, credit, delay);
}

void RouterCore::send_tail(unsigned i, unsigned out, Cycle now) {
  const Mask keep = ~bit(i);
  active_ &= keep;
  has_credit_ &= keep;
  want_[out / kStride] &= keep;
  release_output(out);
  new_front(i, now);
}

/// The output VC of `port` that input VC `i` asks for, or kIndices: none is free, or (cut-through) none has
/// room.
inline unsigned RouterCore::bid(unsigned i, unsigned port, Cycle now, Bids& bids) {
  const InputVc& v = in_vc(i);
  Mask candidates = free_outputs_ & (Mask{class_vcs_[v.state >> kClassShift]} << port * kStride);
  if (candidates == 0) return kBlocked;
  if (allocation_ == MulticastAllocation::kCutThrough && v.front->tree != nullptr) {
    for (Mask m = candidates; m != 0; m &= m - 1)
      if (out_vc(first(m)).usable(now) < v.front->flits) candidates &= ~bit(first(m));
    if (candidates == 0) return kNoRoom;
  }
  if (speculative_) {
    // The switch is asked at the same time, if some free VC has room.
    for (Mask m = candidates; m != 0; m &= m - 1) {
      if (out_vc(first(m)).usable(now) > 0) {
        bids.speculative |= bit(i);
        break;
      }
    }
  }
  return rotate(candidates, v.va_pointer);
}

inline void RouterCore::grant(unsigned i, unsigned o, Cycle now, Bids& bids) {
  in_vc(i).va_pointer = static_cast<std::uint8_t>(o + 1);
  CreditCounter& out = out_vc(o);
  out.pointer = static_cast<std::uint8_t>(i + 1);
  out.owner = static_cast<std::uint8_t>(i);
  free_outputs_ &= ~bit(o);
  if ((multi_ & bit(i)) == 0) {
    grant_vc(i, o, now, bids);
  } else {
    grant_branch(i, o, now);
  }
}

RouterCore::Bids RouterCore::allocate_vcs(Cycle now) {
  Bids bids;
  if ((va_wait_ & (va_wait_ - 1)) == 0 && (va_wait_ & multi_) == 0) {
    const unsigned i = first(va_wait_);
    const unsigned o = bid(i, in_vc(i).out / kStride, now, bids);
    if (o < kIndices) {
      grant(i, o, now, bids);
    } else if (o == kBlocked) {
      blocked_ |= bit(i);
      va_wait_ &= ~bit(i);
    }
  } else {
    allocate_vcs_contended(now, bids);
  }
  return bids;
}

void RouterCore::allocate_vcs_contended(Cycle now, Bids& bids) {
  Mask requested = 0;
  Mask requests[kIndices];  // input VCs that ask, of the output VCs in `requested`
  const auto request = [&](unsigned i, unsigned o) {
    if (o >= kIndices) return;
    requests[o] = (requested & bit(o)) != 0 ? requests[o] | bit(i) : bit(i);
    requested |= bit(o);
  };
  for (Mask m = va_wait_; m != 0; m &= m - 1) {
    const unsigned i = first(m);
    if ((multi_ & bit(i)) == 0) {
      const unsigned o = bid(i, in_vc(i).out / kStride, now, bids);
      if (o == kBlocked) {
        blocked_ |= bit(i);
        va_wait_ &= ~bit(i);
      }
      request(i, o);
      continue;
    }
    Branches& b = branches_[i];
    for (unsigned ports = b.bidding; ports != 0; ports &= ports - 1) {
      const unsigned port = first(ports);
      const unsigned o = bid(i, port, now, bids);
      request(i, o);
      if (o != kBlocked) continue;
      blocked_ |= bit(i);
      b.bidding = static_cast<std::uint8_t>(b.bidding & ~(1U << port));
      b.blocked = static_cast<std::uint8_t>(b.blocked | 1U << port);
    }
    bids.speculative &= ~bit(i);  // a branch that is granted a VC simply asks for the switch, see tick()
    if (b.bidding == 0) va_wait_ &= ~bit(i);
  }
  for (; requested != 0; requested &= requested - 1) {
    const unsigned o = first(requested);
    const Mask bidders = requests[o];
    grant((bidders & (bidders - 1)) == 0 ? first(bidders) : rotate(bidders, out_vc(o).pointer), o, now, bids);
  }
}

inline void RouterCore::grant_vc(unsigned i, unsigned o, Cycle now, Bids& bids) {
  const Mask b = bit(i);
  in_vc(i).out = static_cast<std::uint8_t>(o);
  va_wait_ &= ~b;
  active_ |= b;
  bids.granted |= b;
  const CreditCounter& out = out_vc(o);
  if (out.count == 0) return;
  if (out.count > out.after(now + 1)) {
    has_credit_ |= b;
  } else {
    schedule(&Slot::credit, bit(o), out.first_usable());
  }
}

/// Input stage for a port with several candidates: for each output the next VC in turn, then the next output
/// in turn. Returns the requests of the input VC that was chosen: a byte an output, a bit an input.
RouterCore::Mask RouterCore::choose(unsigned port, unsigned candidates, std::uint8_t* chosen_vc) {
  const unsigned base = port * kStride;
  unsigned outputs = 0;
  std::uint8_t chosen[kPorts] = {};
  for (unsigned rest = candidates; rest != 0;) {
    const unsigned next = rotate(rest, sw_vc_pointer_[port]);
    rest &= ~(1U << next);
    const unsigned i = base + next;
    const unsigned wanted = (multi_ & bit(i)) != 0 ? branches_[i].ready : 1U << (in_vc(i).out / kStride);
    for (unsigned m = wanted & ~outputs; m != 0; m &= m - 1) chosen[first(m)] = static_cast<std::uint8_t>(i);
    outputs |= wanted;
  }
  const unsigned output = rotate(outputs, sw_input_pointer_[port]);
  const unsigned i = chosen[output];
  chosen_vc[port] = static_cast<std::uint8_t>(i);
  if ((multi_ & bit(i)) == 0) return bit(output * kStride + port);
  // One read of the buffer feeds all the branches that are ready; each is granted on its own.
  Mask asked = 0;
  for (unsigned m = branches_[i].ready; m != 0; m &= m - 1) asked |= bit(first(m) * kStride + port);
  return asked;
}

inline void RouterCore::match(unsigned i, unsigned port, unsigned output) {
  sw_input_pointer_[port] = static_cast<std::uint8_t>(output + 1);
  sw_output_pointer_[output] = static_cast<std::uint8_t>(port + 1);
  sw_vc_pointer_[port] = static_cast<std::uint8_t>(i % kStride + 1);
}

/// The same for unicast packets alone: the next output in turn, then the next VC in turn of those that want
/// it.
unsigned RouterCore::choose_unicast(unsigned port, unsigned candidates) const {
  const unsigned shift = port * kStride;
  unsigned outputs = 0;
#pragma GCC unroll 5
  for (unsigned o = 0; o < kPorts; ++o)
    outputs |= static_cast<unsigned>((want_[o] >> shift & candidates) != 0) << o;
  const unsigned output = rotate(outputs, sw_input_pointer_[port]);
  return shift + rotate(want_[output] >> shift & candidates, sw_vc_pointer_[port]);
}

/// The switch where only unicast packets ask, none of them on speculation: what is usual, without the
/// branches of the general one that are hard to predict.
void RouterCore::allocate_switch_unicast(Mask ready, Cycle now) {
  for (Mask m = crowded(ready); m != 0;) {
    const unsigned port = first(m) / kStride;
    const Mask all = Mask{0xff} << port * kStride;
    m &= ~all;
    const auto candidates = static_cast<unsigned>(ready >> port * kStride & 0xff);
    ready = (ready & ~all) | bit(choose_unicast(port, candidates));
  }
  Mask matched = 0;
#pragma GCC unroll 5
  for (unsigned o = 0; o < kPorts; ++o) {
    const Mask asked = ready & want_[o];
    const Mask above = asked & (~Mask{0} << sw_output_pointer_[o] * kStride);
    const Mask next = above != 0 ? above : asked;
    matched |= next & (0 - next);
  }
  for (; matched != 0; matched &= matched - 1) {
    const unsigned i = first(matched);
    match(i, i / kStride, in_vc(i).out / kStride);
    send(i, now);
  }
}

template <bool kSpeculative>
void RouterCore::allocate_switch(Mask ready, Mask multi, const Bids& bids, Cycle now) {
  Mask taken = 0;  // what lockstep packets use up, see there
  if (multi != 0) {
    if (allocation_ == MulticastAllocation::kLockstep) {
      taken = send_lockstep(multi, now);
    } else {
      ready |= multi;
    }
  }
  // Requests of the input stage: a byte an output, a bit an input. Speculative ones yield.
  Mask firm = 0;
  Mask speculative = 0;
  std::uint8_t chosen[kPorts];
  for (Mask all = kSpeculative ? ready | bids.speculative : ready; all != 0;) {
    const unsigned lowest = first(all);
    const unsigned shift = lowest & ~(kStride - 1);
    const unsigned port = lowest / kStride;
    all &= ~(Mask{0xff} << shift);
    if (taken != 0 && (taken >> (kStride * kPorts + port) & 1U) != 0) continue;
    auto candidates = static_cast<unsigned>(ready >> shift & 0xff);
    const bool is_firm = !kSpeculative || candidates != 0;
    if (!is_firm) candidates = static_cast<unsigned>(bids.speculative >> shift & 0xff);
    Mask asked;
    if ((candidates & (candidates - 1)) == 0 && (multi_ >> shift & candidates) == 0) {
      const unsigned i = kSpeculative ? shift + first(candidates) : lowest;
      const unsigned o = in_vc(i).out;
      chosen[port] = static_cast<std::uint8_t>(i);
      asked = bit((o & ~(kStride - 1)) + port);
      // The neighbours that a flit's call and its credit's go to, while the requests are sorted.
      __builtin_prefetch(outputs_[o / kStride].next_);
      __builtin_prefetch(inputs_[port].previous_);
    } else {
      asked = choose(port, candidates, chosen);
    }
    (is_firm ? firm : speculative) |= asked;
  }
  for (Mask asked = firm | speculative; asked != 0;) {
    const unsigned shift = first(asked) & ~(kStride - 1);
    const unsigned o = shift / kStride;
    asked &= ~(Mask{0xff} << shift);
    if (taken != 0 && (taken >> o & 1U) != 0) continue;
    Mask inputs = firm >> shift & 0xff;
    const bool is_firm = !kSpeculative || inputs != 0;
    if (!is_firm) inputs = speculative >> shift & 0xff;
    const unsigned port =
        (inputs & (inputs - 1)) == 0 ? first(inputs) : rotate(inputs, sw_output_pointer_[o]);
    const unsigned i = chosen[port];
    match(i, port, o);
    if (is_firm && (multi_ & bit(i)) != 0) {
      send_branch(i, o, now);
    } else if (is_firm || ((bids.granted & bit(i)) != 0 && out_vc(in_vc(i).out).usable(now) > 0)) {
      send(i, now);
    }
  }
}

void RouterCore::tick(Cycle now) {
  if (sleep_stalls_ != 0) {
    add_stalls(sleep_stalls_, now - last_tick_ - 1);
    sleep_stalls_ = 0;
  }
  last_tick_ = now;
  sent_ports_ = 0;
  if (++sent_cycles_ == PortLanes::kMost) flush_sent();
  Slot& slot = calendar_[now % kSlots];
  const Mask arrived = slot.flit;
  const Mask routed = slot.routed;
  const Mask credit = slot.credit;
  slot.flit = slot.routed = slot.credit = 0;
  count_visible(arrived, left_vcs_);
  left_vcs_ = 0;
  multi_live_ |= arrived & multi_;
  if (credit != 0) take_credits(credit);
  if (routed != 0) begin_bids(routed, now);
  several_ = visible_[1] | visible_[2] | visible_[3];
  if (deep_) several_ |= visible_above();
  const Mask has_flit = visible_[0] | several_;

  // What may use the switch in this cycle; an output VC granted now is usable in the next cycle, or now on
  // speculation.
  Mask held = active_ & has_flit;
  const Mask ready = held & has_credit_;
  Bids bids;
  Mask multi = 0;
  if (!speculative_ && multi_live_ != 0) multi = ready_multi();
  if (va_wait_ != 0) bids = allocate_vcs(now);
  if (speculative_) {
    held |= bids.granted;
    if (multi_live_ != 0) multi = ready_multi();
  }
  if ((bids.speculative | multi) != 0) {
    if (speculative_) {
      allocate_switch<true>(ready, multi, bids, now);
    } else {
      allocate_switch<false>(ready, multi, bids, now);
    }
  } else if ((ready & (ready - 1)) != 0) {
    allocate_switch_unicast(ready, now);
  } else if (ready != 0) {
    const unsigned i = first(ready);
    match(i, i / kStride, in_vc(i).out / kStride);
    send(i, now);
  }
  if (multi_ != 0) settle_branches(now);

  const Mask waiting = (held & ~left_vcs_) | ((va_wait_ | blocked_) & ~multi_);
  const Mask next = active_ & (has_flit ^ (left_vcs_ & ~several_));
  if ((waiting | multi_) != 0) add_stalls(stalled_ports(waiting) & ~unsigned{sent_ports_}, 1);
  if ((va_wait_ | (next & has_credit_) | multi_live_) != 0) {
    domain_->wake(id_, now + 1);
  } else if ((next | multi_ | blocked_) != 0) {
    sleep_stalls_ = static_cast<std::uint8_t>(stalled_ports(next | (blocked_ & ~multi_)));
  }
}

}  // namespace meshkv::noc
