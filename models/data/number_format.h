// Number formats of the KV cache: IEEE 754 binary16, bfloat16, and asymmetric group quantisation to 8, 4 or 2
// bits (keys per channel, values per token: KIVI, Liu et al. 2024). No SystemC.
#pragma once

#include <cstdint>
#include <cstring>

namespace meshkv::data {

/// Nearest binary16, ties to even; overflow gives infinity, NaN stays NaN.
std::uint16_t to_fp16(float value);
/// Nearest bfloat16, ties to even.
std::uint16_t to_bf16(float value);

inline float float_of_bits(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
inline std::uint32_t bits_of_float(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// Exact. No branch on the value, so that a compiler can do many at once.
inline float from_fp16(std::uint16_t half) {
  // Exponent and mantissa moved into place and scaled by 2^112: subnormals come out right too.
  const float scaled = float_of_bits((half & 0x7fffU) << 13) * 0x1p112F;
  const std::uint32_t special = scaled >= 65536.0F ? 0x7f800000U : 0;
  return float_of_bits(bits_of_float(scaled) | special | (half & 0x8000U) << 16);
}
/// Exact.
inline float from_bf16(std::uint16_t half) {
  return float_of_bits(std::uint32_t{half} << 16);
}

/// The parameters of one group of quantised numbers, both binary16: number = zero + scale * code.
struct GroupParameters {
  std::uint16_t scale = 0;
  std::uint16_t zero = 0;
};

/// Parameters for numbers between `low` and `high` in codes of `bits` bits.
GroupParameters group_parameters(float low, float high, int bits);
/// The code whose number is nearest to `value` (ties: the even code); the ends clamp.
unsigned quantise(float value, GroupParameters parameters, int bits);
/// What a code means: the binary32 number nearest to zero + scale * code. Tile and reference both start from
/// it.
inline float dequantise(unsigned code, float scale, float zero) {
  return zero + scale * static_cast<float>(code);
}

}  // namespace meshkv::data
