#include <catch2/catch.hpp>

#include "tests/decode/decode_fixture.h"

using namespace meshkv;
using namespace meshkv::test;

TEST_CASE("Every step reads one token more", "[decode][steps]") {
  // 31 tokens: the second step fills the second segment, the third begins a third one. Slices of 16, 15 and 1
  // tokens have 64, 60 and 4 flits; eight requesters.
  auto config = hand_case("takv_only", TimingMode::kLt, 2);
  config.decode.context_tokens = 31;
  config.decode.steps = 3;
  const auto result = run(config);
  INFO(result.reason);
  REQUIRE(result.outcome == platform::Outcome::kOk);
  REQUIRE(result.metrics["scoreboard"]["delivered"] == 8 * ((64 + 60) + (64 + 64) + (64 + 64 + 4)));
}

TEST_CASE("A sliding window reads its last tokens only", "[decode][window]") {
  // Window of 24 of 64 tokens: segment 3 whole, segment 2 its last 8 tokens.
  auto config = hand_case("meshkv", TimingMode::kAt, 4);
  config.decode.model.window_tokens = {24};
  const auto result = run(config);
  INFO(result.reason);
  REQUIRE(result.outcome == platform::Outcome::kOk);
  REQUIRE(result.metrics["scoreboard"]["delivered"] == 8 * (64 + 32));
}

TEST_CASE("Streams that share a prefix fetch it once, private tokens each for themselves",
          "[decode][streams]") {
  // Two streams of 48 tokens, 32 of them shared: two shared segments and one private one each.
  auto config = hand_case("takv_only", TimingMode::kAt, 3);
  config.decode.streams = 2;
  config.decode.shared_prefix_tokens = 32;
  const auto result = run(config);
  INFO(result.reason);
  REQUIRE(result.outcome == platform::Outcome::kOk);
  REQUIRE(result.metrics["scoreboard"]["delivered"] == 8 * (2 + 2) * 64);
  // A line is 16 useful elements a head, for each stream that uses it: 32 lines of K and of V a head and
  // segment.
  REQUIRE(result.metrics["pad"]["macs"] == 8 * 64 * 16 * (2 * 2 + 1 + 1));
}

TEST_CASE("Tags of a step suppress nothing of the next", "[decode][steps]") {
  // One layer, one segment: the second step sends the payloads of the first again, a few hundred cycles
  // later.
  auto config = hand_case("meshkv", TimingMode::kAt, 1);
  config.decode.context_tokens = 1;
  config.decode.steps = 3;
  config.controllers.barrier_cycles = 1;
  config.mare.bloom_refresh_cycles = 100000;
  const auto result = run(config);
  INFO(result.reason);
  REQUIRE(result.outcome == platform::Outcome::kOk);
  REQUIRE(result.metrics["scoreboard"]["lost"] == 0);
  REQUIRE(result.metrics["scoreboard"]["delivered"] == 8 * (4 + 8 + 12));
}
