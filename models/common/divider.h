// Division by a number that stays the same for a run (a clock's period, a granule of addresses).
#pragma once

#include <cstdint>

namespace meshkv {

/// Exact for all dividends. By a multiplication with floor(2^64 / divisor), whose quotient is at most one too
/// small: a 64-bit division costs several times as much.
class Divider {
 public:
  /// `divisor`: at least 1.
  explicit constexpr Divider(std::uint64_t divisor)
      : divisor_(divisor), inverse_(divisor == 1 ? ~std::uint64_t{0} : power_of_64(divisor)) {}

  constexpr std::uint64_t divisor() const { return divisor_; }
  constexpr std::uint64_t quotient(std::uint64_t n) const {
    const auto q = static_cast<std::uint64_t>((static_cast<Wide>(n) * inverse_) >> 64);
    return n - q * divisor_ >= divisor_ ? q + 1 : q;
  }
  constexpr std::uint64_t remainder(std::uint64_t n) const { return n - quotient(n) * divisor_; }
  /// Rounded up. `n` must leave room for the divisor.
  constexpr std::uint64_t ceiling(std::uint64_t n) const { return quotient(n + divisor_ - 1); }

 private:
  __extension__ typedef unsigned __int128 Wide;
  static constexpr std::uint64_t power_of_64(std::uint64_t divisor) {
    return static_cast<std::uint64_t>((static_cast<Wide>(1) << 64) / divisor);
  }

  std::uint64_t divisor_;
  std::uint64_t inverse_;
};

}  // namespace meshkv
