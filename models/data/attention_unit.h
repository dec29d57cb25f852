// What Tm and Rd of a tile compute (paper section VII), and what a column's reduce root makes of it.
// Arithmetic only; when it happens is the agents' business. No SystemC.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "models/common/shared_bytes.h"
#include "models/data/slice_codec.h"
#include "models/data/value_source.h"
#include "models/pad/online_softmax.h"
#include "models/workload/decode_plan.h"

namespace meshkv::data {

/// The partial result of one query head and stream, and the order of what went into it: equal orders make
/// equal bits.
struct HeadPartial {
  pad::SoftmaxPartial softmax;
  std::uint64_t order = 0;  ///< hash over the segments and merges so far
};
using HeadKey = std::pair<int, int>;  ///< stream, query head

/// A PART packet's payload: m, l, o in binary32, and (which costs no flits, being a check) the order.
SharedBytes::Pointer to_bytes(const HeadPartial& partial);
HeadPartial from_bytes(const unsigned char* bytes, int head_dim);

/// q.k / sqrt(head_dim) in binary32: eight running sums, which are added in pairs.
float score(const float* query, const float* key, int head_dim, float inverse_root);
float inverse_root_of(int head_dim);

/// Attention of a layer's queries over the segments of one tile, in the order in which they come.
class AttentionUnit {
 public:
  AttentionUnit(const workload::DecodePlan& plan, const SliceCodec& codec, const ValueSource& source);

  void begin_layer(int layer);
  /// One line group of a segment has come whole: `stream` is its lines. `heads`: KV heads to compute.
  void attend(const workload::NeededSegment& segment, int group, const mare::HeadMask& heads,
              const unsigned char* stream);
  /// Zeros and m = -infinity for a head that no segment was computed for.
  HeadPartial partial(int stream, int query_head) const;
  SharedBytes::Pointer partial_bytes(int stream, int query_head) const;

 private:
  struct State {
    pad::OnlineSoftmax softmax;
    std::vector<float> query;
    std::uint64_t order = 0;
  };
  State& state(int stream, int query_head);

  const workload::DecodePlan& plan_;
  const SliceCodec& codec_;
  const ValueSource& source_;
  int layer_ = -1;
  std::map<HeadKey, State> states_;
  std::vector<float> keys_, values_, scores_;
};

/// Merges partial results in the order in which they come.
class MergeUnit {
 public:
  explicit MergeUnit(int head_dim) : head_dim_(head_dim) {}
  void begin_layer() { merged_.clear(); }
  void add(HeadKey head, const HeadPartial& partial);
  struct Merged {
    pad::OnlineSoftmax softmax;
    std::uint64_t order = 0;
    int parts = 0;
  };
  const std::map<HeadKey, Merged>& merged() const { return merged_; }

 private:
  int head_dim_;
  std::map<HeadKey, Merged> merged_;
};

}  // namespace meshkv::data
