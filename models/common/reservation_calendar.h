// Reservations of one resource by initiators that run ahead of one another (DESIGN section 3, lt).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace meshkv {

/// A transfer takes the earliest gap at or after its arrival that holds it whole. Neighbouring reservations
/// merge, so a busy resource is one interval, and the common case is an append. The unit of time is the
/// user's own.
class ReservationCalendar {
 public:
  using Time = std::int64_t;

  /// Returns the start. `horizon`: no later call will name an earlier arrival (what ends before is
  /// forgotten).
  Time reserve(Time arrival, Time length, Time horizon) {
    forget(horizon);
    if (busy_.size() == head_ || arrival >= busy_.back().end) {
      append(arrival, arrival + length);
      return arrival;
    }
    return insert(arrival, length);
  }
  /// Makes [begin, end) busy whatever else is reserved there. Returns how much of it was free.
  Time hold(Time begin, Time end) {
    if (end <= begin) return 0;
    if (busy_.size() == head_ || begin >= busy_.back().end) {
      append(begin, end);
      return end - begin;
    }
    return fill(begin, end);
  }
  bool busy(Time t) const {
    for (std::size_t i = busy_.size(); i > head_ && busy_[i - 1].end > t; --i)
      if (busy_[i - 1].begin <= t) return true;
    return false;
  }
  /// End of the last reservation; 0 if there is none or all are forgotten.
  Time last_end() const { return busy_.size() == head_ ? 0 : busy_.back().end; }
  /// Disjoint busy intervals that are still remembered.
  std::size_t intervals() const { return busy_.size() - head_; }

 private:
  struct Interval {
    Time begin, end;
  };
  void forget(Time horizon) {
    while (head_ + 1 < busy_.size() && busy_[head_].end <= horizon) ++head_;
    if (head_ > 64 && head_ * 2 > busy_.size()) {
      busy_.erase(busy_.begin(), busy_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
  }
  void append(Time begin, Time end) {
    if (busy_.size() > head_ && begin == busy_.back().end)
      busy_.back().end = end;
    else
      busy_.push_back({begin, end});
  }
  std::vector<Interval>::iterator first_ending_after(Time t);
  Time insert(Time arrival, Time length);
  Time fill(Time begin, Time end);

  std::vector<Interval> busy_;
  std::size_t head_ = 0;  // what lies before is forgotten
};

}  // namespace meshkv
