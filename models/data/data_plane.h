// With real numbers in the flits: what all tiles of a chip share. No SystemC.
#pragma once

#include <memory>
#include <string>

#include "models/common/shared_bytes.h"
#include "models/data/attention_reference.h"
#include "models/data/kv_image.h"
#include "models/data/output_check.h"
#include "models/data/slice_codec.h"
#include "models/data/value_source.h"
#include "models/workload/decode_plan.h"

namespace meshkv::data {

class DataPlane {
 public:
  DataPlane(const workload::DecodePlan& plan, std::unique_ptr<ValueSource> source);
  DataPlane(const DataPlane&) = delete;
  DataPlane& operator=(const DataPlane&) = delete;

  const workload::DecodePlan& plan() const { return plan_; }
  const ValueSource& source() const { return *source_; }
  const SliceCodec& codec() const { return codec_; }
  KvImage& image() { return image_; }
  OutputCheck& outputs() { return outputs_; }
  const OutputCheck& outputs() const { return outputs_; }

  /// The new token's key and value as its projections give them: two rows of numbers of 16 bits.
  SharedBytes::Pointer new_row(int layer, int step, const workload::AppendedRow& row) const;

  /// A tile has the lines of one group of a segment, and they are not what its home must have in this step:
  /// what is wrong, in words. Empty if nothing is. `heads`: what the tile computes.
  std::string judge(int layer, const workload::NeededSegment& segment, int group, const mare::HeadMask& heads,
                    const unsigned char* stream);

 private:
  const workload::DecodePlan& plan_;
  std::unique_ptr<ValueSource> source_;
  SliceCodec codec_;
  KvImage image_;
  AttentionReference reference_;
  OutputCheck outputs_;
};

/// "head 5", "heads 4 and 5": the KV heads of a line group that are in `heads`.
std::string heads_text(const mare::HeadMask& heads, int group, int heads_per_line);

}  // namespace meshkv::data
