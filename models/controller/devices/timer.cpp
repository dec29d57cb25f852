#include "models/controller/devices/timer.h"

namespace meshkv::controller {

void Timer::reached(Cycle now) {
  const bool pending = now >= compare_;
  if (pending == pending_) return;
  pending_ = pending;
  line_(riscv::Interrupt::kTimer, pending);
}

bool Timer::write(std::uint32_t offset, std::uint32_t value, Cycle now) {
  const bool high = offset == reg::kTimerCompareHigh;
  const Cycle mask = high ? Cycle{0xffffffff} << 32 : Cycle{0xffffffff};
  compare_ = (compare_ & ~mask) | (Cycle{value} << (high ? 32 : 0));
  reached(now);
  call_at_(pending_ ? kNever : compare_);
  return true;
}

std::uint32_t Timer::peek(std::uint32_t offset, Cycle now) const {
  switch (offset) {
    case reg::kTimerTimeLow:
      return static_cast<std::uint32_t>(now);
    case reg::kTimerTimeHigh:
      return static_cast<std::uint32_t>(now >> 32);
    case reg::kTimerCompareLow:
      return static_cast<std::uint32_t>(compare_);
    default:
      return static_cast<std::uint32_t>(compare_ >> 32);
  }
}

}  // namespace meshkv::controller
