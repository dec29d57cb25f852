// Attention in double precision, straight from the definition: softmax(q K^T / sqrt(d)) V. No SystemC.
#pragma once

#include <vector>

#include "models/data/kv_image.h"

namespace meshkv::data {

/// One query head and stream of a layer.
struct ReferenceHead {
  std::vector<double> output;     ///< from the numbers as they are stored: what the arithmetic must give
  std::vector<double> unrounded;  ///< from the numbers before they were stored: what the format costs
  double bound = 0;               ///< on |output of the chip - output|, each element (OutputCheck says why)
};

class AttentionReference {
 public:
  AttentionReference(const workload::DecodePlan& plan, const SliceCodec& codec, const ValueSource& source,
                     KvImage& image);

  /// All query heads of a KV head for one stream in the plan's present step, over the segments that the plan
  /// reads. `parts`: partial results that the reduce root merges.
  std::vector<ReferenceHead> compute(int layer, int stream, int kv_head, int parts);

 private:
  struct Tokens {
    std::vector<float> keys, values;  ///< as stored
    std::vector<float> exact_keys, exact_values;
    int segments = 0;
    int longest = 0;  ///< tokens of the longest segment
  };
  Tokens gather(int layer, int stream, int kv_head);
  std::vector<double> attention(const std::vector<float>& query, const std::vector<float>& keys,
                                const std::vector<float>& values) const;
  double bound(const std::vector<float>& query, const Tokens& tokens, int parts) const;

  const workload::DecodePlan& plan_;
  const SliceCodec& codec_;
  const ValueSource& source_;
  KvImage& image_;
  std::vector<unsigned char> stream_;
};

}  // namespace meshkv::data
