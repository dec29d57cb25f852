// Transactions of a port in lt, where initiators run ahead of one another.
#include <catch2/catch.hpp>

#include "models/memory/outstanding_limit.h"

using meshkv::memory::OutstandingLimit;

TEST_CASE("OutstandingLimit: as many as the limit at once, the next when one ends", "[memory][lt]") {
  OutstandingLimit limit(2);
  CHECK(limit.first_free(10, 0) == 10);
  limit.add(10, 50);
  CHECK(limit.first_free(10, 0) == 10);
  limit.add(10, 30);
  CHECK(limit.first_free(9, 0) == 9);
  CHECK(limit.first_free(10, 0) == 30);
  CHECK(limit.first_free(29, 0) == 30);
  CHECK(limit.first_free(30, 0) == 30);
}

TEST_CASE("OutstandingLimit: what was asked for before others begin does not wait for them", "[memory][lt]") {
  OutstandingLimit limit(2);
  limit.add(100, 200);
  limit.add(100, 300);
  CHECK(limit.first_free(50, 0) == 50);
  CHECK(limit.first_free(150, 0) == 200);
  limit.add(200, 250);
  CHECK(limit.first_free(150, 0) == 250);
}

TEST_CASE("OutstandingLimit: a run of thousands is held to the limit, whatever is forgotten",
          "[memory][lt]") {
  OutstandingLimit limit(16);
  meshkv::Cycle last = 0;
  // Sixteen at a time, each for 100 cycles, all asked for at once.
  for (int i = 0; i < 5000; ++i) {
    const meshkv::Cycle horizon = last > 1000 ? last - 1000 : 0;
    const meshkv::Cycle begin = limit.first_free(horizon, horizon);
    CHECK(begin == static_cast<meshkv::Cycle>(i / 16) * 100);
    limit.add(begin, begin + 100);
    last = begin;
  }
}
