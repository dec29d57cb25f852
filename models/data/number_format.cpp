#include "models/data/number_format.h"

#include <algorithm>
#include <cmath>

namespace meshkv::data {

std::uint16_t to_fp16(float value) {
  const std::uint32_t bits = bits_of_float(value);
  const std::uint32_t sign = bits >> 16 & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return static_cast<std::uint16_t>(sign | 0x7e00U);
  // 65520 is halfway between the largest binary16 and what would be the next: it rounds to infinity.
  if (magnitude >= 0x477ff000U) return static_cast<std::uint16_t>(sign | 0x7c00U);
  if (magnitude < 0x38800000U) {
    // Subnormal: adding 2^-1 * 2^-0 in binary32 rounds the sum at 2^-24, to nearest even, in the low bits.
    const float shifted = float_of_bits(magnitude) + 0.5F;
    return static_cast<std::uint16_t>(sign | (bits_of_float(shifted) - 0x3f000000U));
  }
  const std::uint32_t odd = magnitude >> 13 & 1U;
  return static_cast<std::uint16_t>(sign | (magnitude - 0x38000000U + 0xfffU + odd) >> 13);
}

std::uint16_t to_bf16(float value) {
  const std::uint32_t bits = bits_of_float(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return static_cast<std::uint16_t>(bits >> 16 | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16);
}

GroupParameters group_parameters(float low, float high, int bits) {
  GroupParameters parameters;
  parameters.zero = to_fp16(low);
  const auto steps = static_cast<float>((1 << bits) - 1);
  // From the zero as it is stored, so that its rounding is made good. The scale is rounded to nearest; where
  // that is down the largest numbers clamp, by less than half a unit of the scale's last place times `steps`.
  // (high - zero may overflow where both ends of binary16's range are in a group: halves do not.)
  const float range = high / steps - from_fp16(parameters.zero) / steps;
  parameters.scale = to_fp16(std::max(range, 0.0F));
  return parameters;
}

unsigned quantise(float value, GroupParameters parameters, int bits) {
  const float scale = from_fp16(parameters.scale);
  if (scale == 0.0F) return 0;
  const float code = std::nearbyint((value - from_fp16(parameters.zero)) / scale);
  return static_cast<unsigned>(std::clamp(code, 0.0F, static_cast<float>((1 << bits) - 1)));
}

}  // namespace meshkv::data
