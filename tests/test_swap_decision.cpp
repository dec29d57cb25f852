// Swaps that firmware decides: what may be proposed, and when all have decided.
#include <catch2/catch.hpp>

#include "models/takv/swap_decision.h"
#include "platform/chip/chip.h"

using namespace meshkv;
using namespace meshkv::takv;
using Catch::Matchers::Contains;

namespace {

platform::RunConfig small_config(std::uint64_t hbm_bytes, int sampled) {
  platform::RunConfig c;
  c.noc.mesh = {4, 4};
  c.decode.model = {"tiny", 2, 8, 8, 32, {}};
  c.decode.layout.segment_tokens = 16;
  c.decode.context_tokens = 20;
  c.decode.streams = 8;
  c.decode.reserved_tokens = 64;
  c.placement.a = 5;
  c.placement.swaps = true;
  c.placement.swaps_by = SwapsBy::kFirmware;
  c.placement.swaps_per_period = 2;
  c.memory.hbm_bytes = hbm_bytes;
  c.decode.sampled_segment_to = sampled;
  return c;
}

/// Layer 0 has its homes in column 0, layer 1 in column 1; slot s of layer 0 in row s mod 4. Blocks of row 0
/// are asked for 16 tokens, those of row 1 for 4.
struct Bench {
  explicit Bench(std::uint64_t hbm_bytes = std::uint64_t{8} << 30, int sampled = -1)
      : config(small_config(hbm_bytes, sampled)),
        plan(config.noc.mesh, config.decode, config.mapping, config.placement, config.noc.flit_bits),
        map(config.memory, platform::memory_map_shape(config, plan)),
        sample(config.placement, plan, map, occupancy),
        decision(config.placement, plan, map, sample) {
    for (std::uint32_t slot = 0; slot < 32; ++slot) {
      if (slot % 4 < 2) occupancy.add(0, slot, slot % 4 == 0 ? 16 : 4);
    }
    decision.on_asked = [this](Cycle now) { asked.push_back(now); };
    decision.on_decided = [this](Cycle now) { decided.push_back(now); };
  }
  platform::RunConfig config;
  workload::DecodePlan plan;
  memory::MemoryMap map;
  Occupancy occupancy;
  SwapSample sample;
  SwapDecision decision;
  std::vector<Cycle> asked, decided;
};

}  // namespace

TEST_CASE("Swaps by firmware: the step waits for all columns", "[takv][swap]") {
  Bench b;
  REQUIRE(b.decision.asked() == 0);
  REQUIRE_FALSE(b.decision.waits());
  REQUIRE_THAT(b.decision.decide(0, 5), Contains("no decision on swaps is asked of the column"));
  b.decision.ask(10);
  REQUIRE(b.decision.asked() == 1);
  REQUIRE(b.asked == std::vector<Cycle>{10});
  for (const int column : {3, 0, 2})
    REQUIRE(b.decision.decide(column, 20 + static_cast<Cycle>(column)).empty());
  REQUIRE_THAT(b.decision.decide(0, 30), Contains("no decision on swaps is asked of the column"));
  REQUIRE(b.decision.waits());
  REQUIRE(b.decision.waits_for(1));
  REQUIRE_FALSE(b.decision.waits_for(0));
  // The last one to say so was not the last one in time: harts run ahead.
  REQUIRE(b.decision.decide(1, 21).empty());
  REQUIRE_FALSE(b.decision.waits());
  REQUIRE(b.decided == std::vector<Cycle>{23});
}

TEST_CASE("Swaps by firmware: occupancies and candidates are the hardware's", "[takv][swap]") {
  Bench b;
  REQUIRE(b.decision.occupancy(0, 0, 0) == 8 * 16);
  REQUIRE(b.decision.occupancy(0, 0, 1) == 8 * 4);
  REQUIRE(b.decision.occupancy(0, 0, 2) == 0);
  REQUIRE(b.decision.occupancy(1, 0, 0) == 0);  // not the layer's column
  REQUIRE(b.decision.occupancy(0, 7, 0) == 0);  // no such layer
  REQUIRE(b.decision.candidates(0, 0, true).empty());
  b.decision.ask(1);
  const auto same = [](const BlockLoad& x, const BlockLoad& y) {
    return x.slot == y.slot && x.load == y.load;
  };
  const auto expected = b.sample.candidates(0, true);
  const auto& found = b.decision.candidates(0, 0, true);
  REQUIRE(found.size() == 8);  // of each row as many as may swap
  REQUIRE(std::equal(found.begin(), found.end(), expected.begin(), expected.end(), same));
  REQUIRE(b.decision.candidates(1, 0, true).empty());
  REQUIRE(b.decision.candidates(0, 0, false).empty());
  REQUIRE(b.decision.candidates(0, 9, true).empty());
}

