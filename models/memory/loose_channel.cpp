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
      by_refi_(static_cast<std::uint64_t>(timing.refi)),
      by_useful_(static_cast<std::uint64_t>(timing.refi - blackout_)),
      by_burst_(static_cast<std::uint64_t>(timing.burst_bytes)),
      by_set_(static_cast<std::uint64_t>(timing.row_bytes / timing.burst_bytes * timing.bank_groups)),
      by_group_(static_cast<std::uint64_t>(timing.bank_groups)),
      by_set_of_banks_(static_cast<std::uint64_t>(timing.banks / timing.bank_groups)),
      open_(static_cast<std::size_t>(timing.banks)),
      banks_(static_cast<std::size_t>(timing.banks)),
      together_(static_cast<std::size_t>(timing.banks / timing.bank_groups), true) {}

/// Clocks of the data bus that refresh has left before `t`. Refresh is due at every multiple of tREFI but 0.
Clk LooseChannel::to_busy_time(Clk t) const {
  const Clk k = refresh_interval(t), r = t - k * timing_.refi;
  return k * (timing_.refi - blackout_) + (k == 0 ? r - blackout_ : std::max<Clk>(0, r - blackout_));
}

Clk LooseChannel::to_time(Clk busy) const {
  if (busy < 0) return busy + blackout_;
  const auto k = static_cast<Clk>(by_useful_.quotient(static_cast<std::uint64_t>(busy)));
  return busy + (k + 1) * blackout_;
}

/// When the row may be read from, if it has to be opened; `arrival` if it is open.
Clk LooseChannel::open_row(std::size_t bank, const Row& wanted, Clk arrival, Clk horizon) {
  Row& row = open_[bank];
  const bool same_interval = row.refresh == wanted.refresh;
  if (same_interval && row.row == wanted.row) return arrival;
  const bool closed = !same_interval || row.row == kClosed;
  row = wanted;
  ++statistics_.activations;
  return banks_[bank].reserve(arrival + (closed ? 0 : timing_.rp), timing_.rc, horizon) + timing_.rcd;
}

/// The latest of them.
Clk LooseChannel::open_set(std::uint64_t set, const Row& wanted, Clk arrival, Clk horizon) {
  const std::size_t groups = by_group_.divisor(), first = set * groups;
  const std::uint64_t before = statistics_.activations;
  const Clk open = open_row(first, wanted, arrival, horizon);
  if (together_[set]) {
    statistics_.activations += (statistics_.activations - before) * (groups - 1);
    return open;
  }
  Clk last = open;
  bool same = true;
  for (std::size_t i = 1; i < groups; ++i) {
    const Clk other = open_row(first + i, wanted, arrival, horizon);
    same = same && other == open;
    last = std::max(last, other);
  }
  // The same rows again. What a bank alone had to do before lies behind that, or nearly.
  together_[set] = same;
  return last;
}

void LooseChannel::tell_apart(std::uint64_t set) {
  if (!together_[set]) return;
  together_[set] = false;
  const std::size_t groups = by_group_.divisor(), first = set * groups;
  for (std::size_t i = 1; i < groups; ++i) {
    open_[first + i] = open_[first];
    banks_[first + i] = banks_[first];
  }
}

/// Opens the rows behind the bursts [first, last]. Returns when those of the first set may be read from.
Clk LooseChannel::open_rows(std::uint64_t first, std::uint64_t last, Clk arrival, Clk horizon) {
  const Clk interval = refresh_interval(arrival);
  const std::uint64_t first_set = by_set_.quotient(first), groups = by_group_.divisor();
  Clk ready = arrival;
  std::uint64_t from = first;
  for (std::uint64_t set = first_set; from <= last; ++set) {
    const std::uint64_t end = (set + 1) * by_set_.divisor();
    const std::uint64_t touched = std::min(groups, std::min(last + 1, end) - from);
    const std::uint64_t set_of_banks = by_set_of_banks_.remainder(set);
    if (touched == groups) {
      const Clk open = open_set(set_of_banks, {set, interval}, arrival, horizon);
      if (set == first_set && open > arrival) ready = std::max({ready, open, ready_after(open, groups - 1)});
    } else {
      tell_apart(set_of_banks);
      std::uint64_t group = by_group_.remainder(from);
      for (std::uint64_t i = 0; i < touched; ++i, group = group + 1 == groups ? 0 : group + 1) {
        const Clk open = open_row(set_of_banks * groups + group, {set, interval}, arrival, horizon);
        if (set == first_set && open > arrival) ready = std::max(ready, ready_after(open, i));
      }
    }
    from = end;
  }
  return ready;
}

LooseChannel::Result LooseChannel::access(std::uint64_t address, std::uint64_t bytes, Clk arrival,
                                          Clk horizon) {
  const std::uint64_t first = by_burst_.quotient(address), last = by_burst_.quotient(address + bytes - 1);
  const auto bursts = static_cast<Clk>(last - first + 1);
  const std::uint64_t before = statistics_.activations;
  const Clk ready = open_rows(first, last, arrival, horizon);
  const auto activations = static_cast<Clk>(statistics_.activations - before);
  statistics_.bursts += static_cast<std::uint64_t>(bursts);
  const Clk data = bursts * timing_.burst_clocks;
  // Short accesses to one bank group follow each other at tCCD_L; others may have to wait for tFAW.
  const bool same_group = bursts == 1 && by_group_.remainder(first) == by_group_.remainder(last_burst_);
  last_burst_ = last;
  const Clk slot = std::max({data, (activations * timing_.faw + 3) / 4, Clk{same_group ? timing_.ccd_l : 0}});
  // Bursts of several accesses take turns on the bus: no gap between others is too short for one.
  const Clk start =
      bus_.reserve_in_pieces(to_busy_time(ready), slot, timing_.burst_clocks, to_busy_time(horizon));
  const Clk begin = to_time(start);
  return {std::max(arrival, begin - kQueueBursts * timing_.burst_clocks),
          to_time(start + data - 1) + 1 + timing_.cl + 1};
}

}  // namespace meshkv::memory
