// Tm and Rd of Pad (paper section VII): two 48-flit FIFOs in front of one MAC array that takes at most one
// line a cycle. Service times are known when a packet arrives, so back-pressure is computed, not simulated.
// Plain C++.
#pragma once

#include <cstdint>
#include <deque>

#include "models/common/types.h"

namespace meshkv::pad {

struct MacStatistics {
  std::uint64_t lines = 0;
  std::uint64_t macs = 0;
  Cycle busy_cycles = 0;       ///< the array works on a line (at least one cycle a line)
  Cycle non_empty_cycles = 0;  ///< some line is in the Tm or Rd FIFO (or, without Pad, in the segment buffer)
};

class MacPipeline {
 public:
  /// `fifo_flits`: capacity of each FIFO; 0: unbounded (no Pad: whole segments are buffered before they are
  /// computed).
  MacPipeline(int fifo_flits, int macs_per_cycle);

  /// First cycle >= now at which the FIFO (`v`: Rd's, else Tm's) has room for `flits` more.
  Cycle room(bool v, std::uint32_t flits, Cycle now);
  /// `flits` lines of `macs_per_line` whose last one arrives at `tail`, the first at `head`. Returns when
  /// they are done.
  Cycle serve(bool v, std::uint32_t flits, std::uint32_t macs_per_line, Cycle head, Cycle tail);
  /// When serve() would begin with a line that arrives at `head`.
  Cycle begins(Cycle head) const { return head > free_ticks_ / rate_ ? head : free_ticks_ / rate_; }
  /// Cycle (rounded up) at which everything that was given to serve() is done.
  Cycle done() const { return to_cycle(done_ticks_); }

  const MacStatistics& statistics() const { return statistics_; }

 private:
  struct Entry {
    Cycle leaves;
    std::uint32_t flits;
  };
  void drop_served(bool v, Cycle now);
  Cycle to_cycle(std::uint64_t ticks) const { return (ticks + rate_ - 1) / rate_; }

  std::uint32_t capacity_;
  std::uint64_t rate_;            ///< MACs a cycle; one tick is the time of one MAC, so times stay exact
  std::uint64_t free_ticks_ = 0;  ///< the array is free from here on
  std::uint64_t done_ticks_ = 0;
  std::deque<Entry> fifo_[2];
  std::uint32_t occupied_[2] = {0, 0};
  MacStatistics statistics_;
};

}  // namespace meshkv::pad
