#pragma once
#include <string>
#include <vector>

namespace meshkv::workload {

/// What the fabric needs to know of a decoder: attention geometry only.
struct ModelShape {
  std::string name;  ///< the config file's stem
  int layers = 32;
  int heads = 32;     ///< query heads
  int kv_heads = 32;  ///< = heads: multi-head; 1: multi-query; else grouped
  int head_dim = 128;
  std::vector<int> window_tokens;                      ///< per layer; 0: full attention
  int group_size() const { return heads / kv_heads; }  ///< query heads a KV head (G)
};

/// How the cache is cut and packed (paper eq. 3; DESIGN section 9).
struct KvLayout {
  int segment_tokens = 64;    ///< P
  int heads_per_line = 2;     ///< KV heads that share one line (flit); divides kv_heads
  int bits_per_element = 16;  ///< 16, or 8, 4, 2: asymmetric group quantisation (SliceLayout)
  bool bf16 = false;          ///< 16 bits are bfloat16, not binary16
};

/// One decode workload.
struct DecodeConfig {
  ModelShape model;
  KvLayout layout;
  long context_tokens = 32768;    ///< T, of every stream
  int streams = 1;                ///< B
  long shared_prefix_tokens = 0;  ///< tokens that all streams have in common (whole segments are shared)
  int steps = 1;
  long reserved_tokens = 0;                 ///< room of every stream; less than what the run needs: that
  std::vector<long> stream_context_tokens;  ///< T of each stream; empty: context_tokens for all
  std::vector<int> sampled_layers;          ///< empty: all
  int drawn_layers = 0;                     ///< so many are to be drawn for sampled_layers
  int sampled_segment_from = 0;             ///< of each layer's needed segment slots
  int sampled_segment_to = -1;              ///< exclusive; -1: all
  long context_of(int stream) const {
    return stream_context_tokens.empty() ? context_tokens
                                         : stream_context_tokens[static_cast<std::size_t>(stream)];
  }
  bool sampled() const {
    return !sampled_layers.empty() || sampled_segment_from != 0 || sampled_segment_to >= 0;
  }
};

enum class MappingPolicy : unsigned char { kHalfCopies, kColumnSplit, kHeadPerTile, kLayerFollowing };

struct MappingConfig {
  MappingPolicy policy = MappingPolicy::kHalfCopies;
  int reduce_root_row = 0;  ///< row of the column reduce roots
  int follow_columns = 4;   ///< layer_following: columns around the layer's home column
};

}  // namespace meshkv::workload
