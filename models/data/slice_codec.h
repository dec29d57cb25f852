// Numbers to the bytes of a slice and back. No SystemC.
#pragma once

#include <vector>

#include "models/workload/slice_layout.h"

namespace meshkv::data {

/// Writes slices as they lie in memory and reads streams of lines as they arrive (workload::SliceLayout says
/// what goes where).
class SliceCodec {
 public:
  /// `bf16`: numbers of 16 bits are bfloat16, not binary16.
  SliceCodec(const workload::SliceLayout& layout, bool bf16) : layout_(layout), bf16_(bf16) {}
  const workload::SliceLayout& layout() const { return layout_; }

  /// Keys and values of head `head` of the line for the first `tokens` tokens, all groups anew.
  void write(unsigned char* slice, int head, int tokens, const float* keys, const float* values) const;
  /// One token more, the `token`-th of the segment, behind those that are there. A key group whose range the
  /// new key leaves is widened, and its codes are rewritten from the numbers that they stood for.
  void append(unsigned char* slice, int head, int token, const float* key, const float* value) const;

  /// Keys of one head from a stream of `tokens` tokens: row after row of head_dim numbers.
  void read_keys(const unsigned char* stream, int head, int tokens, float* out) const;
  void read_values(const unsigned char* stream, int head, int tokens, float* out) const;

  /// To a number of the 16-bit format and back. Projections give their results in it, so that queries, and
  /// keys and values before they are quantised, are such numbers.
  float round16(float value) const;
  /// A row of head_dim numbers in 16 bits each.
  void pack16(unsigned char* out, const float* row) const;
  void unpack16(const unsigned char* in, float* row) const;

 private:
  void write_value(unsigned char* slice, int head, int token, const float* row) const;
  void append_quantised_key(unsigned char* slice, int head, int token, const float* key) const;
  void read_codes(const unsigned char* in, float* codes) const;

  workload::SliceLayout layout_;
  bool bf16_;
};

}  // namespace meshkv::data
