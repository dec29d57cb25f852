#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "models/data/number_format.h"

using namespace meshkv::data;

namespace {

/// binary16 by its definition: sign, 5 bits of exponent (bias 15), 10 of fraction.
double value_of_fp16(unsigned bits) {
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  const int exponent = static_cast<int>(bits >> 10 & 31U);
  const int fraction = static_cast<int>(bits & 1023U);
  if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

}  // namespace

TEST_CASE("Every binary16 is read exactly and written back to the same bits", "[data][format]") {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const float read = from_fp16(static_cast<std::uint16_t>(bits));
    const double exact = value_of_fp16(bits);
    if (std::isnan(exact)) {
      REQUIRE(std::isnan(read));
      REQUIRE(std::isnan(from_fp16(to_fp16(read))));
      continue;
    }
    REQUIRE(static_cast<double>(read) == exact);
    REQUIRE(std::signbit(read) == ((bits & 0x8000U) != 0));
    REQUIRE(to_fp16(read) == bits);
  }
}

TEST_CASE("Rounding to binary16 is to nearest, ties to even", "[data][format]") {
  // Between each pair of neighbours: just below the middle, the middle, just above.
  for (unsigned bits = 0; bits + 1 < 0x7c00U; ++bits) {
    const auto low = static_cast<float>(value_of_fp16(bits)),
               high = static_cast<float>(value_of_fp16(bits + 1));
    const float middle = low + (high - low) / 2;
    REQUIRE(to_fp16(std::nextafter(middle, 0.0F)) == bits);
    REQUIRE(to_fp16(std::nextafter(middle, 1e9F)) == bits + 1);
    REQUIRE(to_fp16(middle) == (bits % 2 == 0 ? bits : bits + 1));
    REQUIRE(to_fp16(-middle) == (0x8000U | (bits % 2 == 0 ? bits : bits + 1)));
  }
  REQUIRE(to_fp16(65519.996F) == 0x7bffU);
  REQUIRE(to_fp16(65520.0F) == 0x7c00U);
  REQUIRE(to_fp16(-1e30F) == 0xfc00U);
  REQUIRE(to_fp16(INFINITY) == 0x7c00U);
  REQUIRE(to_fp16(1e-30F) == 0);
}

TEST_CASE("bfloat16 is the upper half of binary32, rounded to nearest even", "[data][format]") {
  REQUIRE(to_bf16(1.0F) == 0x3f80U);
  REQUIRE(to_bf16(float_of_bits(0x3f808000U)) == 0x3f80U);  // a tie: even
  REQUIRE(to_bf16(float_of_bits(0x3f818000U)) == 0x3f82U);  // a tie: even
  REQUIRE(to_bf16(float_of_bits(0x3f808001U)) == 0x3f81U);
  REQUIRE(to_bf16(std::numeric_limits<float>::max()) == 0x7f80U);
  REQUIRE(std::isnan(from_bf16(to_bf16(std::nanf("")))));
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const float read = from_bf16(static_cast<std::uint16_t>(bits));
    if (!std::isnan(read)) REQUIRE(to_bf16(read) == bits);
  }
}

TEST_CASE("Quantised numbers are off by half a step and the rounding of the parameters", "[data][format]") {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    const int bits = round % 3 == 0 ? 8 : round % 3 == 1 ? 4 : 2;
    std::uniform_real_distribution<float> number(-3.0F * static_cast<float>(1 + round % 7), 2.0F);
    std::vector<float> group(1 + random() % 64);
    for (float& x : group) x = number(random);
    const auto [low, high] = std::minmax_element(group.begin(), group.end());
    const GroupParameters p = group_parameters(*low, *high, bits);
    const float scale = from_fp16(p.scale), zero = from_fp16(p.zero);
    const double steps = (1 << bits) - 1;
    // Nearest code: half a step. Zero and scale are binary16: half a unit in their last place, which is at
    // most 2^-11 of them, and the scale's is multiplied by the code; the numbers at the ends clamp by that
    // much.
    const double most = 0.5 * scale + 0x1p-11 * (std::abs(*low) + steps * scale) + 1e-6;
    for (const float x : group) {
      const unsigned code = quantise(x, p, bits);
      REQUIRE(code <= steps);
      REQUIRE(std::abs(static_cast<double>(dequantise(code, scale, zero)) - static_cast<double>(x)) <= most);
    }
  }
}

TEST_CASE("A group of equal numbers needs no scale", "[data][format]") {
  const GroupParameters p = group_parameters(-1.5F, -1.5F, 4);
  REQUIRE(p.scale == 0);
  REQUIRE(quantise(-1.5F, p, 4) == 0);
  REQUIRE(dequantise(0, from_fp16(p.scale), from_fp16(p.zero)) == -1.5F);
}
