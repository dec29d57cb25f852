// The fabric's clock domain: the one SystemC process that calls only those members that have something to do
// in a cycle, and sleeps until the next cycle that has any. Idle cycles cost nothing.
#pragma once

#include <cstdint>
#include <queue>
#include <systemc>
#include <utility>
#include <vector>

#include "models/common/clock_observer.h"
#include "models/common/clocked.h"
#include "models/common/divider.h"
#include "models/common/types.h"

namespace meshkv {

class ClockDomain : public sc_core::sc_module {
 public:
  /// `period`: one fabric cycle. The platform sets a time resolution of 1 fs, so 300 MHz is exact to 1e-7.
  ClockDomain(sc_core::sc_module_name name, sc_core::sc_time period);
  ~ClockDomain() override;

  /// Registers a member and returns its id. Members are called in the order of their ids within a cycle.
  int add(Clocked& member) {
    const int id = reserve(1);
    place(id, member);
    return id;
  }
  /// `count` ids in a row, the first of which is returned; each is to be placed before it is woken. For
  /// members that are made in another order than they are best called in: those of a class in a row are
  /// predicted well.
  int reserve(int count);
  void place(int id, Clocked& member) { members_[static_cast<unsigned>(id)] = &member; }
  /// Asks for `tick(at)` of member `id`. `at` must be later than now() while a cycle is being processed, and
  /// may be now() otherwise (a caller in another SystemC process). Several requests for the same cycle make
  /// one call.
  void wake(int id, Cycle at) {
    if (processing_ && at - now_ - 1 < kHorizon - 1) {
      set(id, at % kHorizon);
    } else {
      wake_slow(id, at);
    }
  }

  /// `observer` is called before the first cycle with work at or after `from`.
  void add_observer(ClockObserver& observer, Cycle from);

  /// The cycle that is being processed, or the last edge at or before the kernel's time.
  Cycle now() const { return processing_ ? now_ : edge_before(sc_core::sc_time_stamp()); }
  sc_core::sc_time period() const { return period_; }
  sc_core::sc_time to_time(Cycle c) const { return sc_core::sc_time::from_value(c * by_period_.divisor()); }
  /// First cycle whose edge is at or after `t`.
  Cycle to_cycle(const sc_core::sc_time& t) const { return by_period_.ceiling(t.value()); }
  /// True while a cycle's members are being called.
  bool processing() const { return processing_; }

  struct Statistics {
    std::uint64_t activations = 0;  ///< kernel activations of the process (= cycles that had work)
    std::uint64_t ticks = 0;        ///< member calls
  };
  const Statistics& statistics() const { return statistics_; }

 private:
  /// Wakes less than so many cycles ahead are bits in a ring; the rest wait in a heap.
  static constexpr Cycle kHorizon = 64;
  using Far = std::pair<Cycle, int>;

  void set(int id, Cycle slot) {
    ring_[slot * words_ + static_cast<unsigned>(id) / 64] |= std::uint64_t{1} << (id % 64);
    busy_slots_ |= std::uint64_t{1} << slot;
  }
  void run();
  void wake_slow(int id, Cycle at);
  void process(Cycle cycle);
  void pull_far(Cycle cycle);
  void call_observers(Cycle cycle);
  Cycle next_cycle(Cycle after) const;
  Cycle edge_before(const sc_core::sc_time& t) const { return by_period_.quotient(t.value()); }
  void arm(Cycle at);

  sc_core::sc_time period_;
  Divider by_period_;
  Cycle now_ = 0;  // the cycle being processed, or the last one that was
  bool processing_ = false;
  bool ran_ = false;  // now_ has been processed
  std::uint64_t busy_slots_ = 0;
  std::vector<std::uint64_t> ring_;  // kHorizon bit sets over the member ids, `words_` words each
  std::size_t words_ = 0;
  std::priority_queue<Far, std::vector<Far>, std::greater<Far>> far_;
  std::vector<Clocked*> members_;
  Cycle observe_at_ = kNever;  // the earliest cycle that an observer asks for
  std::vector<std::pair<Cycle, ClockObserver*>> observers_;
  sc_core::sc_event wake_event_;
  Cycle armed_ = kNever;
  Statistics statistics_;
};

}  // namespace meshkv
