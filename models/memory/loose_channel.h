// One DRAM channel, loosely timed: a closed form for a whole access. No kernel, no SystemC.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/divider.h"
#include "models/common/reservation_calendar.h"
#include "models/memory/dram_timing.h"

namespace meshkv::memory {

/// The data bus is a reservation calendar over the time that is not spent on refresh; an access pays its
/// first row's opening as latency, and its activations as bus time only where tFAW is tighter than the data
/// (DESIGN section 3).
class LooseChannel {
 public:
  explicit LooseChannel(const DramTiming& timing);
  /// `address`, `bytes`: within the channel. `arrival` may lie in the future and need not be monotonic; no
  /// later call names one before `horizon`.
  struct Result {
    Clk entered = 0;  ///< came into the scheduler's queue, which is finite
    Clk done = 0;     ///< the last data beat has left (read) or is in (write)
  };
  Result access(std::uint64_t address, std::uint64_t bytes, Clk arrival, Clk horizon);

  struct Statistics {
    std::uint64_t bursts = 0, activations = 0;
  };
  const Statistics& statistics() const { return statistics_; }
  /// Clocks that a refresh takes from the data bus: closing the banks, tRFC, opening one again.
  Clk refresh_clocks() const { return blackout_; }

 private:
  Clk refresh_interval(Clk t) const {
    return static_cast<Clk>(by_refi_.quotient(static_cast<std::uint64_t>(t)));
  }
  Clk to_busy_time(Clk t) const;
  Clk to_time(Clk busy) const;
  DramTiming timing_;
  Statistics statistics_;
  Clk blackout_;
  Divider by_refi_, by_useful_;  ///< clocks between refreshes, and those of them that are left for data
  Divider by_burst_;             ///< bytes
  Divider by_set_;               ///< bursts behind one row in each bank group (see channel_scheduler.h)
  Divider by_group_, by_set_of_banks_;
  std::uint64_t last_burst_ = 0;
  ReservationCalendar bus_;
  static constexpr std::uint64_t kClosed = ~std::uint64_t{0};
  struct Row {
    std::uint64_t row = kClosed;
    Clk refresh = 0;  ///< in which refresh interval
  };
  Clk open_row(std::size_t bank, const Row& wanted, Clk arrival, Clk horizon);
  /// The same for the banks of a set (one in each group), all of which are wanted.
  Clk open_set(std::uint64_t set, const Row& wanted, Clk arrival, Clk horizon);
  void tell_apart(std::uint64_t set);
  Clk open_rows(std::uint64_t first, std::uint64_t last, Clk arrival, Clk horizon);
  /// The banks of a set open tRRD after each other, their bursts come tCCD after each other.
  Clk ready_after(Clk open, std::uint64_t nth) const {
    return open + static_cast<Clk>(nth) * (timing_.rrd_s - timing_.ccd_s);
  }
  std::vector<Row> open_;                   ///< by bank
  std::vector<ReservationCalendar> banks_;  ///< by bank: tRC for each activation
  /// By set of banks: they were opened together, so that the first stands for all. What is longer than a row
  /// wants whole sets, and that is most of what a fabric moves.
  std::vector<bool> together_;
};

}  // namespace meshkv::memory
