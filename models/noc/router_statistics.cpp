// Link accounting at the end of a tick, and the views for watchdog and tests.
#include "models/noc/router_core.h"

namespace meshkv::noc {

/// Ports for which some flit is ready and waits: `held` are unicast VCs that did not send.
unsigned RouterCore::stalled_ports(Mask held, Cycle now) const {
  unsigned ports = blocked_ports_;
  for (Mask m = held | (va_wait_ & ~multi_); m != 0; m &= m - 1)
    ports |= 1U << (vcs_[first(m)].out / kStride);
  for (Mask m = multi_; m != 0; m &= m - 1) ports |= waiting_branches(first(m), now);
  return ports;
}

void RouterCore::account(Mask held, Cycle now) {
  const Mask losers = held & ~sent_vcs_;
  if ((losers | va_wait_ | multi_ | blocked_ports_) != 0) {
    for (unsigned s = stalled_ports(losers, now) & ~unsigned{sent_ports_}; s != 0; s &= s - 1)
      ++back_pressure_[first(s)];
  }
  const Mask held_next = active_ & has_flit_;
  if ((va_wait_ | (held_next & has_credit_) | multi_live_) != 0) {
    domain_->wake(id_, now + 1);
  } else if ((held_next | multi_ | blocked_ports_) != 0) {
    sleep_stalls_ = static_cast<std::uint8_t>(stalled_ports(held_next, now + 1));
  }
}

LinkStatistics RouterCore::link(Port port, Cycle now) const {
  const auto o = static_cast<unsigned>(port);
  LinkStatistics s;
  s.useful = sent_[o][static_cast<unsigned>(FlitKind::kUseful)];
  s.duplicate = sent_[o][static_cast<unsigned>(FlitKind::kDuplicate)];
  s.control = sent_[o][static_cast<unsigned>(FlitKind::kControl)];
  s.back_pressure = back_pressure_[o];
  if ((sleep_stalls_ >> o & 1U) != 0 && now > last_tick_ + 1) s.back_pressure += now - last_tick_ - 1;
  return s;
}

std::uint64_t RouterCore::flits_sent() const {
  std::uint64_t sum = 0;
  for (const auto& port : sent_)
    for (std::uint64_t n : port) sum += n;
  return sum + statistics_.suppressed_flits;
}

int RouterCore::credits(Port port, int vc) const {
  return out_vcs_[static_cast<unsigned>(port) * kStride + static_cast<unsigned>(vc)].count;
}

bool RouterCore::output_free(Port port, int vc) const {
  return (free_outputs_ & bit(static_cast<unsigned>(port) * kStride + static_cast<unsigned>(vc))) != 0;
}

unsigned RouterCore::holder(Port port, int vc) const {
  return out_vcs_[static_cast<unsigned>(port) * kStride + static_cast<unsigned>(vc)].owner;
}

RouterCore::VcView RouterCore::view(Port port, int vc) const {
  const unsigned i = static_cast<unsigned>(port) * kStride + static_cast<unsigned>(vc);
  const InputVc& v = vcs_[i];
  VcView out;
  out.front = v.front;
  out.occupancy = v.occupancy;
  out.packets = v.ring_count + (v.front != nullptr ? 1 : 0);
  if ((multi_ & bit(i)) != 0) {
    const Branches& b = branches_[i];
    for (unsigned p = b.bidding | b.blocked | b.active; p != 0; p &= p - 1) {
      const unsigned o = first(p);
      const bool holds = (b.active >> o & 1U) != 0;
      out.branches.push_back({static_cast<Port>(o), holds ? static_cast<int>(b.out[o] % kStride) : -1,
                              (b.credit >> o & 1U) != 0, b.sent[o]});
    }
  } else if ((active_ & bit(i)) != 0) {
    out.branches.push_back({static_cast<Port>(v.out / kStride), static_cast<int>(v.out % kStride),
                            (has_credit_ & bit(i)) != 0, v.front->flits - v.left});
  } else {
    Mask bidding = va_wait_;
    for (Mask b : blocked_) bidding |= b;
    if ((bidding & bit(i)) != 0) out.branches.push_back({static_cast<Port>(v.out / kStride), -1, false, 0});
  }
  return out;
}

}  // namespace meshkv::noc
