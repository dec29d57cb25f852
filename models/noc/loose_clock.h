// The cycles of the b_transport chain that is under way in lt.
#pragma once

#include <systemc>
#include <vector>

#include "models/common/types.h"

namespace meshkv::noc {

/// A delay is annotated as sc_time, and whoever receives it would have to divide by the period. Here the
/// sender leaves the cycle that it meant, and the receiver only checks that the delay is still the same: a
/// module in between may have prolonged it.
class LooseClock {
 public:
  explicit LooseClock(const sc_core::sc_time& period) : period_(period.value()) {
    for (Cycle n = 0; n < kSpans; ++n) spans_.push_back(sc_core::sc_time::from_value(n * period_));
  }

  /// A chain begins in the kernel's present, which lies in cycle `now`, with a packet that is somewhere in
  /// cycle `at`: returns the delay until then.
  sc_core::sc_time begin(Cycle now, Cycle at) {
    base_ = sc_core::sc_time_stamp().value();
    now_ = now;
    meant_ = at;
    const sc_core::sc_time delay = sc_core::sc_time::from_value(at * period_ - base_);
    meant_delay_ = delay.value();
    return delay;
  }
  Cycle now() const { return now_; }
  /// Prolongs a delay that ends in cycle `from` until cycle `to`.
  void prolong(sc_core::sc_time& delay, Cycle from, Cycle to) {
    const Cycle n = to - from;
    delay += n < kSpans ? spans_[n] : sc_core::sc_time::from_value(n * period_);
    meant_ = to;
    meant_delay_ = delay.value();
  }
  /// First cycle at or after the end of a delay that was passed.
  Cycle cycle(const sc_core::sc_time& delay) const {
    return delay.value() == meant_delay_ ? meant_ : (base_ + delay.value() + period_ - 1) / period_;
  }

 private:
  static constexpr Cycle kSpans = 1024;  // a chunk and some waiting
  sc_dt::uint64 period_;
  sc_dt::uint64 base_ = 0;
  Cycle now_ = 0;
  Cycle meant_ = 0;
  sc_dt::uint64 meant_delay_ = 0;
  std::vector<sc_core::sc_time> spans_;
};

}  // namespace meshkv::noc
