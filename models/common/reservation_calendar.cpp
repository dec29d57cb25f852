#include "models/common/reservation_calendar.h"

#include <algorithm>

namespace meshkv {

void ReservationCalendar::keep_last(Time horizon) {
  while (head_ < older_.size() && older_[head_].end <= horizon) ++head_;
  if (head_ == older_.size()) {
    older_.clear();
    head_ = 0;
  } else if (head_ > 32 && head_ * 2 > older_.size()) {
    older_.erase(older_.begin(), older_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }
  if (last_.end > horizon && last_.end != kNone) older_.push_back(last_);
}

/// Index into older_. From the end: what is asked for is near it.
std::size_t ReservationCalendar::first_ending_after(Time t) const {
  std::size_t i = older_.size();
  while (i > head_ && older_[i - 1].end > t) --i;
  return i;
}

ReservationCalendar::Time ReservationCalendar::insert(Time arrival, Time length, Time horizon) {
  std::size_t i = first_ending_after(arrival);
  Time start = arrival;
  while (i < older_.size() && older_[i].begin - start < length) start = std::max(start, older_[i++].end);
  const bool joins_before = i > head_ && older_[i - 1].end == start;
  if (i == older_.size()) {
    if (last_.begin - start < length) {
      start = std::max(start, last_.end);
      last_.end = start + length;
      return start;
    }
    if (last_.begin == start + length) {
      last_.begin = joins_before ? older_.back().begin : start;
      if (joins_before) older_.pop_back();
      return start;
    }
  }
  const bool joins_after = i < older_.size() && older_[i].begin == start + length;
  const auto at = older_.begin() + static_cast<std::ptrdiff_t>(i);
  if (joins_before && joins_after) {
    (at - 1)->end = at->end;
    older_.erase(at);
  } else if (joins_before) {
    (at - 1)->end += length;
  } else if (joins_after) {
    at->begin = start;
  } else if (start + length > horizon) {
    older_.insert(at, {start, start + length});
  }
  return start;
}

ReservationCalendar::Time ReservationCalendar::fill(Time begin, Time end) {
  if (end <= begin) return 0;
  // All in one list for a moment; what ends exactly at `begin` takes part, since it is prolonged.
  if (last_.end != kNone) older_.push_back(last_);
  const auto first = older_.begin() + static_cast<std::ptrdiff_t>(first_ending_after(begin - 1));
  Interval merged{begin, end};
  Time free = end - begin;
  auto last = first;
  for (; last != older_.end() && last->begin <= end; ++last) {
    free -= std::max<Time>(0, std::min(last->end, end) - std::max(last->begin, begin));
    merged.begin = std::min(merged.begin, last->begin);
    merged.end = std::max(merged.end, last->end);
  }
  if (first == last) {
    older_.insert(first, merged);
  } else {
    *first = merged;
    older_.erase(first + 1, last);
  }
  last_ = older_.back();
  older_.pop_back();
  return free;
}

/// In one pass over the intervals from `arrival` on, which it writes anew, merged by what fills their gaps.
/// `arrival` lies before last_.
ReservationCalendar::Time ReservationCalendar::fill_gaps(Time arrival, Time length, Time piece) {
  older_.push_back(last_);  // all in one list for a moment
  std::size_t read = first_ending_after(arrival), write = read;
  Interval open{kNone, kNone};  // may be prolonged yet; kNone: none
  if (read > head_ && older_[read - 1].end == arrival) open = older_[--write];
  Time at = arrival, left = length;
  for (; left > 0 && read < older_.size(); ++read) {
    const Interval next = older_[read];
    const Time gap = next.begin - at;
    if (gap > 0 && (gap >= left || gap >= piece)) {
      const Time take = std::min(gap, left);
      if (open.end != at) {
        if (open.end != kNone) older_[write++] = open;
        open.begin = at;
      }
      at += take;
      left -= take;
      open.end = at;
      if (at < next.begin) break;
    }
    if (open.end == next.begin) {
      open.end = next.end;
    } else {
      if (open.end != kNone) older_[write++] = open;
      open = next;
    }
    if (left > 0) at = std::max(at, next.end);
  }
  if (left > 0) open.end = at += left;
  if (write < read) {
    older_[write++] = open;
    const auto first = older_.begin();
    older_.erase(first + static_cast<std::ptrdiff_t>(write), first + static_cast<std::ptrdiff_t>(read));
  } else {
    older_.insert(older_.begin() + static_cast<std::ptrdiff_t>(write), open);
  }
  last_ = older_.back();
  older_.pop_back();
  return at - length;
}

bool ReservationCalendar::busy_before(Time t) const {
  const std::size_t i = first_ending_after(t);
  return i < older_.size() && older_[i].begin <= t;
}

}  // namespace meshkv
