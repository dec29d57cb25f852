#include "models/memory/reservation_calendar.h"

#include <algorithm>

namespace meshkv::memory {

std::int64_t ReservationCalendar::insert(std::int64_t arrival, std::int64_t length) {
  auto it = std::upper_bound(busy_.begin() + static_cast<std::ptrdiff_t>(head_), busy_.end(), arrival,
                             [](std::int64_t t, const Interval& i) { return t < i.end; });
  std::int64_t start = arrival;
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

}  // namespace meshkv::memory