TEST_CASE("Swaps by firmware: proposals follow one another", "[takv][swap]") {
  Bench b;
  b.decision.ask(1);
  REQUIRE(b.decision.propose(0, 0, 0, 2).empty());
  // Block 0 is in row 2 now, by what was proposed.
  REQUIRE_THAT(b.decision.propose(0, 0, 0, 6),
               Contains("(0, 0) and block (0, 6) both have their home in row 2"));
  REQUIRE(b.decision.propose(0, 0, 0, 3).empty());
  REQUIRE(b.decision.proposed(0) == 2);
  REQUIRE_THAT(b.decision.propose(0, 0, 4, 7), Contains("layer 0 has its 2 swaps of the period"));
  const std::vector<Swap>& swaps = b.decision.swaps(0);
  const MeshShape& mesh = b.plan.mesh();
  REQUIRE(swaps[0].home_a == mesh.node({0, 0}));
  REQUIRE(swaps[0].home_b == mesh.node({0, 2}));
  REQUIRE(swaps[1].home_a == mesh.node({0, 2}));
  REQUIRE(swaps[1].home_b == mesh.node({0, 3}));
  for (const Swap& s : swaps) b.plan.apply(s);  // throws unless each block is where its swap says
  REQUIRE(b.plan.home(0, 0) == mesh.node({0, 3}));
  // The next decision begins with nothing.
  for (int column = 0; column < 4; ++column) b.decision.decide(column, 5);
  b.decision.ask(10);
  REQUIRE(b.decision.proposed(0) == 0);
  REQUIRE(b.decision.swaps(0).empty());
}

TEST_CASE("Swaps by firmware: what cannot be done is refused with its reason", "[takv][swap]") {
  Bench b;
  REQUIRE_THAT(b.decision.propose(0, 0, 0, 2), Contains("no decision on swaps is asked of the column"));
  b.decision.ask(1);
  REQUIRE_THAT(b.decision.propose(0, 0, 4, 4), Contains("block (0, 4) cannot swap with itself"));
  REQUIRE_THAT(b.decision.propose(0, 0, 0, 8),
               Contains("block (0, 0) and block (0, 8) both have their home in row 0"));
  REQUIRE_THAT(b.decision.propose(0, 0, 0, 32), Contains("there is no block (0, 32); a layer has 32"));
  REQUIRE_THAT(b.decision.propose(0, 0, 0xffffffff, 1), Contains("there is no block (0, 4294967295)"));
  REQUIRE_THAT(b.decision.propose(0, 1, 0, 2), Contains("layer 1 has its homes in column 1"));
  REQUIRE_THAT(b.decision.propose(0, 0xffffffff, 0, 2),
               Contains("the run does not decode a layer 4294967295"));
  REQUIRE(b.decision.decide(0, 2).empty());
  REQUIRE_THAT(b.decision.propose(0, 0, 0, 2), Contains("no decision on swaps is asked of the column"));
}

TEST_CASE("Swaps by firmware: HBM and DDR4 do not mix", "[takv][swap]") {
  Bench b(std::uint64_t{768} << 10);
  std::vector<std::uint32_t> hbm, ddr;  // in rows 3 and 0, so that any two may swap otherwise
  for (std::uint32_t slot = 0; slot < 32; ++slot) {
    if (slot % 4 == 3 && b.map.in_hbm(0, slot)) hbm.push_back(slot);
    if (slot % 4 == 0 && !b.map.in_hbm(0, slot)) ddr.push_back(slot);
  }
  REQUIRE_FALSE(hbm.empty());
  REQUIRE_FALSE(ddr.empty());
  b.decision.ask(1);
  const std::string h = "block (0, " + std::to_string(hbm[0]) + ") lies in HBM and ";
  const std::string d = "block (0, " + std::to_string(ddr[0]) + ") in DDR4";
  REQUIRE_THAT(b.decision.propose(0, 0, hbm[0], ddr[0]), Contains(h + d));
  REQUIRE_THAT(b.decision.propose(0, 0, ddr[0], hbm[0]), Contains(h + d));
  for (const bool side : {true, false}) {
    for (const BlockLoad& block : b.decision.candidates(0, 0, side))
      REQUIRE(b.map.in_hbm(0, static_cast<std::uint32_t>(block.slot)) == side);
  }
}

TEST_CASE("Swaps by firmware: what a sample leaves out stays", "[takv][swap]") {
  Bench b(std::uint64_t{8} << 30, 3);
  b.decision.ask(1);
  // The first three segments that are read: two of stream 0, the first of stream 1.
  REQUIRE_THAT(b.decision.propose(0, 0, 4, 9),
               Contains("block (0, 9) is left out of the sample, and its load unknown"));
  REQUIRE_THAT(b.decision.propose(0, 0, 9, 4), Contains("block (0, 9) is left out of the sample"));
  REQUIRE(b.decision.propose(0, 0, 4, 1).empty());
  REQUIRE(b.decision.propose(0, 0, 4, 10).empty());  // nobody reads it
}
