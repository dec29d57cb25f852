#include <catch2/catch.hpp>

#include "models/mare/slice_scheduler.h"

using namespace meshkv;
using namespace meshkv::mare;

namespace {

Slice slice(std::uint16_t group, std::uint32_t flits) {
  Slice s;
  s.key.group = group;
  s.slice_flits = s.end_flit = flits;
  return s;
}

/// Groups in the order in which `scheduler` serves packets of 8 flits from cycle 0 on.
std::vector<int> order(SliceScheduler& scheduler) {
  std::vector<int> groups;
  while (Slice* s = scheduler.pick(0)) {
    groups.push_back(s->key.group);
    s->next_flit += 8;
    if (s->next_flit >= s->end_flit) scheduler.finish(*s);
  }
  return groups;
}

void add_ready(SliceScheduler& scheduler, Block& block, Slice s) {
  scheduler.make_ready(scheduler.add(block, s), 0);
}

}  // namespace

TEST_CASE("Round robin interleaves the packets of all blocks", "[mare][scheduler]") {
  SliceScheduler scheduler(HomeService::kRoundRobin);
  Block& first = scheduler.open_block(0, 0);
  Block& second = scheduler.open_block(0, 8);
  add_ready(scheduler, first, slice(0, 16));
  add_ready(scheduler, first, slice(1, 8));
  add_ready(scheduler, second, slice(2, 16));
  REQUIRE(order(scheduler) == std::vector<int>{0, 1, 2, 0, 2});
  REQUIRE(scheduler.empty());
}

TEST_CASE("Block order ends the oldest block first", "[mare][scheduler]") {
  SliceScheduler scheduler(HomeService::kBlockOrder);
  Block& first = scheduler.open_block(0, 0);
  Block& second = scheduler.open_block(0, 8);
  add_ready(scheduler, second, slice(2, 16));
  add_ready(scheduler, first, slice(0, 16));
  add_ready(scheduler, first, slice(1, 8));
  REQUIRE(order(scheduler) == std::vector<int>{0, 1, 0, 2, 2});
}

TEST_CASE("First come first served ends slice by slice", "[mare][scheduler]") {
  SliceScheduler scheduler(HomeService::kFifo);
  Block& block = scheduler.open_block(0, 0);
  add_ready(scheduler, block, slice(0, 16));
  add_ready(scheduler, block, slice(1, 16));
  REQUIRE(order(scheduler) == std::vector<int>{0, 0, 1, 1});
}

TEST_CASE("A slice that waits for memory lets others pass, also of a younger block", "[mare][scheduler]") {
  SliceScheduler scheduler(HomeService::kBlockOrder);
  Block& first = scheduler.open_block(0, 0);
  Block& second = scheduler.open_block(0, 8);
  Slice& waiting = scheduler.add(first, slice(0, 8));
  scheduler.make_ready(waiting, 100);
  add_ready(scheduler, second, slice(1, 8));
  REQUIRE(scheduler.pick(5)->key.group == 1);
  REQUIRE(scheduler.earliest_ready(0) == 0);
  REQUIRE(scheduler.pick(100)->key.group == 0);
  scheduler.park(waiting);
  REQUIRE(scheduler.any_queued());
  REQUIRE(scheduler.pick(100)->key.group == 1);
}

TEST_CASE("The main slice of a group is the one that runs to its end", "[mare][scheduler]") {
  SliceScheduler scheduler(HomeService::kBlockOrder);
  Block& block = scheduler.open_block(3, 7);
  Slice replay = slice(4, 64);
  replay.end_flit = 8;
  replay.replay = true;
  scheduler.add(block, replay);
  REQUIRE(block.main_slice(4) == nullptr);
  Slice& main = scheduler.add(block, slice(4, 64));
  REQUIRE(block.main_slice(4) == &main);
  REQUIRE(scheduler.find_block(3, 7) == &block);
  REQUIRE(scheduler.find_block(3, 8) == nullptr);
  REQUIRE(scheduler.live_slices() == 2);
}
