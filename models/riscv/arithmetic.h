// The M extension, with the results that RISC-V defines for division by zero and overflow.
#pragma once

#include <cstdint>

namespace meshkv::riscv {

constexpr std::uint32_t mulh(std::uint32_t a, std::uint32_t b) {
  const std::int64_t product =
      static_cast<std::int64_t>(static_cast<std::int32_t>(a)) * static_cast<std::int32_t>(b);
  return static_cast<std::uint32_t>(product >> 32);
}
constexpr std::uint32_t mulhsu(std::uint32_t a, std::uint32_t b) {
  const std::int64_t product =
      static_cast<std::int64_t>(static_cast<std::int32_t>(a)) * static_cast<std::int64_t>(b);
  return static_cast<std::uint32_t>(product >> 32);
}
constexpr std::uint32_t mulhu(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(a) * b) >> 32);
}
constexpr std::uint32_t divide(std::uint32_t a, std::uint32_t b) {
  if (b == 0) return ~0U;
  if (a == 0x80000000U && b == ~0U) return a;
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(a) / static_cast<std::int32_t>(b));
}
constexpr std::uint32_t divide_unsigned(std::uint32_t a, std::uint32_t b) {
  return b == 0 ? ~0U : a / b;
}
constexpr std::uint32_t remainder(std::uint32_t a, std::uint32_t b) {
  if (b == 0) return a;
  if (a == 0x80000000U && b == ~0U) return 0;
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(a) % static_cast<std::int32_t>(b));
}
constexpr std::uint32_t remainder_unsigned(std::uint32_t a, std::uint32_t b) {
  return b == 0 ? a : a % b;
}

}  // namespace meshkv::riscv
