#pragma once

#include <functional>

#include "models/controller/devices/device.h"
#include "models/controller/registers/register_map.h"
#include "models/riscv/isa.h"

namespace meshkv::controller {

/// The hart's timer.
class Timer : public Device {
 public:
  using Line = std::function<void(riscv::Interrupt, bool)>;
  /// `line` hears of changes of the timer interrupt; `call_at` asks for reached() in a later cycle, and
  /// replaces what it was asked before (kNever: nothing).
  Timer(Line line, std::function<void(Cycle)> call_at)
      : line_(std::move(line)), call_at_(std::move(call_at)) {}

  void reached(Cycle now);
  Cycle compare() const { return compare_; }

  bool write(std::uint32_t offset, std::uint32_t value, Cycle now) override;
  std::uint32_t peek(std::uint32_t offset, Cycle now) const override;
  bool constant(std::uint32_t offset) const override {
    return offset == reg::kTimerCompareLow || offset == reg::kTimerCompareHigh;
  }

 private:
  Line line_;
  std::function<void(Cycle)> call_at_;
  Cycle compare_ = kNever;
  bool pending_ = false;
};

}  // namespace meshkv::controller
