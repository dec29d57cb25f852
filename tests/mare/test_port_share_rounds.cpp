// Turns at an injection port that are played late, and in rounds, end as those that are played at once.
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "models/mare/port_share.h"
#include "models/mare/slice_scheduler.h"

using namespace meshkv;
using namespace meshkv::mare;

namespace {

/// Slices by the order in which they left, and when.
using Leaves = std::vector<std::pair<const Slice*, Cycle>>;

void collect(PortShare& share, Cycle until, Leaves& leaves) {
  for (;;) {
    const PortShare::Left left = share.leave(until);
    if (left.slice == nullptr) return;
    leaves.emplace_back(left.slice, left.at);
  }
}

}  // namespace

TEST_CASE("Turns at a port come out alike, played one by one or in rounds", "[mare][lt]") {
  const auto seed = GENERATE(range(1U, 60U));
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const int rate = 1 + static_cast<int>(random() % 2);
  std::vector<Slice> slices(5);
  PortShare often(rate), late(rate);
  Leaves of_often, of_late;
  std::uint32_t expected = 0;
  Cycle now = 0;
  std::size_t joined = 0;
  while (joined < slices.size()) {
    const std::uint32_t flits = 1 + static_cast<std::uint32_t>(random() % 600);
    for (PortShare* share : {&often, &late}) share->join(slices[joined], flits, now);
    expected += flits;
    ++joined;
    // What the port takes on comes in pieces of any size.
    for (std::uint32_t piece = 0; expected > 0 && random() % 4 != 0; expected -= piece) {
      piece = std::min(expected, 1 + static_cast<std::uint32_t>(random() % 300));
      for (PortShare* share : {&often, &late}) share->serve(piece, now);
      const Cycle next = now + random() % 400;
      for (; now < next; ++now)
        static_cast<void>(often.next_leave()), often.expected(slices[joined - 1], now);
    }
  }
  for (PortShare* share : {&often, &late}) share->serve(expected, now);
  for (const Slice& slice : slices)
    for (PortShare* share : {&often, &late}) share->sent(slice, 0);
  for (Cycle t = now; t < now + 5000; ++t) collect(often, t, of_often);
  collect(late, now + 5000, of_late);
  CHECK(of_often.size() == slices.size());
  CHECK(of_often == of_late);
}
