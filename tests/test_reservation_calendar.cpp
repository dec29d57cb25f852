// Earliest gaps, merging, holding, forgetting: against a plain map of busy units.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "models/common/reservation_calendar.h"

using meshkv::ReservationCalendar;

TEST_CASE("A reservation takes the earliest gap that holds it whole", "[calendar]") {
  ReservationCalendar c;
  CHECK(c.reserve(10, 5, 0) == 10);
  CHECK(c.reserve(20, 5, 0) == 20);
  CHECK(c.reserve(8, 2, 0) == 8);
  CHECK(c.reserve(9, 6, 0) == 25);
  CHECK(c.reserve(9, 5, 0) == 15);
  CHECK(c.intervals() == 1);
  CHECK(c.last_end() == 31);
  CHECK(c.reserve(0, 8, 0) == 0);
  CHECK(c.busy(30));
  CHECK_FALSE(c.busy(31));
}

TEST_CASE("Holding makes a span busy and tells how much of it was free", "[calendar]") {
  ReservationCalendar c;
  c.reserve(10, 5, 0);
  c.reserve(20, 5, 0);
  CHECK(c.hold(12, 12) == 0);
  CHECK(c.hold(13, 22) == 5);
  CHECK(c.intervals() == 1);
  CHECK(c.hold(40, 50) == 10);
  CHECK(c.hold(0, 100) == 100 - 25);
  CHECK(c.last_end() == 100);
}

TEST_CASE("Pieces fill gaps from the arrival on", "[calendar]") {
  ReservationCalendar c;
  c.reserve(10, 10, 0);
  c.reserve(30, 10, 0);
  c.reserve(43, 10, 0);
  // 20..30, then not the gap of 3, then 53..59.
  CHECK(c.reserve_in_pieces(12, 16, 8, 0) == 59 - 16);
  CHECK(c.busy(25));
  CHECK_FALSE(c.busy(41));
  CHECK(c.busy(58));
  CHECK_FALSE(c.busy(59));
  // A short last piece fits anywhere.
  CHECK(c.reserve_in_pieces(15, 2, 8, 0) == 40);
  CHECK(c.reserve_in_pieces(0, 4, 8, 0) == 0);
  CHECK(c.reserve_in_pieces(100, 20, 8, 0) == 100);
}

namespace {

/// What a calendar is compared with.
class BusyUnits {
 public:
  bool busy(int t) const { return units_[static_cast<std::size_t>(t)]; }
  void take(int begin, int end) {
    for (int t = begin; t < end; ++t) units_[static_cast<std::size_t>(t)] = true;
  }
  /// Free units from `begin` on, before the first busy one; no more than `most`.
  int free_from(int begin, int most) const {
    int free = 0;
    while (free < most && !busy(begin + free)) ++free;
    return free;
  }

 private:
  std::vector<bool> units_ = std::vector<bool>(60000, false);
};

}  // namespace

TEST_CASE("A calendar agrees with a map of busy units, whatever the order of calls", "[calendar]") {
  std::mt19937 random(7);
  ReservationCalendar c;
  BusyUnits units;
  for (int i = 0; i < 4000; ++i) {
    const int horizon = i * 10;
    const int at = horizon + static_cast<int>(random() % 400);
    const int length = 1 + static_cast<int>(random() % 12);
    if (i % 5 == 0) {
      int free = 0;
      for (int t = at; t < at + length; ++t) free += units.busy(t) ? 0 : 1;
      REQUIRE(c.hold(at, at + length) == free);
      units.take(at, at + length);
    } else {
      int start = at;
      while (units.free_from(start, length) < length) ++start;
      REQUIRE(c.reserve(at, length, horizon) == start);
      units.take(start, start + length);
    }
    const int probe = horizon + static_cast<int>(random() % 500);
    REQUIRE(c.busy(probe) == units.busy(probe));
  }
  CHECK(c.intervals() < 200);
}

TEST_CASE("Pieces agree with a map of busy units", "[calendar]") {
  std::mt19937 random(11);
  ReservationCalendar c;
  BusyUnits units;
  for (int i = 0; i < 4000; ++i) {
    const int horizon = i * 10;
    const int from = horizon + static_cast<int>(random() % 400);
    const int piece = 1 + static_cast<int>(random() % 5), length = piece + static_cast<int>(random() % 12);
    if (i % 4 == 0) {
      int start = from;
      while (units.free_from(start, length) < length) ++start;
      REQUIRE(c.reserve(from, length, horizon) == start);
      units.take(start, start + length);
    } else {
      int end = 0;
      for (int at = from, left = length; left > 0;) {
        const int free = units.free_from(at, left);
        if (free >= std::min(left, piece)) {
          units.take(at, at + free);
          left -= free;
          end = at + free;
        }
        at += std::max(1, free);
      }
      REQUIRE(c.reserve_in_pieces(from, length, piece, horizon) == end - length);
    }
    const int probe = horizon + static_cast<int>(random() % 500);
    REQUIRE(c.busy(probe) == units.busy(probe));
  }
  CHECK(c.intervals() < 200);
}
