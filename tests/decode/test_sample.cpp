#include <catch2/catch.hpp>

#include "tests/decode/decode_fixture.h"

using namespace meshkv;
using namespace meshkv::test;

TEST_CASE("A sample is not printed as a step, and extrapolates with an interval", "[decode][sample]") {
  auto config = hand_case("meshkv", TimingMode::kAt, 8);
  config.decode.model.layers = 6;
  config.decode.model.window_tokens.assign(6, 0);
  config.decode.sampled_layers = {0, 2, 3};
  config.decode.sampled_segment_from = 2;
  config.decode.sampled_segment_to = 6;
  const auto decode = run(config).metrics["decode"];
  REQUIRE_FALSE(decode.contains("cycles_per_step"));
  REQUIRE_FALSE(decode.contains("tokens_per_second"));
  const auto& sample = decode["sample"];
  REQUIRE(sample["layers"] == 3);
  REQUIRE(sample["segments"] == 12);
  REQUIRE(sample["segments_of_these_layers"] == 24);
  // Each layer counts for two of its kind, and half of its segments were simulated: four times the layers'
  // sum.
  double sum = 0;
  for (const auto& cycles : decode["layer_cycles"]) sum += cycles.get<double>();
  REQUIRE(sample["extrapolated_cycles_per_step"].get<double>() == Approx(4 * sum));
  REQUIRE(sample["cycles_per_step_ci95"].get<double>() >= 0);
  REQUIRE(sample["tokens_per_second_low"].get<double>() <=
          sample["extrapolated_tokens_per_second"].get<double>());
}

TEST_CASE("Student's interval of a sample of two layers, by hand", "[decode][sample]") {
  auto config = hand_case("takv_only", TimingMode::kLt, 4);
  config.decode.model.layers = 8;
  config.decode.model.window_tokens.assign(8, 0);
  config.decode.sampled_layers = {0, 1};
  const auto decode = run(config).metrics["decode"];
  const double a = decode["layer_cycles"][0].get<double>(), b = decode["layer_cycles"][1].get<double>();
  // n = 2: s / sqrt(2) = |a - b| / 2, t(1, 0.975) = 12.706, finite population of 8: sqrt(1 - 2/8).
  const double half = 8 * 12.7062 * std::abs(a - b) / 2 * std::sqrt(0.75);
  REQUIRE(decode["sample"]["cycles_per_step_ci95"].get<double>() == Approx(half).epsilon(1e-4));
}
