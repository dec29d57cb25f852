#include "models/pad/mac_pipeline.h"

#include <algorithm>

namespace meshkv::pad {

MacPipeline::MacPipeline(int fifo_flits, int macs_per_cycle)
    : capacity_(static_cast<std::uint32_t>(fifo_flits)), rate_(static_cast<std::uint64_t>(macs_per_cycle)) {}

Cycle MacPipeline::room(bool v, std::uint32_t flits, Cycle now) {
  if (capacity_ == 0) return now;
  auto& fifo = fifo_[v ? 1 : 0];
  auto& occupied = occupied_[v ? 1 : 0];
  while (!fifo.empty() && fifo.front().leaves <= now) {
    occupied -= fifo.front().flits;
    fifo.pop_front();
  }
  // A packet (or an lt chunk) larger than the FIFO passes through it as it is served.
  const std::uint32_t need = std::min(flits, capacity_);
  std::uint32_t held = occupied;
  Cycle at = now;
  for (const Entry& e : fifo) {
    if (held + need <= capacity_) break;
    held -= e.flits;
    at = e.leaves;
  }
  return at;
}

Cycle MacPipeline::serve(bool v, std::uint32_t flits, std::uint32_t macs_per_line, Cycle head, Cycle tail) {
  const std::uint64_t line_ticks = std::max<std::uint64_t>(rate_, macs_per_line);
  const std::uint64_t begin = std::max(head * rate_, free_ticks_);
  const std::uint64_t end = std::max(begin + flits * line_ticks, tail * rate_);
  statistics_.lines += flits;
  statistics_.macs += std::uint64_t{flits} * macs_per_line;
  statistics_.busy_cycles += (flits * line_ticks + rate_ - 1) / rate_;
  statistics_.non_empty_cycles += to_cycle(end) - begin / rate_;
  free_ticks_ = end;
  if (capacity_ != 0) {
    fifo_[v ? 1 : 0].push_back({to_cycle(end), flits});
    occupied_[v ? 1 : 0] += flits;
  }
  return to_cycle(end);
}

}  // namespace meshkv::pad
