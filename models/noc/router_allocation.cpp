// VC and switch allocation: separable, input first, one iteration, round robin. Pointers advance past what
// was matched, and only then.
#include "models/noc/router_core.h"

namespace meshkv::noc {

/// What the input stage of switch allocation asks of the outputs: a byte an output, a bit an input.
struct RouterCore::SwitchRequests {
  Mask firm = 0;
  Mask speculative = 0;
  std::array<std::uint8_t, kPorts> vc{};  // chosen input VC of each input port
};

void RouterCore::bid(unsigned i, unsigned port, Cycle now, Mask& requested, Mask* requests, Bids& bids) {
  InputVc& v = vcs_[i];
  const unsigned shift = port * kStride;
  Mask candidates = free_outputs_ & (Mask{v.vc_mask} << shift);
  if (candidates == 0) {
    blocked_[port] |= bit(i);
    blocked_ports_ = static_cast<std::uint8_t>(blocked_ports_ | 1U << port);
    va_wait_ &= ~bit(i);
    return;
  }
  if (allocation_ == MulticastAllocation::kCutThrough && v.front->tree != nullptr) {
    for (Mask m = candidates; m != 0; m &= m - 1)
      if (out_vcs_[first(m)].usable(now) < v.front->flits) candidates &= ~(m & (~m + 1));
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
    } else {
      bid_branches(i, now, requested, requests, bids);
    }
  }
  for (; requested != 0; requested &= requested - 1) {
    const unsigned o = first(requested);
    const unsigned i = rotate(requests[o], va_output_pointer_[o]);
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

void RouterCore::grant_vc(unsigned i, unsigned o, Cycle now, Bids& bids) {
  vcs_[i].out = static_cast<std::uint8_t>(o);
  va_wait_ &= ~bit(i);
  active_ |= bit(i);
  has_flit_ |= bit(i);
  bids.granted |= bit(i);
  refresh_credit(i, out_vcs_[o], o, now);
}

/// Input stage for one port: for each output the next VC in turn, then the next output in turn.
void RouterCore::choose(unsigned port, unsigned candidates, bool speculative, SwitchRequests& requests) {
  const unsigned base = port * kStride;
  Mask& asked = speculative ? requests.speculative : requests.firm;
  if ((candidates & (candidates - 1)) == 0 && (multi_ & bit(base + first(candidates))) == 0) {
    const unsigned vc = first(candidates);
    requests.vc[port] = static_cast<std::uint8_t>(base + vc);
    asked |= bit((vcs_[base + vc].out & ~(kStride - 1)) + port);
    return;
  }
  unsigned outputs = 0;
  std::array<std::uint8_t, kPorts> chosen;
  const unsigned from = sw_vc_pointer_[port];
  unsigned rest = candidates;
  while (rest != 0) {
    const unsigned vc = rotate(rest, from);
    rest &= ~(1U << vc);
    const unsigned i = base + vc;
    const unsigned wanted = (multi_ & bit(i)) != 0 ? branches_[i].ready : 1U << (vcs_[i].out / kStride);
    for (unsigned m = wanted & ~outputs; m != 0; m &= m - 1) chosen[first(m)] = static_cast<std::uint8_t>(i);
    outputs |= wanted;
  }
  const unsigned i = chosen[rotate(outputs, sw_input_pointer_[port])];
  requests.vc[port] = static_cast<std::uint8_t>(i);
  if ((multi_ & bit(i)) == 0) {
    asked |= bit((vcs_[i].out & ~(kStride - 1)) + port);
    return;
  }
  // One read of the buffer feeds the branches that are ready; each is granted on its own.
  for (unsigned m = branches_[i].ready; m != 0; m &= m - 1) asked |= bit(first(m) * kStride + port);
}

void RouterCore::allocate_switch(Mask ready, Mask multi, const Bids& bids, Cycle now) {
  SwitchRequests requests;
  Mask taken = 0;  // outputs (bytes) and inputs that lockstep packets use up
  if (allocation_ == MulticastAllocation::kLockstep && multi != 0) {
    taken = send_lockstep(multi, now);
  } else {
    ready |= multi;
  }
  const Mask speculative = bids.speculative;
  for (Mask all = ready | speculative; all != 0;) {
    const unsigned port = first(all) / kStride;
    const unsigned shift = port * kStride;
    all &= ~(Mask{0xff} << shift);
    if ((taken >> (kStride * kPorts + port) & 1U) != 0) continue;
    const auto firm = static_cast<unsigned>(ready >> shift & 0xff);
    if (firm != 0) {
      choose(port, firm, false, requests);
    } else {
      choose(port, static_cast<unsigned>(speculative >> shift & 0xff), true, requests);
    }
  }
  for (Mask asked = requests.firm | requests.speculative; asked != 0;) {
    const unsigned o = first(asked) / kStride;
    const unsigned shift = o * kStride;
    asked &= ~(Mask{0xff} << shift);
    if ((taken >> o & 1U) != 0) continue;
    Mask inputs = requests.firm >> shift & 0xff;
    const bool firm = inputs != 0;
    if (!firm) inputs = requests.speculative >> shift & 0xff;
    const unsigned port = rotate(inputs, sw_output_pointer_[o]);
    const unsigned i = requests.vc[port];
    sw_input_pointer_[port] = static_cast<std::uint8_t>(o + 1);
    sw_output_pointer_[o] = static_cast<std::uint8_t>(port + 1);
    sw_vc_pointer_[port] = static_cast<std::uint8_t>(i % kStride + 1);
    if (firm) {
      if ((multi_ & bit(i)) == 0) {
        send(i, now);
      } else {
        send_branch(i, o, now);
      }
    } else if ((bids.granted & bit(i)) != 0 && out_vcs_[vcs_[i].out].usable(now) > 0) {
      send(i, now);
    }
  }
}

}  // namespace meshkv::noc
