#include <catch2/catch.hpp>
#include <map>
#include <stdexcept>

#include "models/memory/memory_map.h"

using namespace meshkv::memory;

namespace {

MemoryConfig small_config() {
  MemoryConfig config;
  config.hbm_bytes = 32ULL << 20;
  config.ddr_bytes = 64ULL << 20;
  return config;
}

/// Every 64 bytes of every slice: no two of them may share an address, all inside the window of their
/// controller.
void require_disjoint(const MemoryMap& map, const MemoryMapShape& shape, std::uint64_t step) {
  std::map<std::uint64_t, int> seen;
  for (std::size_t l = 0; l < shape.segments_per_layer.size(); ++l)
    for (std::uint32_t s = 0; s < shape.segments_per_layer[l]; ++s)
      for (int g = 0; g < shape.groups_per_block; ++g)
        for (std::uint64_t b = 0; b < shape.slice_bytes; b += step) {
          const Location at = map.locate(static_cast<int>(l), s, g, b);
          REQUIRE(++seen[at.address] == 1);
          const auto owner = map.owner(at.address);
          REQUIRE(owner);
          REQUIRE(owner->layer == static_cast<int>(l));
          REQUIRE(owner->segment == s);
          REQUIRE(owner->group == g);
          REQUIRE(owner->byte == b);
          const auto c = static_cast<std::uint64_t>(at.controller);
          if (at.tier == Tier::kHbm)
            REQUIRE(at.address / map.hbm_span() == c);
          else
            REQUIRE((at.address - kDdrBase) / map.ddr_span() == c);
        }
}

}  // namespace

TEST_CASE("LLaMA-2-7B at 32768 tokens spills half of its cache to DDR4", "[memory]") {
  MemoryMapShape shape;
  shape.segments_per_layer.assign(32, 512);
  shape.groups_per_block = 16;
  shape.slice_bytes = 65536;
  const MemoryMap map(MemoryConfig{}, shape);
  REQUIRE(map.hbm_bytes() == 8ULL << 30);
  REQUIRE(map.ddr_bytes() == 8ULL << 30);
  // The oldest segments of every layer spill.
  for (int l = 0; l < 32; ++l) {
    REQUIRE_FALSE(map.in_hbm(l, 255));
    REQUIRE(map.in_hbm(l, 256));
  }
}

TEST_CASE("Spill policies choose other blocks", "[memory]") {
  MemoryMapShape shape;
  shape.segments_per_layer.assign(4, 32);
  shape.groups_per_block = 4;
  shape.slice_bytes = 131072;  // 64 MiB in all
  MemoryConfig config = small_config();
  config.spill_policy = SpillPolicy::kNewestSegments;
  const MemoryMap newest(config, shape);
  REQUIRE(newest.in_hbm(3, 15));
  REQUIRE_FALSE(newest.in_hbm(0, 16));
  config.spill_policy = SpillPolicy::kByLayer;
  const MemoryMap by_layer(config, shape);
  REQUIRE(by_layer.in_hbm(1, 0));
  REQUIRE_FALSE(by_layer.in_hbm(2, 31));
}

TEST_CASE("A segment's age is its own, not its slot's number", "[memory]") {
  MemoryMapShape shape;
  shape.segments_per_layer.assign(4, 32);
  shape.groups_per_block = 4;
  shape.slice_bytes = 131072;
  for (std::uint32_t s = 0; s < 32; ++s) shape.age_of_segment.push_back(s % 16);  // two streams
  const MemoryMap map(small_config(), shape);
  for (std::uint32_t s = 0; s < 32; ++s) REQUIRE(map.in_hbm(0, s) == (s % 16 >= 8));
}

