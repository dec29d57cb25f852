#include "models/controller/firmware_watchdog.h"

#include <algorithm>
#include <utility>

namespace meshkv::controller {

std::uint64_t FirmwareWatchdog::moves() const {
  std::uint64_t sum = 0;
  for (const FirmwareColumn* column : columns_) sum += column->moves();
  return sum;
}

bool FirmwareWatchdog::running() const {
  return std::any_of(columns_.begin(), columns_.end(), [](const FirmwareColumn* c) { return !c->end(); });
}

void FirmwareWatchdog::start(std::vector<const FirmwareColumn*> columns) {
  columns_ = std::move(columns);
  clock_.wake(id_, clock_.now() + period_);
}

void FirmwareWatchdog::tick(Cycle now) {
  if (!running()) return;
  const std::uint64_t moved = moves();
  if (moved == last_) {
    stuck_ = true;
    if (on_stuck) on_stuck();
    return;
  }
  last_ = moved;
  clock_.wake(id_, now + period_);
}

}  // namespace meshkv::controller
