// Streaming softmax of the Rd stage (paper equation 7; FlashAttention-2, Dao 2023) and the merge of partial
// results at a reduce root. No SystemC.
#pragma once

#include <vector>

namespace meshkv::pad {

/// Attention of one query over the tokens seen so far: running maximum m, sum l of exp(z - m), and the
/// unnormalised output o = sum of exp(z - m) v. All in FP32, as the accumulators of the MAC array. This is
/// what a PART packet carries.
struct SoftmaxPartial {
  float m;
  float l = 0.0F;
  std::vector<float> o;

  /// Nothing seen: m = -infinity, o = 0.
  explicit SoftmaxPartial(int head_dim);
};

class OnlineSoftmax {
 public:
  explicit OnlineSoftmax(int head_dim) : state_(head_dim) {}

  /// Takes one segment: `scores[t]` is q.k / sqrt(d_h) of token t, `values` has `tokens` rows of head_dim
  /// elements. A score of -infinity masks its token; a segment without any unmasked token changes nothing.
  void update(const float* scores, const float* values, int tokens);
  /// Takes over what another unit saw (of other tokens). The order of merges changes rounding only.
  void merge(const SoftmaxPartial& other);

  const SoftmaxPartial& partial() const { return state_; }
  /// o / l: the attention output; zeros if no token was seen.
  std::vector<float> output() const;

 private:
  void rescale_to(float m);
  SoftmaxPartial state_;
  std::vector<float> segment_;  // sum of one segment, kept for its memory
};

/// Flits of a PART packet: m, l and head_dim accumulators in FP32 for each of `query_heads`.
int part_flits(int head_dim, int query_heads, int flit_bits);

/// Bound on |output - exact| in each element for `segments` updates of at most `segment_tokens` tokens and
/// `merges` merges, |score| <= max_score, |value| <= max_value, when every score is within `score_error` of
/// the exact one. Without underflow of weights.
double online_softmax_error_bound(int segment_tokens, int segments, int merges, double max_score,
                                  double max_value, double score_error);

}  // namespace meshkv::pad