TEST_CASE("No two slices share a byte, in any interleaving", "[memory]") {
  const Interleave interleave = GENERATE(Interleave::k4KiB, Interleave::k128B, Interleave::kBlock);
  const HbmReach reach = GENERATE(HbmReach::kPool, HbmReach::kColumn);
  const Spill spill = GENERATE(Spill::kAllow, Spill::kIgnore);
  const int columns = GENERATE(4, 5, 8, 16);
  MemoryMapShape shape;
  shape.segments_per_layer = {40, 7, 33};
  shape.groups_per_block = 3;
  shape.slice_bytes = 196608 + 4096;
  shape.columns = columns;
  shape.home_column = [columns](int layer, std::uint32_t) { return layer % columns; };
  MemoryConfig config = small_config();
  config.interleave = interleave;
  config.hbm_reach = reach;
  config.spill = spill;
  const MemoryMap map(config, shape);
  require_disjoint(map, shape, 4096);
  const std::uint64_t all = 80ULL * 3 * 200704;
  REQUIRE(map.hbm_bytes() + map.ddr_bytes() == all);
  if (spill == Spill::kIgnore) {
    REQUIRE(map.ddr_bytes() == 0);
    REQUIRE(map.overcommitted());
  } else {
    REQUIRE(map.hbm_bytes() <= config.hbm_bytes);
    REQUIRE_FALSE(map.overcommitted());
  }
}

TEST_CASE("With column reach a block lies under the column of its home", "[memory]") {
  const int columns = GENERATE(2, 4, 5, 8, 12, 16);
  MemoryMapShape shape;
  shape.segments_per_layer.assign(16, 8);
  shape.slice_bytes = 16384;
  shape.columns = columns;
  shape.home_column = [columns](int layer, std::uint32_t) { return layer % columns; };
  MemoryConfig config = small_config();
  config.hbm_reach = HbmReach::kColumn;
  const MemoryMap map(config, shape);
  std::map<int, int> used;
  for (int l = 0; l < 16; ++l) {
    const ControllerRange range = controllers_of_column(l % columns, columns, map.hbm_controllers());
    for (std::uint32_t s = 0; s < 8; ++s)
      for (std::uint64_t b = 0; b < 16384; b += 4096) {
        const Location at = map.locate(l, s, 0, b);
        REQUIRE(at.tier == Tier::kHbm);
        REQUIRE(at.controller >= range.first);
        REQUIRE(at.controller < range.first + range.count);
        ++used[at.controller];
      }
  }
  REQUIRE(used.size() == 8);
}

TEST_CASE("A chunk is contiguous in one controller", "[memory]") {
  const int chunk = GENERATE(1024, 4096, 16384);
  const Interleave interleave = GENERATE(Interleave::k4KiB, Interleave::k128B, Interleave::kBlock);
  MemoryMapShape shape;
  shape.segments_per_layer.assign(4, 32);
  shape.groups_per_block = 4;
  shape.slice_bytes = 131072;
  MemoryConfig config = small_config();
  config.chunk_bytes = chunk;
  config.interleave = interleave;
  const MemoryMap map(config, shape);
  const auto size = static_cast<std::uint64_t>(chunk);
  for (std::uint32_t s = 0; s < 32; ++s)
    for (std::uint64_t b = 0; b < shape.slice_bytes; b += size)
      REQUIRE(map.locate(1, s, 2, b + size - 1).address == map.locate(1, s, 2, b).address + size - 1);
}

TEST_CASE("Memory that does not fit is refused with its size", "[memory]") {
  MemoryMapShape shape;
  shape.segments_per_layer.assign(4, 64);
  shape.groups_per_block = 4;
  shape.slice_bytes = 131072;  // 128 MiB
  REQUIRE_THROWS_AS(MemoryMap(small_config(), shape), std::length_error);
  MemoryConfig config = small_config();
  config.ddr_bytes = 1ULL << 30;
  REQUIRE(MemoryMap(config, shape).ddr_bytes() == 96ULL << 20);
  config.spill = Spill::kRefuse;
  REQUIRE_THROWS_WITH(MemoryMap(config, shape),
                      Catch::Contains("128 MiB") && Catch::Contains("memory.spill"));
  config.chunk_bytes = 3000;
  REQUIRE_THROWS_AS(MemoryMap(config, shape), std::invalid_argument);
}
