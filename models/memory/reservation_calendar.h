// Reservations of one resource by initiators that run ahead of one another (DESIGN section 3, lt).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace meshkv::memory {

/// A transfer takes the earliest gap at or after its arrival that holds it whole. Neighbouring reservations
/// merge, so a busy resource is one interval, and the common case is an append.
class ReservationCalendar {
 public:
  /// Returns the start. `horizon`: no later call will name an earlier arrival (what ends before is
  /// forgotten).
  std::int64_t reserve(std::int64_t arrival, std::int64_t length, std::int64_t horizon) {
    while (head_ + 1 < busy_.size() && busy_[head_].end <= horizon) ++head_;
    if (head_ > 64 && head_ * 2 > busy_.size()) {
      busy_.erase(busy_.begin(), busy_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
    if (busy_.size() == head_ || arrival >= busy_.back().end) {
      if (busy_.size() > head_ && arrival == busy_.back().end)
        busy_.back().end += length;
      else
        busy_.push_back({arrival, arrival + length});
      return arrival;
    }
    return insert(arrival, length);
  }
  /// Disjoint busy intervals that are still remembered.
  std::size_t intervals() const { return busy_.size() - head_; }

 private:
  struct Interval {
    std::int64_t begin, end;
  };
  std::int64_t insert(std::int64_t arrival, std::int64_t length);
  std::vector<Interval> busy_;
  std::size_t head_ = 0;
};

}  // namespace meshkv::memory
