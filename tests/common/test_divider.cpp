#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <vector>

#include "models/common/divider.h"

using meshkv::Divider;

namespace {

std::vector<std::uint64_t> interesting(std::uint64_t divisor) {
  const std::uint64_t most = ~std::uint64_t{0}, multiple = most / divisor * divisor;
  return {0, 1, divisor - 1, divisor, divisor + 1, 2 * divisor - 1, multiple - 1, multiple, most - 1, most};
}

}  // namespace

TEST_CASE("a divider gives the quotients, remainders and ceilings of the machine's division", "[divider]") {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> divisors = {1,
                                         2,
                                         3,
                                         7,
                                         64,
                                         3333,
                                         3510,
                                         4096,
                                         1'111'111,
                                         std::uint64_t{1} << 63,
                                         (std::uint64_t{1} << 63) + 1,
                                         ~std::uint64_t{0}};
  for (int i = 0; i < 200; ++i) divisors.push_back((random() >> (random() % 64)) | 1);
  for (const std::uint64_t d : divisors) {
    const Divider divider(d);
    std::vector<std::uint64_t> dividends = interesting(d);
    for (int i = 0; i < 200; ++i) dividends.push_back(random() >> (random() % 64));
    for (const std::uint64_t n : dividends) {
      INFO(n << " by " << d);
      CHECK(divider.quotient(n) == n / d);
      CHECK(divider.remainder(n) == n % d);
      if (n <= ~std::uint64_t{0} - d) CHECK(divider.ceiling(n) == n / d + (n % d != 0 ? 1 : 0));
    }
  }
}
