#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "models/pad/online_softmax.h"

using namespace meshkv::pad;

namespace {

constexpr float kMasked = -std::numeric_limits<float>::infinity();

/// Plain softmax attention in double precision.
std::vector<double> reference(const std::vector<float>& scores, const std::vector<float>& values, int dim) {
  const double top = *std::max_element(scores.begin(), scores.end());
  std::vector<double> out(static_cast<std::size_t>(dim), 0.0);
  double sum = 0;
  for (std::size_t t = 0; t < scores.size(); ++t) {
    const double p = std::exp(scores[t] - top);
    sum += p;
    for (std::size_t d = 0; d < out.size(); ++d) out[d] += p * values[t * out.size() + d];
  }
  for (double& o : out) o /= sum;
  return out;
}

double max_error(const std::vector<float>& out, const std::vector<double>& exact) {
  double error = 0;
  for (std::size_t d = 0; d < out.size(); ++d) error = std::max(error, std::abs(out[d] - exact[d]));
  return error;
}

}  // namespace

TEST_CASE("Online softmax by hand", "[pad][softmax]") {
  // Scores 0 and ln 2 in one segment, ln 4 in the next; values 7, 14, 21: weights 1/7, 2/7, 4/7.
  OnlineSoftmax head(1);
  const float first[] = {0.0F, std::log(2.0F)};
  const float first_values[] = {7.0F, 14.0F};
  head.update(first, first_values, 2);
  REQUIRE(head.partial().m == std::log(2.0F));
  REQUIRE(head.partial().l == Approx(1.5));
  REQUIRE(head.partial().o[0] == Approx(17.5));
  const float second[] = {std::log(4.0F)};
  const float second_values[] = {21.0F};
  head.update(second, second_values, 1);
  REQUIRE(head.partial().l == Approx(1.75));
  REQUIRE(head.output()[0] == Approx(1 + 4 + 12));
}

TEST_CASE("Partials merge to the whole, in either order", "[pad][softmax]") {
  const float scores[] = {1.0F, 3.0F, 2.0F};
  const float values[] = {1.0F, 10.0F, 2.0F, 20.0F, 3.0F, 30.0F};
  OnlineSoftmax whole(2);
  whole.update(scores, values, 3);
  OnlineSoftmax a(2);
  a.update(scores, values, 1);
  OnlineSoftmax b(2);
  b.update(scores + 1, values + 2, 2);
  OnlineSoftmax ab(2);
  ab.merge(a.partial());
  ab.merge(b.partial());
  OnlineSoftmax ba(2);
  ba.merge(b.partial());
  ba.merge(a.partial());
  for (std::size_t d = 0; d < 2; ++d) {
    REQUIRE(ab.output()[d] == Approx(whole.output()[d]).epsilon(1e-6));
    REQUIRE(ba.output()[d] == Approx(whole.output()[d]).epsilon(1e-6));
  }
  // e^-2 + 1 + e^-1 = 1.5032147; (e^-2 + 2 + 3 e^-1) / 1.5032147 = 2.1547...
  REQUIRE(ab.partial().m == 3.0F);
  REQUIRE(ab.partial().l == Approx(1.5032147));
  REQUIRE(ab.output()[0] == Approx((0.1353353 + 2 + 3 * 0.3678794) / 1.5032147));
  OnlineSoftmax other(3);
  REQUIRE_THROWS_AS(other.merge(ab.partial()), std::invalid_argument);
}

TEST_CASE("Masked and empty segments change nothing and make no NaN", "[pad][softmax]") {
  const float masked[] = {kMasked, kMasked};
  const float poison[] = {std::nanf(""), 1.0F, 2.0F, 3.0F};
  OnlineSoftmax head(2);
  head.update(masked, poison, 2);
  head.update(masked, poison, 0);
  head.merge(SoftmaxPartial(2));
  REQUIRE(head.output() == std::vector<float>{0.0F, 0.0F});
  REQUIRE(head.partial().m == kMasked);
  const float scores[] = {kMasked, 5.0F};
  head.update(scores, poison, 2);  // the masked token's value is not a number
  REQUIRE(head.output() == std::vector<float>{2.0F, 3.0F});
  const auto before = head.partial().l;
  head.update(masked, poison, 2);
  OnlineSoftmax empty(2);
  empty.update(masked, poison, 2);
  head.merge(empty.partial());
  REQUIRE(head.partial().l == before);
  REQUIRE(head.output() == std::vector<float>{2.0F, 3.0F});
  empty.merge(head.partial());
  REQUIRE(empty.output() == std::vector<float>{2.0F, 3.0F});
}

TEST_CASE("Large scores do not overflow", "[pad][softmax]") {
  OnlineSoftmax head(1);
  const float scores[] = {-3.0e4F, 6.0e4F, 6.0e4F};
  const float values[] = {9.0F, 1.0F, 3.0F};
  head.update(scores, values, 1);
  head.update(scores + 1, values + 1, 2);
  REQUIRE(head.output()[0] == 2.0F);
}

TEST_CASE("Online softmax stays within its bound of double precision", "[pad][softmax]") {
  std::mt19937 random(17);
  for (int round = 0; round < 30; ++round) {
    const int dim = 16;
    const int p = 1 + static_cast<int>(random() % 64);
    const int segments = 1 + static_cast<int>(random() % 100);
    const float range = round % 3 == 0 ? 40.0F : 6.0F;
    std::uniform_real_distribution<float> score(-range, range);
    std::uniform_real_distribution<float> value(-2.0F, 2.0F);
    std::vector<float> scores(static_cast<std::size_t>(p * segments));
    std::vector<float> values(scores.size() * static_cast<std::size_t>(dim));
    for (float& s : scores) s = score(random);
    for (float& v : values) v = value(random);
    if (round % 5 == 0) std::sort(scores.begin(), scores.end());  // the maximum changes every time

    // Two tiles take turns, a root merges them: as half_copies does.
    OnlineSoftmax tile[2] = {OnlineSoftmax(dim), OnlineSoftmax(dim)};
    for (int s = 0; s < segments; ++s) {
      const auto at = static_cast<std::size_t>(s * p);
      tile[s % 2].update(&scores[at], &values[at * static_cast<std::size_t>(dim)], p);
    }
    OnlineSoftmax root(dim);
    root.merge(tile[1].partial());
    root.merge(tile[0].partial());
    const double error = max_error(root.output(), reference(scores, values, dim));
    const double bound = online_softmax_error_bound(p, segments, 2, range, 2.0, 0.0);
    CAPTURE(p, segments, range);
    REQUIRE(error <= bound);
    REQUIRE(bound < 3e-4);  // the bound itself must be worth something
  }
}

TEST_CASE("Size of a PART packet", "[pad][softmax]") {
  REQUIRE(part_flits(128, 1, 512) == 9);  // 130 words of 32 bits = 8.125 flits
  REQUIRE(part_flits(128, 4, 512) == 33);
}
