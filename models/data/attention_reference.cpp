#include "models/data/attention_reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "models/pad/online_softmax.h"

namespace meshkv::data {

AttentionReference::AttentionReference(const workload::DecodePlan& plan, const SliceCodec& codec,
                                       const ValueSource& source, KvImage& image)
    : plan_(plan), codec_(codec), source_(source), image_(image) {}

AttentionReference::Tokens AttentionReference::gather(int layer, int stream, int kv_head) {
  const auto& decode = plan_.decode();
  const int dim = decode.model.head_dim, line = codec_.layout().heads();
  const auto& windows = decode.model.window_tokens;
  const int window =
      static_cast<std::size_t>(layer) < windows.size() ? windows[static_cast<std::size_t>(layer)] : 0;
  const long begins = plan_.segments().first_token(stream, window);
  Tokens all;
  for (const workload::NeededSegment& segment : plan_.segments().needed(layer)) {
    if (stream < segment.first_stream || stream >= segment.first_stream + segment.streams) continue;
    const long base = plan_.segments().owner(segment.slot).first_token;
    const int skip = static_cast<int>(std::max(0L, begins - base - segment.first_token));
    const int n = segment.tokens - skip;
    if (n <= 0) continue;
    const auto at = all.keys.size(), more = static_cast<std::size_t>(n) * static_cast<std::size_t>(dim);
    for (auto* v : {&all.keys, &all.values, &all.exact_keys, &all.exact_values}) v->resize(at + more);
    const long first = base + segment.first_token + skip;
    source_.keys(layer, stream, kv_head, first, n, all.exact_keys.data() + at);
    source_.values(layer, stream, kv_head, first, n, all.exact_values.data() + at);
    const auto image =
        image_.slice(layer, static_cast<std::uint32_t>(segment.slot), kv_head / line, plan_.step());
    const auto& layout = codec_.layout();
    stream_.resize(std::size_t{layout.key_flits(n) + layout.value_flits(n)} * layout.flit_bytes());
    for (const auto& range : layout.stream(segment.first_token + skip, n))
      std::memcpy(stream_.data() + range.stream, image->data() + range.memory, range.bytes);
    codec_.read_keys(stream_.data(), kv_head % line, n, all.keys.data() + at);
    codec_.read_values(stream_.data(), kv_head % line, n, all.values.data() + at);
    ++all.segments;
    all.longest = std::max(all.longest, n);
  }
  return all;
}

std::vector<double> AttentionReference::attention(const std::vector<float>& query,
                                                  const std::vector<float>& keys,
                                                  const std::vector<float>& values) const {
  const std::size_t dim = query.size(), tokens = keys.size() / dim;
  std::vector<double> q(query.begin(), query.end()), weights(tokens), out(dim, 0.0);
  const double root = std::sqrt(static_cast<double>(dim));
  double top = -INFINITY;
  for (std::size_t t = 0; t < tokens; ++t) {
    const float* k = keys.data() + t * dim;
    double sum = 0;
    for (std::size_t d = 0; d < dim; ++d) sum += q[d] * static_cast<double>(k[d]);
    weights[t] = sum / root;
    top = std::max(top, weights[t]);
  }
  double total = 0;
  for (std::size_t t = 0; t < tokens; ++t) {
    const float* v = values.data() + t * dim;
    const double w = std::exp(weights[t] - top);
    total += w;
    for (std::size_t d = 0; d < dim; ++d) out[d] += w * static_cast<double>(v[d]);
  }
  if (tokens != 0)
    for (double& o : out) o /= total;
  return out;
}

// The bound, for u = 2^-24 (binary32, round to nearest), from the numbers at hand. K, V and q are binary32
// numbers that chip and reference share, so that only the chip's arithmetic makes a difference.
//
// A score is a sum of d products, in any order, times a rounded 1/sqrt(d): each term passes at most d
// roundings in product and sum, one in the factor and one in the multiplication. So a score is wrong by at
// most
// ((1+u)^(d+2) - 1) A, where A is the largest sum of |q_i k_i| / sqrt(d) over the tokens. |score| <= A.
// What the online softmax and the merges make of that: pad::online_softmax_error_bound. It counts relative
// errors; weights below 2^-126 lose those (gradual underflow), which is an absolute error of less than 2^-126
// a token and unit of value, since the sum of weights is at least 1.
double AttentionReference::bound(const std::vector<float>& query, const Tokens& tokens, int parts) const {
  const std::size_t dim = query.size(), count = tokens.keys.size() / dim;
  double most_score = 0;
  float most_value = 0;
  for (std::size_t t = 0; t < count; ++t) {
    double sum = 0;
    for (std::size_t d = 0; d < dim; ++d)
      sum += std::abs(static_cast<double>(query[d]) * static_cast<double>(tokens.keys[t * dim + d]));
    most_score = std::max(most_score, sum);
  }
  for (const float v : tokens.values) most_value = std::max(most_value, std::abs(v));
  most_score /= std::sqrt(static_cast<double>(dim));
  const double score_error = std::expm1(static_cast<double>(dim + 2) * std::log1p(0x1p-24)) * most_score;
  return pad::online_softmax_error_bound(tokens.longest, tokens.segments, parts, most_score + score_error,
                                         static_cast<double>(most_value), score_error) +
         static_cast<double>(count) * 0x1p-126 * static_cast<double>(most_value);
}

std::vector<ReferenceHead> AttentionReference::compute(int layer, int stream, int kv_head, int parts) {
  const Tokens tokens = gather(layer, stream, kv_head);
  const int group = plan_.decode().model.group_size();
  std::vector<ReferenceHead> heads;
  std::vector<float> exact(static_cast<std::size_t>(codec_.layout().head_dim())), query;
  for (int q = 0; q < group; ++q) {
    source_.query(layer, stream, kv_head * group + q, plan_.step(), exact.data());
    query = exact;
    for (float& x : query) x = codec_.round16(x);
    heads.push_back({attention(query, tokens.keys, tokens.values),
                     attention(exact, tokens.exact_keys, tokens.exact_values), bound(query, tokens, parts)});
  }
  return heads;
}

}  // namespace meshkv::data
