// Reservations of one resource by initiators that run ahead of one another (DESIGN section 3, lt).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace meshkv {

/// A transfer takes the earliest gap at or after its arrival that holds it whole. Neighbouring reservations
/// merge, so a busy resource is one interval, and the common case prolongs the last one. The unit of time is
/// the user's own.
class ReservationCalendar {
 public:
  using Time = std::int64_t;

  /// Returns the start. `horizon`: no later call will name an earlier arrival (what ends before may be
  /// forgotten).
  Time reserve(Time arrival, Time length, Time horizon) {
    if (arrival < last_.begin) return insert(arrival, length, horizon);
    if (arrival > last_.end) {
      keep_last(horizon);
      last_ = {arrival, arrival + length};
      return arrival;
    }
    const Time start = last_.end;
    last_.end += length;
    return start;
  }
  /// As reserve(), in pieces of at least `piece` (the last may be shorter) that fill gaps. Returns the end of
  /// the last piece less `length`: the start of a transfer in one piece that would end then.
  Time reserve_in_pieces(Time arrival, Time length, Time piece, Time horizon) {
    if (arrival >= last_.begin) return reserve(arrival, length, horizon);
    return fill_gaps(arrival, length, piece);
  }
  /// Makes [begin, end) busy whatever else is reserved there. Returns how much of it was free.
  Time hold(Time begin, Time end) {
    if (begin < last_.begin || begin > last_.end) return fill(begin, end);
    if (end <= last_.end) return 0;
    const Time free = end - last_.end;
    last_.end = end;
    return free;
  }
  /// The last busy interval: nothing is reserved after it.
  bool in_last(Time t) const { return t >= last_.begin && t < last_.end; }
  /// Makes the last busy interval longer: there must be one.
  void prolong_last(Time length) { last_.end += length; }
  bool busy(Time t) const { return t >= last_.begin ? t < last_.end : busy_before(t); }
  /// End of the last reservation; kNone if there is none.
  Time last_end() const { return last_.end; }
  /// Disjoint busy intervals that are still remembered.
  std::size_t intervals() const { return older_.size() - head_ + (last_.end == kNone ? 0 : 1); }

  static constexpr Time kNone = std::numeric_limits<Time>::min() / 2;

 private:
  struct Interval {
    Time begin, end;
  };
  void keep_last(Time horizon);
  std::size_t first_ending_after(Time t) const;
  Time insert(Time arrival, Time length, Time horizon);
  Time fill(Time begin, Time end);
  Time fill_gaps(Time arrival, Time length, Time piece);
  bool busy_before(Time t) const;

  Interval last_{kNone, kNone};
  std::vector<Interval> older_;  // ascending, not adjacent to each other or to last_
  std::size_t head_ = 0;         // what lies before is forgotten
};

}  // namespace meshkv
