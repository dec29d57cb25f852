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
      open_(static_cast<std::size_t>(timing.banks / timing.bank_groups)) {}

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

LooseChannel::Result LooseChannel::access(std::uint64_t address, std::uint64_t bytes, Clk arrival,
                                          Clk horizon) {
  const auto burst = static_cast<std::uint64_t>(timing_.burst_bytes);
  const std::uint64_t first = address / burst, last = (address + bytes - 1) / burst;
  const auto bursts = static_cast<Clk>(last - first + 1);
  const std::uint64_t first_set = address / row_set_bytes_, last_set = (address + bytes - 1) / row_set_bytes_;
  Clk opening = 0, activations = 0;
  for (std::uint64_t set = first_set; set <= last_set; ++set) {
    Row& bank = open_[set % open_.size()];
    const Clk interval = arrival / timing_.refi;
    if (bank.row == set && bank.refresh == interval) continue;
    const Clk banks = std::min<Clk>(bursts, timing_.bank_groups);
    activations += banks;
    const bool closed = bank.refresh != interval || bank.row == kClosed;
    Clk open_at = arrival + (closed ? 0 : timing_.rp);
    // Initiators run ahead of each other: only what was opened at about this time can be in the way.
    if (bank.opened > arrival - timing_.rc && bank.opened < arrival + timing_.rc)
      open_at = std::max(open_at, bank.opened + timing_.rc);
    // The last of the banks opens (banks - 1) tRRD later, and its bursts come that many tCCD later.
    if (set == first_set)
      opening = open_at + timing_.rcd + (banks - 1) * (timing_.rrd_s - timing_.ccd_s) - arrival;
    bank = {set, open_at, interval};
  }
  statistics_.bursts += static_cast<std::uint64_t>(bursts);
  statistics_.activations += static_cast<std::uint64_t>(activations);
  const Clk data = bursts * timing_.burst_clocks;
  const Clk slot = std::max(data, (activations * timing_.faw + 3) / 4);
  const Clk start = bus_.reserve(to_busy_time(arrival + opening), slot, to_busy_time(horizon));
  const Clk begin = to_time(start);
  return {std::max(arrival, begin - kQueueBursts * timing_.burst_clocks),
          to_time(start + data - 1) + 1 + timing_.cl + 1};
}

}  // namespace meshkv::memory
