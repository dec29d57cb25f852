#include "models/noc/router_watch.h"

#include "models/noc/router_core.h"

namespace meshkv::noc {

namespace {

using Mask = RouterWatch::Mask;

/// Adds 1 to the number of each VC in `up`.
void count_up(std::array<Mask, 7>& planes, Mask up) {
  for (unsigned k = 0; k < planes.size() && up != 0; ++k) {
    const Mask plane = planes[k];
    planes[k] = plane ^ up;
    up &= plane;
  }
}

void count_down(std::array<Mask, 7>& planes, Mask down) {
  for (unsigned k = 0; k < planes.size() && down != 0; ++k) {
    const Mask plane = planes[k];
    planes[k] = plane ^ down;
    down &= ~plane;
  }
}

}  // namespace

void RouterCore::watch(Cycle now, RouterWatch& w) const {
  Mask routed = 0;
  for (unsigned k = 0; k < kUsualPlanes; ++k) w.level[k] = visible_[k];
  for (unsigned k = 0; k < visible_above_.size(); ++k) w.level[kUsualPlanes + k] = visible_above_[k];
  count_down(w.level, left_vcs_);
  for (const Slot& slot : calendar_) {
    count_up(w.level, slot.flit);
    routed |= slot.routed;
  }
  // Whoever is to be routed is at the front; a head that came into an empty FIFO is not counted before that.
  Mask fresh = 0;
  for (Mask m = routed; m != 0; m &= m - 1)
    if (in_vc(first(m)).fresh) fresh |= m & -m;
  count_up(w.level, fresh);

  const Mask waits = (va_wait_ | blocked_) & ~multi_ & ~active_;
  Mask sends = active_ & has_credit_ & ~multi_, stuck = active_ & ~has_credit_ & ~multi_, routing = routed;
  Mask waiting = waits;
  for (Mask m = multi_; m != 0; m &= m - 1) {
    const Branches& b = branches_[first(m)];
    const unsigned all = b.bidding | b.blocked | b.active;
    Mask& state = all == 0                           ? routing
                  : (b.active & b.credit) != 0       ? sends
                  : (all & ~unsigned{b.active}) != 0 ? waiting
                                                     : stuck;
    state |= m & -m;
  }
  w.state = {routing | stuck, waiting | stuck, sends};
  w.free_outputs = free_outputs_;
  for (unsigned port = 0; port < kPorts; ++port) {
    const LinkStatistics s = link(static_cast<Port>(port), now);
    w.flits[port] = s.flits();
    w.back_pressure[port] = s.back_pressure;
    for (unsigned o = port * kStride, end = o + static_cast<unsigned>(vcs()); o < end; ++o)
      w.credits[o] = out_vc(o).count;
  }
}

}  // namespace meshkv::noc
