#include "models/memory/loose_channel.h"

#include <algorithm>

namespace meshkv::memory {
namespace {
/// Bursts ahead of one that has just come into the queue of ChannelScheduler, command queues included, under
/// load.
constexpr Clk kQueueBursts = 108;
}  // namespace

LooseChannel::LooseChannel(const DramTiming& timing)
    : timing_(timing),
      blackout_(timing.rfc + timing.rp + timing.rcd + timing.cl + timing.rtp),
      row_set_bytes_(static_cast<std::uint64_t>(timing.row_bytes) *
                     static_cast<std::uint64_t>(timing.bank_groups)),
      set_bursts_(row_set_bytes_ / static_cast<std::uint64_t>(timing.burst_bytes)),
      open_(static_cast<std::size_t>(timing.banks)),
      banks_(static_cast<std::size_t>(timing.banks)) {}

/// Clocks of the data bus that refresh has left before `t`. Refresh is due at every multiple of tREFI but 0.
Clk LooseChannel::to_busy_time(Clk t) const {
  const Clk k = t / timing_.refi, r = t % timing_.refi;
  return k * (timing_.refi - blackout_) + (k == 0 ? r - blackout_ : std::max<Clk>(0, r - blackout_));
}

Clk LooseChannel::to_time(Clk busy) const {
  if (busy < 0) return busy + blackout_;
  const Clk useful = timing_.refi - blackout_;
  return busy / useful * timing_.refi + blackout_ + busy % useful;
}

/// When the row may be read from, if it has to be opened; `arrival` if it is open.
Clk LooseChannel::open_row(Row& row, ReservationCalendar& bank, std::uint64_t set, Clk arrival, Clk horizon) {
  const Clk interval = arrival / timing_.refi;
  const bool same_interval = row.refresh == interval;
  if (same_interval && row.row == set) return arrival;
  const bool closed = !same_interval || row.row == kClosed;
  row = {set, interval};
  ++statistics_.activations;
  return bank.reserve(arrival + (closed ? 0 : timing_.rp), timing_.rc, horizon) + timing_.rcd;
}

LooseChannel::Result LooseChannel::access(std::uint64_t address, std::uint64_t bytes, Clk arrival,
                                          Clk horizon) {
  const auto burst = static_cast<std::uint64_t>(timing_.burst_bytes);
  const std::uint64_t first = address / burst, last = (address + bytes - 1) / burst;
  const auto bursts = static_cast<Clk>(last - first + 1);
  const std::uint64_t first_set = address / row_set_bytes_, last_set = (address + bytes - 1) / row_set_bytes_;
  const auto groups = static_cast<std::uint64_t>(timing_.bank_groups);
  const std::uint64_t before = statistics_.activations;
  Clk ready = arrival;
  for (std::uint64_t set = first_set; set <= last_set; ++set) {
    const std::uint64_t from = std::max(first, set * set_bursts_),
                        to = std::min(last, (set + 1) * set_bursts_ - 1);
    const std::uint64_t touched = std::min(groups, to - from + 1);
    for (std::uint64_t i = 0; i < touched; ++i) {
      const std::size_t bank = set * groups % open_.size() + (from + i) % groups;
      const Clk open = open_row(open_[bank], banks_[bank], set, arrival, horizon);
      // The banks open tRRD after each other, their bursts come tCCD after each other.
      if (set == first_set && open > arrival)
        ready = std::max(ready, open + static_cast<Clk>(i) * (timing_.rrd_s - timing_.ccd_s));
    }
  }
  const Clk opening = ready - arrival, activations = static_cast<Clk>(statistics_.activations - before);
  statistics_.bursts += static_cast<std::uint64_t>(bursts);
  const Clk data = bursts * timing_.burst_clocks;
  // Short accesses to one bank group follow each other at tCCD_L; others may have to wait for tFAW.
  const bool same_group = bursts == 1 && first % groups == last_group_;
  last_group_ = last % groups;
  const Clk slot = std::max({data, (activations * timing_.faw + 3) / 4, Clk{same_group ? timing_.ccd_l : 0}});
  const Clk start = bus_.reserve(to_busy_time(arrival + opening), slot, to_busy_time(horizon));
  const Clk begin = to_time(start);
  return {std::max(arrival, begin - kQueueBursts * timing_.burst_clocks),
          to_time(start + data - 1) + 1 + timing_.cl + 1};
}

}  // namespace meshkv::memory
