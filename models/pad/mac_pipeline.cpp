#include "models/pad/mac_pipeline.h"

#include <algorithm>

namespace meshkv::pad {

MacPipeline::MacPipeline(int fifo_flits, int macs_per_cycle)
    : capacity_(static_cast<std::uint32_t>(fifo_flits)), rate_(static_cast<std::uint64_t>(macs_per_cycle)) {}

void MacPipeline::drop_served(bool v, Cycle now) {
  auto& fifo = fifo_[v ? 1 : 0];
  while (!fifo.empty() && fifo.front().leaves <= now) {
    occupied_[v ? 1 : 0] -= fifo.front().flits;
    fifo.pop_front();
  }
}

Cycle MacPipeline::room(bool v, std::uint32_t flits, Cycle now) {
  if (capacity_ == 0) return now;
  drop_served(v, now);
  const auto& fifo = fifo_[v ? 1 : 0];
  const std::uint32_t occupied = occupied_[v ? 1 : 0];
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
  const std::uint64_t work_end = begin + flits * line_ticks;
  // Between lines that come with gaps the array is free for others; the last line is computed after it has
  // come.
  const std::uint64_t end = std::max(work_end, tail * rate_ + line_ticks);
  statistics_.lines += flits;
  statistics_.macs += std::uint64_t{flits} * macs_per_line;
  statistics_.busy_cycles += (flits * line_ticks + rate_ - 1) / rate_;
  statistics_.non_empty_cycles += to_cycle(work_end) - begin / rate_;
  free_ticks_ = work_end;
  done_ticks_ = std::max(done_ticks_, end);
  if (capacity_ != 0) {
    drop_served(v, head);
    fifo_[v ? 1 : 0].push_back({to_cycle(end), flits});
    occupied_[v ? 1 : 0] += flits;
  }
  return to_cycle(end);
}

}  // namespace meshkv::pad
