// One DRAM channel's command scheduler for `at`: banks and open rows, tRRD and tFAW, tCCD, turnaround,
// refresh, FR-FCFS. Plain C++, no kernel. Works on runs of bursts, not on bursts: the part of an access that
// lies in one row set is one decision, whatever its length.
//
// Address of a channel, low to high: burst, bank group, column, bank, row. Consecutive bursts go around the
// bank groups (tCCD_S), so that a stream keeps the bus busy; a "row set" is one row in each bank group of one
// bank number.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "models/memory/dram_timing.h"

namespace meshkv::memory {

class ChannelScheduler {
 public:
  explicit ChannelScheduler(const DramTiming& timing);

  struct Done {
    std::uint32_t id = 0;
    Clk entered = 0;  ///< came into the scheduler's queue
    Clk done = 0;     ///< read: last data beat out; write: posted in the write buffer
  };
  /// `address`, `bytes`: within the channel. Accesses are taken in the order of the calls; `arrival` is not
  /// before the last advance().
  void submit(std::uint32_t id, std::uint64_t address, std::uint64_t bytes, bool write, Clk arrival);
  /// Takes every decision that falls due up to and including `now`; appends what has got a completion time.
  void advance(Clk now, std::vector<Done>& done);
  /// When advance() has something to do again; kNoClk: nothing is pending.
  Clk next() const { return next_; }
  static constexpr Clk kNoClk = INT64_MAX;

  struct Statistics {
    std::uint64_t read_bursts = 0, write_bursts = 0;
    std::uint64_t activations = 0, row_hits = 0, row_misses = 0, row_closed = 0;  ///< per bank of a run
    std::uint64_t refreshes = 0, turnarounds = 0;
    std::uint64_t busy_clocks = 0;  ///< something was pending or on the bus
    double queue_clocks = 0.0;      ///< bursts in the queue, integrated over clocks
  };
  const Statistics& statistics() const { return statistics_; }
  /// Bursts that have been taken and not yet been served.
  std::uint64_t pending_bursts() const { return pending_bursts_; }

 private:
  /// What is left of one access in one row set.
  struct Run {
    std::uint64_t row = 0;
    Clk ready = 0;  ///< its first column command may go, as far as its banks are concerned
    Clk entered = 0;
    std::uint32_t id = 0;
    std::uint16_t first = 0, bursts = 0;  ///< within the row set
    std::uint8_t bank = 0;
    std::uint8_t touched = 0;  ///< bank groups it needs
    std::uint8_t claimed = 0;  ///< those whose rows are open, or opening, for it
    bool write = false;
    bool last = false;  ///< the access ends with it
  };
  struct Access {
    std::uint64_t burst, end;  ///< burst numbers in the channel
    Clk arrival, entered;
    std::uint32_t id;
  };
  struct Bank {
    std::int64_t row = -1;  ///< -1: closed
    Clk column = 0;         ///< ACT + tRCD
    Clk precharge = 0;      ///< earliest PRE, by what was issued
    Clk activate = 0;       ///< earliest ACT, by tRC and tRFC
    Clk opened = 0;         ///< ACT
    int streak = 0;         ///< bursts since then
    int streak_before = 0;  ///< of the row before
    int users = 0;          ///< runs that claimed the open row
    int queued = 0;         ///< bursts in the window
  };
  struct Activation {
    Clk at = -1000000;
    int group = 0;
  };

  bool cut(std::deque<Access>& waiting, Clk now, int longest, Run& run) const;
  std::uint8_t touched(const Run& run) const;
  void refill_reads(Clk now);
  void refill_writes(Clk now, std::vector<Done>& done);
  void drain(Clk now);
  bool fits(const Run& run);
  void count_queued(const Run& run, int bursts, int sign);
  void push(const Run& run);
  void claim(Clk now);
  bool claim_bank(Run& run, int group, Clk visible);
  Clk reserve_activation(Clk earliest, int group);
  bool decide(Clk now, std::vector<Done>& done);
  Clk start_of(const Run& run) const;
  void issue(std::size_t index, Clk start, std::vector<Done>& done);
  void refresh();
  void count_until(Clk at);
  void skip_idle_refreshes(Clk now);
  Bank& bank(const Run& run, int group) {
    return banks_[static_cast<std::size_t>(run.bank * groups_ + group)];
  }

  DramTiming t_;
  int groups_, banks_per_group_, set_bursts_;
  Statistics statistics_;
  std::vector<Bank> banks_;
  std::deque<Access> reads_, writes_;  ///< not yet cut into runs
  std::vector<Run> window_;            ///< what the scheduler chooses from, in order of age
  std::vector<Run> buffer_;            ///< posted writes
  int buffered_ = 0;                   ///< bursts in buffer_
  int over_ = 0;                       ///< bursts of window_ that have no room in their bank's command queue
  int unclaimed_ = 0;                  ///< runs of window_ that lack a row
  bool draining_ = false;              ///< no more reads until all of buffer_ is in the window
  std::array<Activation, 16> activations_;  ///< the latest, in order of time
  std::vector<Clk> served_;                 ///< when a bank number was last served
  Clk next_ = kNoClk;
  Clk last_read_ = -1000, last_write_ = -1000;  ///< last column commands
  int last_group_ = -1;
  Clk refresh_due_;
  std::uint64_t pending_bursts_ = 0;
  Clk counted_ = 0;    ///< statistics are complete up to here
  Clk bus_until_ = 0;  ///< end of the last column command's data, without CL
};

}  // namespace meshkv::memory
