#include "models/pad/online_softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace meshkv::pad {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

}  // namespace

SoftmaxPartial::SoftmaxPartial(int head_dim)
    : m(kMinusInfinity), o(static_cast<std::size_t>(head_dim), 0.0F) {}

void OnlineSoftmax::rescale_to(float m) {
  if (m == state_.m) return;
  // exp(-inf - m) = 0 is what an empty state needs; m itself is never -inf here.
  const float factor = std::exp(state_.m - m);
  state_.m = m;
  state_.l *= factor;
  for (float& o : state_.o) o *= factor;
}

void OnlineSoftmax::update(const float* scores, const float* values, int tokens) {
  if (tokens <= 0) return;
  const float top = *std::max_element(scores, scores + tokens);
  const float m = std::max(state_.m, top);
  if (m == kMinusInfinity) return;  // all masked so far: exp(-inf - -inf) would be NaN
  rescale_to(m);
  const std::size_t dim = state_.o.size();
  // The segment is summed by itself first: its error then grows with P plus the number of segments, not with
  // T.
  segment_.assign(dim, 0.0F);
  float sum = 0.0F;
  for (int t = 0; t < tokens; ++t) {
    const float p = std::exp(scores[t] - m);
    sum += p;
    if (p == 0.0F) continue;  // a masked token's value may be anything
    const float* v = values + static_cast<std::size_t>(t) * dim;
    for (std::size_t d = 0; d < dim; ++d) segment_[d] += p * v[d];
  }
  state_.l += sum;
  for (std::size_t d = 0; d < dim; ++d) state_.o[d] += segment_[d];
}

void OnlineSoftmax::merge(const SoftmaxPartial& other) {
  if (other.o.size() != state_.o.size()) throw std::invalid_argument("partial results of unequal head_dim");
  if (other.m == kMinusInfinity) return;
  rescale_to(std::max(state_.m, other.m));
  const float factor = std::exp(other.m - state_.m);
  state_.l += factor * other.l;
  for (std::size_t d = 0; d < state_.o.size(); ++d) state_.o[d] += factor * other.o[d];
}

std::vector<float> OnlineSoftmax::output() const {
  std::vector<float> out = state_.o;
  if (state_.l > 0.0F)
    for (float& o : out) o /= state_.l;
  return out;
}

int part_flits(int head_dim, int query_heads, int flit_bits) {
  return ((head_dim + 2) * 32 * query_heads + flit_bits - 1) / flit_bits;
}

double online_softmax_error_bound(int segment_tokens, int segments, int merges, double max_score,
                                  double max_value, double score_error) {
  constexpr double kUnit = 0x1p-24;
  // Relative errors, in units. One weight exp(z - m): the subtractions round shifts that add up to no more
  // than 2 max_score, since m only grows; every change of m multiplies by an exp (good to an ulp, two units)
  // and rounds the product.
  const double steps = static_cast<double>(segments) + merges;
  const double weight = 2 * max_score + 3 * (steps + 1);
  // A product with the value, the additions of a segment's terms, one addition of each later segment or
  // partial result.
  const double sums = segment_tokens + 1 + steps;
  // Factors of at most exp(x) on every term of numerator and denominator, and the division: the quotient, a
  // weighted mean of the values, is off by at most max_value (exp(2 x) (1 + u) - 1). A wrong score shifts
  // weights in both.
  return max_value * std::expm1(kUnit * (2 * (weight + sums) + 1) + 2 * score_error);
}

}  // namespace meshkv::pad
