// Packets whose tree branches in this router. Each branch bids for an output VC and advances on its own
// (independent, cut_through), or all move together (lockstep). A flit's slot is freed once every branch has
// sent it. A packet that the tag filter drops is one without branches: it drains at one flit a cycle.
#include <algorithm>

#include "models/noc/router_core.h"

namespace meshkv::noc {

void RouterCore::begin_branches(unsigned i, std::uint8_t ports) {
  InputVc& v = in_vc(i);
  v.state = static_cast<std::uint8_t>(v.state | kMulti);
  Branches& b = branches_[i];
  b = Branches{};
  b.ports = ports;
  b.bidding = ports;
  b.flits = v.left;
  multi_ |= bit(i);
  for (unsigned p = ports; p != 0; p &= p - 1) want_[first(p)] |= bit(i);
  if (ports != 0) {
    const auto copies = static_cast<std::uint32_t>(__builtin_popcount(ports)) - 1;
    v.front->live_copies += copies;
    statistics_.branch_copies += copies;
    va_wait_ |= bit(i);
  } else {
    multi_live_ |= bit(i);
  }
}

void RouterCore::grant_branch(unsigned i, unsigned o, Cycle now) {
  Branches& b = branches_[i];
  const unsigned port = o / kStride;
  b.bidding = static_cast<std::uint8_t>(b.bidding & ~(1U << port));
  if (b.bidding == 0) va_wait_ &= ~bit(i);
  b.active = static_cast<std::uint8_t>(b.active | 1U << port);
  b.out[port] = static_cast<std::uint8_t>(o);
  CreditCounter& out = out_vc(o);
  if (out.usable(speculative_ ? now : now + 1) > 0) {
    b.credit = static_cast<std::uint8_t>(b.credit | 1U << port);
    multi_live_ |= bit(i);
  } else if (out.count != 0) {
    schedule(&Slot::credit, bit(o), std::max(out.first_usable(), now + 1));
  }
}

/// Of the front packet.
int RouterCore::visible_flits(unsigned i) const {
  return static_cast<int>(std::min<unsigned>(in_vc(i).left, visible(i)));
}

RouterCore::Mask RouterCore::ready_multi() {
  Mask ready = 0;
  for (Mask m = multi_live_; m != 0; m &= m - 1) {
    const unsigned i = first(m);
    Branches& b = branches_[i];
    b.ready = 0;
    const int limit = b.freed + visible_flits(i);
    for (unsigned ports = b.active & b.credit; ports != 0; ports &= ports - 1) {
      const unsigned port = first(ports);
      if (b.sent[port] < limit) b.ready = static_cast<std::uint8_t>(b.ready | 1U << port);
    }
    if (allocation_ == MulticastAllocation::kLockstep && b.ready != b.ports) b.ready = 0;
    if (b.ready != 0) ready |= bit(i);
  }
  return ready;
}

void RouterCore::send_branch(unsigned i, unsigned port, Cycle now) {
  InputVc& v = in_vc(i);
  Branches& b = branches_[i];
  const unsigned o = b.out[port];
  CreditCounter& out = out_vc(o);
  --out.count;
  const bool head = b.sent[port] == 0;
  const bool tail = ++b.sent[port] == b.flits;
  sent_ports_ = static_cast<std::uint8_t>(sent_ports_ | 1U << port);
  count_sent(port, v.state & kKindBits);
  NocPhase phase;
  phase.at = now + flit_cycles_;
  phase.vc = static_cast<std::uint8_t>(o % kStride);
  phase.head = head;
  phase.tail = tail;
  sc_core::sc_time delay = delay_times_[flit_cycles_];
  Output& to = outputs_[port];
  if (to.next_->nb_transport_fw(*v.front, phase, delay) == tlm::TLM_UPDATED)
    to.receive_credit(phase.vc, phase.at);
  const auto keep = static_cast<std::uint8_t>(~(1U << port));
  b.ready = static_cast<std::uint8_t>(b.ready & keep);
  if (tail) {
    b.active = static_cast<std::uint8_t>(b.active & keep);
    b.credit = static_cast<std::uint8_t>(b.credit & keep);
    want_[port] &= ~bit(i);
    release_output(o);
  } else if (out.count == 0 || out.usable(now + 1) == 0) {
    b.credit = static_cast<std::uint8_t>(b.credit & keep);
    if (out.count != 0) schedule(&Slot::credit, bit(o), out.first_usable());
  }
}

/// Packets in lockstep take all their outputs or none. Returns the outputs (bits 0 to 4) and the inputs (from
/// bit 40 on) that they use up.
RouterCore::Mask RouterCore::send_lockstep(Mask multi, Cycle now) {
  Mask taken = 0;
  while (multi != 0) {
    const unsigned i = rotate(multi, sw_output_pointer_[0] * kStride);
    multi &= ~bit(i);
    const unsigned port = i / kStride;
    Branches& b = branches_[i];
    const unsigned outputs = b.ports;
    if ((taken & outputs) != 0 || (taken >> (kStride * kPorts + port) & 1U) != 0) continue;
    taken |= outputs | bit(kStride * kPorts + port);
    for (unsigned m = outputs; m != 0; m &= m - 1) {
      const unsigned o = first(m);
      sw_output_pointer_[o] = static_cast<std::uint8_t>(port + 1);
      send_branch(i, o, now);
    }
    sw_output_pointer_[0] = static_cast<std::uint8_t>(port + 1);
  }
  return taken;
}

/// The oldest flit's slot is free: the credit goes upstream.
void RouterCore::free_slot(unsigned i, Cycle now) {
  Input& from = inputs_[i / kStride];
  InputVc& v = from.in_[i % kStride];
  left_vcs_ |= bit(i);
  NocPhase phase;
  phase.at = now + from.credit_delay_;
  phase.kind = NocPhase::kCredit;
  phase.vc = static_cast<std::uint8_t>(i % kStride);
  sc_core::sc_time delay = delay_times_[from.credit_delay_];
  from.previous_->nb_transport_bw(*v.front, phase, delay);
  if (--v.left == 0) new_front(i, now);
}

void RouterCore::settle_branches(Cycle now) {
  for (Mask m = multi_; m != 0; m &= m - 1) {
    const unsigned i = first(m);
    InputVc& v = in_vc(i);
    Branches& b = branches_[i];
    int done = b.flits;
    if (b.ports == 0) {
      done = b.freed + (visible_flits(i) > 0 ? 1 : 0);
      if (done > b.freed) ++statistics_.suppressed_flits;
    }
    for (unsigned p = b.ports; p != 0; p &= p - 1) done = std::min<int>(done, b.sent[first(p)]);
    if (done > b.freed) {
      ++b.freed;
      const bool tail = v.left == 1;
      if (tail) {
        multi_ &= ~bit(i);
        multi_live_ &= ~bit(i);
        v.state = static_cast<std::uint8_t>(v.state & ~kMulti);
        Packet* packet = v.front;
        free_slot(i, now);
        if (b.ports == 0) context_.pool.drop_copy(packet);
        continue;
      }
      free_slot(i, now);
    }
    // Worth another look in the next cycle if some branch has room and its next flit is here. (One that
    // arrives asks for that look itself.)
    const int here = visible_flits(i);
    bool live = b.ports == 0 && here != 0;
    for (unsigned p = b.active & b.credit; p != 0; p &= p - 1)
      live = live || b.sent[first(p)] < b.freed + here;
    if (live && (allocation_ != MulticastAllocation::kLockstep || b.credit == b.ports || b.ports == 0)) {
      multi_live_ |= bit(i);
    } else {
      multi_live_ &= ~bit(i);
    }
  }
}

/// Ports for which a branch has a flit ready.
unsigned RouterCore::waiting_branches() const {
  unsigned waiting = 0;
  for (Mask m = multi_; m != 0; m &= m - 1) {
    const unsigned i = first(m);
    const Branches& b = branches_[i];
    waiting |= b.bidding | b.blocked;
    const int limit = b.freed + visible_flits(i);
    for (unsigned p = b.active; p != 0; p &= p - 1)
      if (b.sent[first(p)] < limit) waiting |= 1U << first(p);
  }
  return waiting;
}

}  // namespace meshkv::noc
