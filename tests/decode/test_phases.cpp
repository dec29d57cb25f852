// Mixed runs: part of the layers in lt, part in at, nothing lost between them (DESIGN section 3).
#include <catch2/catch.hpp>

#include "tests/decode/decode_fixture.h"

using namespace meshkv;
using namespace meshkv::test;

namespace {

// 12 layers of 8 segments, 8 requesters, 64 flits each; the second step's six layers read one token more, of
// 4 flits.
constexpr int kDelivered = 12 * 8 * 8 * 64 + 6 * 8 * 4;

platform::RunConfig six_layers(const char* preset) {
  auto config = hand_case(preset, TimingMode::kLt, 8);
  config.decode.model.layers = 6;
  config.decode.model.window_tokens.assign(6, 0);
  config.decode.steps = 2;
  config.phases = {{TimingMode::kLt, 2}, {TimingMode::kAt, 3}, {TimingMode::kLt, 4}, {TimingMode::kAt, 0}};
  return config;
}

}  // namespace

TEST_CASE("Modes change at layer boundaries and nothing is lost, unicast", "[decode][phases]") {
  const auto result = run(six_layers("takv_only"));
  INFO(result.reason);
  REQUIRE(result.outcome == platform::Outcome::kOk);
  REQUIRE(result.metrics["scoreboard"]["delivered"] == kDelivered);
  REQUIRE(result.metrics["decode"]["layer_cycles"].size() == 12);
}

TEST_CASE("Modes change at layer boundaries and nothing is lost, multicast", "[decode][phases]") {
  const auto result = run(six_layers("meshkv"));
  INFO(result.reason);
  REQUIRE(result.outcome == platform::Outcome::kOk);
  REQUIRE(result.metrics["scoreboard"]["delivered"] == kDelivered);
}
