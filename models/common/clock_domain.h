// The fabric's clock domain: the one SystemC process that calls only those members that have something to do
// in a cycle, and sleeps until the next cycle that has any. Idle cycles cost nothing.
#pragma once

#include <systemc>
#include <vector>

#include "models/common/types.h"

namespace meshkv {

/// Something that acts in chosen cycles. Members affect one another at the earliest in the NEXT cycle, so the
/// order of calls within a cycle cannot matter.
class Clocked {
 public:
  virtual ~Clocked() = default;
  virtual void tick(Cycle now) = 0;
};

class ClockDomain : public sc_core::sc_module {
 public:
  /// `period`: one fabric cycle. The platform sets a time resolution of 1 fs, so 300 MHz is exact to 1e-7.
  ClockDomain(sc_core::sc_module_name name, sc_core::sc_time period);
  ~ClockDomain() override;

  /// Registers a member and returns its id. Members are called in the order of their ids within a cycle.
  int add(Clocked& member);
  /// Asks for `tick(at)` of member `id`. `at` must be later than now() while a cycle is being processed, and
  /// may be now() otherwise (a caller in another SystemC process). Several requests for the same cycle make
  /// one call.
  void wake(int id, Cycle at);

  /// The cycle that is being processed, or the last edge at or before the kernel's time.
  Cycle now() const;
  sc_core::sc_time period() const { return period_; }
  sc_core::sc_time to_time(Cycle c) const;
  /// First cycle whose edge is at or after `t`.
  Cycle to_cycle(const sc_core::sc_time& t) const;

  struct Statistics {
    std::uint64_t activations = 0;  ///< kernel activations of the process (= cycles that had work)
    std::uint64_t ticks = 0;        ///< member calls
  };
  const Statistics& statistics() const { return statistics_; }

 private:
  void run();
  sc_core::sc_time period_;
  Statistics statistics_;
  struct Calendar;
  Calendar* calendar_;
};

}  // namespace meshkv
