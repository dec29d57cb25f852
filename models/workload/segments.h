// Which segment slots of a layer a decode step needs, and how large their slices are. No SystemC.
#pragma once

#include <vector>

#include "models/workload/model_shape.h"

namespace meshkv::workload {

/// Line groups of a layer: KV heads that share a line; ceil(kv_heads / heads_per_line).
int line_groups(const ModelShape& model, const KvLayout& layout);

/// Flits of one slice (layer, segment slot, line group) with `tokens` tokens: the K lines, then the V lines,
/// each half padded to whole flits, parameters of quantisation groups included (SliceLayout).
long slice_flits(const ModelShape& model, const KvLayout& layout, int flit_bits, int tokens);

/// |B(l, s)| of equation 3 for `tokens` tokens, in bytes: all KV heads, K and V.
long block_bytes(const ModelShape& model, const KvLayout& layout, int tokens);

/// A segment slot that a step reads. Its users are the streams [first_stream, first_stream + streams).
struct NeededSegment {
  int slot = 0;         ///< segment_slot of Placement::home and Mapping::tile
  int first_token = 0;  ///< first needed token within the segment (> 0 where a sliding window begins inside)
  int tokens = 0;       ///< needed tokens, from first_token on; at most P
  int first_stream = 0;
  int streams = 1;
};

/// The needed slots of each layer in one step.
///
/// Slots of a layer: first the segments of the shared prefix (whole segments only, used by all streams), then
/// the private segments of stream 0, of stream 1 and so on. Every stream has room for the tokens that the run
/// appends, or for reserved_tokens if that is more, so that a block keeps its slot from step to step. Step k
/// reads T + k tokens. A sliding window cuts what a stream reads; a shared segment is read for all streams if
/// one of them needs it, from the first token on that one needs.
class SegmentTable {
 public:
  /// Throws std::invalid_argument for a configuration without tokens, streams or layers, or for a sampled
  /// layer that the model does not have.
  explicit SegmentTable(const DecodeConfig& config, int step = 0);

  /// Layers to be simulated: all, or the sampled ones in ascending order.
  const std::vector<int>& layers() const { return layers_; }
  /// Needed slots of a layer in the order in which they are processed, cut to the sampled window. Valid for
  /// any layer of the model.
  const std::vector<NeededSegment>& needed(int layer) const {
    return lists_[list_of_layer_[static_cast<std::size_t>(layer)]].sampled;
  }
  /// Needed slots of the layer without the cut, to scale a sample up.
  std::size_t needed_unsampled(int layer) const {
    return lists_[list_of_layer_[static_cast<std::size_t>(layer)]].all;
  }
  /// Segment slots of a layer, needed or not; the same in all steps of the run.
  int slots() const { return slots_; }
  /// Slots that all streams share: [0, shared_slots()).
  int shared_slots() const { return shared_slots_; }
  /// Slot of the segment that holds token `token` of `stream`.
  int slot_of(int stream, long token) const;
  /// Tokens that the longest stream has in this step.
  long context_tokens() const { return longest_; }
  /// Tokens that a stream has in this step.
  long tokens_of(int stream) const { return tokens_[static_cast<std::size_t>(stream)]; }
  /// First token that a stream reads of a layer whose window is `window` (0: none).
  long first_token(int stream, int window) const {
    const long tokens = tokens_of(stream);
    return window > 0 && tokens > window ? tokens - window : 0;
  }
  /// Whose tokens a slot holds: the first stream of those that use it, and the slot's first token.
  struct Owner {
    int stream = 0;
    long first_token = 0;
  };
  Owner owner(int slot) const;

 private:
  struct List {
    int window = 0;
    std::vector<NeededSegment> sampled;
    std::size_t all = 0;
  };
  List build(const DecodeConfig& config, int window) const;

  int segment_tokens_;
  std::vector<long> tokens_;  // by stream
  long longest_ = 0;
  int shared_slots_ = 0;
  std::vector<int> private_base_;  // by stream: first private slot
  int slots_ = 0;
  std::vector<int> layers_;
  std::vector<List> lists_;  // one a distinct window
  std::vector<std::size_t> list_of_layer_;
};

}  // namespace meshkv::workload
