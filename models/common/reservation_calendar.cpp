#include "models/common/reservation_calendar.h"

#include <algorithm>

namespace meshkv {

/// From the end: what is asked for is near it.
std::vector<ReservationCalendar::Interval>::iterator ReservationCalendar::first_ending_after(Time t) {
  auto it = busy_.end();
  const auto begin = busy_.begin() + static_cast<std::ptrdiff_t>(head_);
  for (int steps = 0; it != begin && (it - 1)->end > t; --it)
    if (++steps == 8)
      return std::upper_bound(begin, it, t, [](Time value, const Interval& i) { return value < i.end; });
  return it;
}

ReservationCalendar::Time ReservationCalendar::insert(Time arrival, Time length) {
  auto it = first_ending_after(arrival);
  Time start = arrival;
  while (it != busy_.end() && it->begin - start < length) {
    start = std::max(start, it->end);
    ++it;
  }
  const bool joins_before =
      it != busy_.begin() + static_cast<std::ptrdiff_t>(head_) && (it - 1)->end == start;
  const bool joins_after = it != busy_.end() && it->begin == start + length;
  if (joins_before && joins_after) {
    (it - 1)->end = it->end;
    busy_.erase(it);
  } else if (joins_before) {
    (it - 1)->end += length;
  } else if (joins_after) {
    it->begin = start;
  } else {
    busy_.insert(it, {start, start + length});
  }
  return start;
}

ReservationCalendar::Time ReservationCalendar::fill(Time begin, Time end) {
  // The interval that ends exactly at `begin` takes part: it is prolonged.
  const auto first = first_ending_after(begin - 1);
  Interval merged{begin, end};
  Time free = end - begin;
  auto last = first;
  for (; last != busy_.end() && last->begin <= end; ++last) {
    const Time overlap = std::min(last->end, end) - std::max(last->begin, begin);
    free -= std::max<Time>(0, overlap);
    merged.begin = std::min(merged.begin, last->begin);
    merged.end = std::max(merged.end, last->end);
  }
  if (first == last) {
    busy_.insert(first, merged);
  } else {
    *first = merged;
    busy_.erase(first + 1, last);
  }
  return free;
}

}  // namespace meshkv
