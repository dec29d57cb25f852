#pragma once

#include <functional>
#include <vector>

#include "models/common/clock_domain.h"
#include "models/controller/firmware_column.h"

namespace meshkv::controller {

/// Tells firmware that works from firmware that is stuck: nothing has moved for a whole period.
class FirmwareWatchdog : public Clocked {
 public:
  FirmwareWatchdog(ClockDomain& clock, Cycle period)
      : clock_(clock), period_(period), id_(clock.add(*this)) {}

  std::function<void()> on_stuck;

  void start(std::vector<const FirmwareColumn*> columns);
  void tick(Cycle now) override;
  bool stuck() const { return stuck_; }

 private:
  std::uint64_t moves() const;
  /// Some program has not ended.
  bool running() const;

  ClockDomain& clock_;
  Cycle period_;
  int id_;
  std::vector<const FirmwareColumn*> columns_;
  std::uint64_t last_ = 0;
  bool stuck_ = false;
};

}  // namespace meshkv::controller
