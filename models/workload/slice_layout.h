// How the bytes of a slice (layer, segment slot, line group) lie in memory, and in which order they travel.
// No SystemC.
#pragma once

#include <array>
#include <cstdint>

#include "models/workload/model_shape.h"

namespace meshkv::workload {

/// In memory: parameters of the key groups (where numbers are quantised), key rows of the P tokens, padding
/// to a whole flit, value rows of the P tokens, padding. A row is one token of all heads that share the line,
/// head after head, each in whole bytes; a quantised value row begins with each head's own parameters. A
/// token keeps its place from the day it is appended.
///
/// On the way: the parameters and the key rows of the needed tokens, padded to a whole flit, then their value
/// rows, padded.
///
/// Quantisation groups (KIVI: keys per channel, values per token): a key group is one channel (head and
/// element) over the tokens of the segment, a value group one head of one token. Each has a scale and a zero
/// in FP16.
class SliceLayout {
 public:
  SliceLayout(const ModelShape& model, const KvLayout& layout, int flit_bits);

  static constexpr int kParameterBytes = 4;  ///< scale and zero of one group

  bool quantised() const { return bits_ < 16; }
  int bits() const { return bits_; }
  int heads() const { return heads_; }  ///< that share a line
  int head_dim() const { return head_dim_; }
  std::uint32_t flit_bytes() const { return flit_bytes_; }
  /// Codes of one head of one token.
  std::uint32_t head_bytes() const { return head_bytes_; }
  std::uint32_t key_parameter_bytes() const { return key_parameters_; }
  std::uint32_t key_row_bytes() const { return key_row_; }
  std::uint32_t value_row_bytes() const { return value_row_; }
  /// Byte offsets within the slice in memory.
  std::uint32_t key_row(int token) const {
    return key_parameters_ + static_cast<std::uint32_t>(token) * key_row_;
  }
  std::uint32_t value_row(int token) const {
    return values_ + static_cast<std::uint32_t>(token) * value_row_;
  }
  /// Room that a slice takes.
  std::uint32_t slice_bytes() const { return slice_bytes_; }

  std::uint32_t key_flits(int tokens) const { return flits_of(key_row(tokens)); }
  std::uint32_t value_flits(int tokens) const {
    return flits_of(static_cast<std::uint32_t>(tokens) * value_row_);
  }

  /// Contiguous in memory and in the stream.
  struct Range {
    std::uint32_t stream = 0;  ///< byte in the stream
    std::uint32_t memory = 0;  ///< byte in the slice
    std::uint32_t bytes = 0;
  };
  /// What the stream of the tokens [first, first + tokens) is made of; up to three ranges, unused ones empty.
  std::array<Range, 3> stream(int first, int tokens) const;

 private:
  std::uint32_t flits_of(std::uint32_t bytes) const { return (bytes + flit_bytes_ - 1) / flit_bytes_; }

  int bits_;
  int heads_;
  int head_dim_;
  std::uint32_t flit_bytes_;
  std::uint32_t head_bytes_;
  std::uint32_t key_parameters_;
  std::uint32_t key_row_;
  std::uint32_t value_row_;
  std::uint32_t values_;  ///< where the value rows begin
  std::uint32_t slice_bytes_;
};

}  // namespace meshkv::workload
