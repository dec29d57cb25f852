#include <catch2/catch.hpp>

#include "models/pad/mac_pipeline.h"

using namespace meshkv;
using pad::MacPipeline;

TEST_CASE("A line takes at least a cycle, and as many as its MACs need", "[pad]") {
  MacPipeline macs(48, 90);
  // 16 MACs a line fit a cycle: 8 lines that come in cycles 10..17 are done with the last one.
  REQUIRE(macs.serve(false, 8, 16, 10, 17) == 18);
  // 180 MACs a line are two cycles each, back to back from cycle 18 on.
  REQUIRE(macs.serve(false, 8, 180, 18, 25) == 34);
  REQUIRE(macs.statistics().macs == 8 * 16 + 8 * 180);
  REQUIRE(macs.statistics().busy_cycles == 8 + 16);
}

TEST_CASE("Fractions of cycles add up exactly", "[pad]") {
  MacPipeline macs(48, 90);
  // 128 MACs a line: 64 lines are 64 * 128 / 90 = 91.02 cycles.
  REQUIRE(macs.serve(true, 64, 128, 0, 63) == 92);
}

TEST_CASE("A full FIFO holds the next packet back until there is room", "[pad]") {
  MacPipeline macs(48, 90);
  for (int p = 0; p < 6; ++p) macs.serve(false, 8, 900, 0, 7);  // ten cycles a line, 80 a packet
  REQUIRE(macs.room(false, 8, 8) == 80);                        // when the first packet has left
  REQUIRE(macs.room(true, 8, 8) == 8);                          // Rd's FIFO is another one
  REQUIRE(macs.room(false, 8, 200) == 200);                     // two packets have left by then
}

TEST_CASE("Without Pad nothing is held back", "[pad]") {
  MacPipeline macs(0, 90);
  for (int p = 0; p < 100; ++p) macs.serve(false, 8, 900, 0, 7);
  REQUIRE(macs.room(false, 8, 8) == 8);
  REQUIRE(macs.done() == 8000);
}

TEST_CASE("Slices that trickle in side by side share the array", "[pad]") {
  MacPipeline macs(48, 90);
  // Two slices of 64 lines, both begin in cycle 0 and end around cycle 1000: the array works 128 cycles, and
  // each is done a cycle after its last line.
  REQUIRE(macs.serve(false, 64, 16, 0, 1000) == 1001);
  REQUIRE(macs.serve(false, 64, 16, 0, 992) == 993);
  REQUIRE(macs.done() == 1001);
  REQUIRE(macs.statistics().busy_cycles == 128);
}
