#include "models/data/attention_unit.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "models/common/seed.h"

namespace meshkv::data {

SharedBytes::Pointer to_bytes(const HeadPartial& partial) {
  const pad::SoftmaxPartial& s = partial.softmax;
  const boost::intrusive_ptr<SharedBytes> bytes(
      new SharedBytes((s.o.size() + 2) * sizeof(float) + sizeof partial.order));
  unsigned char* at = bytes->data();
  const auto put = [&at](const void* from, std::size_t size) {
    std::memcpy(at, from, size);
    at += size;
  };
  put(&s.m, sizeof s.m);
  put(&s.l, sizeof s.l);
  put(s.o.data(), s.o.size() * sizeof(float));
  put(&partial.order, sizeof partial.order);
  return bytes;
}

HeadPartial from_bytes(const unsigned char* bytes, int head_dim) {
  HeadPartial partial{pad::SoftmaxPartial(head_dim), 0};
  pad::SoftmaxPartial& s = partial.softmax;
  const auto get = [&bytes](void* to, std::size_t size) {
    std::memcpy(to, bytes, size);
    bytes += size;
  };
  get(&s.m, sizeof s.m);
  get(&s.l, sizeof s.l);
  get(s.o.data(), s.o.size() * sizeof(float));
  get(&partial.order, sizeof partial.order);
  return partial;
}

float inverse_root_of(int head_dim) {
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(head_dim)));
}

float score(const float* query, const float* key, int head_dim, float inverse_root) {
  constexpr int kLanes = 8;
  float sums[kLanes] = {};
  int d = 0;
  for (; d + kLanes <= head_dim; d += kLanes)
    for (int i = 0; i < kLanes; ++i) sums[i] += query[d + i] * key[d + i];
  for (; d < head_dim; ++d) sums[d % kLanes] += query[d] * key[d];
  for (int width = kLanes / 2; width != 0; width /= 2)
    for (int i = 0; i < width; ++i) sums[i] += sums[i + width];
  return sums[0] * inverse_root;
}

AttentionUnit::AttentionUnit(const workload::DecodePlan& plan, const SliceCodec& codec,
                             const ValueSource& source)
    : plan_(plan), codec_(codec), source_(source) {}

void AttentionUnit::begin_layer(int layer) {
  layer_ = layer;
  states_.clear();
}

AttentionUnit::State& AttentionUnit::state(int stream, int query_head) {
  const auto found = states_.find({stream, query_head});
  if (found != states_.end()) return found->second;
  const int dim = codec_.layout().head_dim();
  State fresh{pad::OnlineSoftmax(dim), std::vector<float>(static_cast<std::size_t>(dim)), 0};
  source_.query(layer_, stream, query_head, plan_.step(), fresh.query.data());
  for (float& q : fresh.query) q = codec_.round16(q);
  return states_.emplace(HeadKey{stream, query_head}, std::move(fresh)).first->second;
}

void AttentionUnit::attend(const workload::NeededSegment& segment, int group, const mare::HeadMask& heads,
                           const unsigned char* stream) {
  const auto& model = plan_.decode().model;
  const int dim = model.head_dim, n = segment.tokens, line = codec_.layout().heads();
  const float inverse_root = inverse_root_of(dim);
  const int window = static_cast<std::size_t>(layer_) < model.window_tokens.size()
                         ? model.window_tokens[static_cast<std::size_t>(layer_)]
                         : 0;
  const long first = plan_.segments().owner(segment.slot).first_token + segment.first_token;
  keys_.resize(static_cast<std::size_t>(n) * static_cast<std::size_t>(dim));
  values_.resize(keys_.size());
  scores_.resize(static_cast<std::size_t>(n));
  for (int h = 0; h < line; ++h) {
    const int kv_head = group * line + h;
    if (kv_head >= model.kv_heads || !heads.test(static_cast<std::size_t>(kv_head))) continue;
    codec_.read_keys(stream, h, n, keys_.data());
    codec_.read_values(stream, h, n, values_.data());
    for (int b = segment.first_stream; b < segment.first_stream + segment.streams; ++b) {
      // Of a shared segment streams of unequal length may need unequal parts.
      const long begins = plan_.segments().first_token(b, window);
      for (int q = 0; q < model.group_size(); ++q) {
        State& s = state(b, kv_head * model.group_size() + q);
        for (int t = 0; t < n; ++t) {
          scores_[static_cast<std::size_t>(t)] =
              first + t < begins ? -std::numeric_limits<float>::infinity()
                                 : score(s.query.data(), keys_.data() + static_cast<std::ptrdiff_t>(t) * dim,
                                         dim, inverse_root);
        }
        s.softmax.update(scores_.data(), values_.data(), n);
        s.order = mix64(s.order ^ mix64(static_cast<std::uint64_t>(segment.slot) + 1));
      }
    }
  }
}

HeadPartial AttentionUnit::partial(int stream, int query_head) const {
  const auto found = states_.find({stream, query_head});
  if (found == states_.end()) return {pad::SoftmaxPartial(codec_.layout().head_dim()), 0};
  return {found->second.softmax.partial(), found->second.order};
}

SharedBytes::Pointer AttentionUnit::partial_bytes(int stream, int query_head) const {
  return to_bytes(partial(stream, query_head));
}

void MergeUnit::add(HeadKey head, const HeadPartial& partial) {
  const auto at = merged_.try_emplace(head, Merged{pad::OnlineSoftmax(head_dim_), 0, 0}).first;
  at->second.softmax.merge(partial.softmax);
  at->second.order = mix64(at->second.order ^ partial.order);
  ++at->second.parts;
}

}  // namespace meshkv::data
