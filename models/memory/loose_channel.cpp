#include "models/memory/loose_channel.h"

#include <algorithm>

namespace meshkv::memory {

LooseChannel::LooseChannel(const DramTiming& timing)
    : timing_(timing),
      blackout_(timing.rfc + timing.rp + timing.rcd + timing.cl + timing.rtp_l),
      row_set_bytes_(static_cast<std::uint64_t>(timing.row_bytes) * 2),
      open_(static_cast<std::size_t>(timing.banks / 2)) {}

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
  Result result;
  const auto burst = static_cast<std::uint64_t>(timing_.burst_bytes);
  const std::uint64_t first = address / burst, last = (address + bytes - 1) / burst;
  result.bursts = static_cast<int>(last - first + 1);
  Clk opening = 0;
  int activations = 0;
  for (std::uint64_t set = address / row_set_bytes_; set <= (address + bytes - 1) / row_set_bytes_; ++set) {
    Row& bank = open_[set % open_.size()];
    const bool same_interval = bank.refresh == arrival / timing_.refi;
    const int banks = bytes <= burst ? 1 : 2;
    ++result.rows;
    if (bank.row == set && same_interval) {
      ++result.row_hits;
      continue;
    }
    activations += banks;
    Clk open_at = arrival + (same_interval ? timing_.rp : 0);
    // Initiators run ahead of each other: only what was opened at about this time can be in the way.
    if (bank.opened > arrival - timing_.rc && bank.opened < arrival + timing_.rc)
      open_at = std::max(open_at, bank.opened + timing_.rc);
    if (result.rows == 1) opening = open_at + timing_.rcd + (banks > 1 ? 2 : 0) - arrival;
    bank = {set, open_at, arrival / timing_.refi};
  }
  const Clk data = Clk{result.bursts} * timing_.burst_clocks;
  const Clk slot = std::max(data, (Clk{activations} * timing_.faw + 3) / 4);
  const Clk start = bus_.reserve(to_busy_time(arrival + opening), slot, to_busy_time(horizon));
  result.done = to_time(start + data - 1) + 1 + timing_.cl + 1;
  return result;
}

}  // namespace meshkv::memory
