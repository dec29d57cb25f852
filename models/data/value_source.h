// Where the numbers come from: keys, values and queries of every layer, stream and token, as the projections
// of a model would give them. No SystemC.
#pragma once

#include <cstdint>

namespace meshkv::data {

/// Numbers in binary32, before they are rounded to the format of the cache. Const and deterministic: the same
/// arguments give the same numbers, in any order of calls.
class ValueSource {
 public:
  virtual ~ValueSource() = default;
  /// head_dim numbers for each of the tokens [first, first + tokens), row after row. Token T + k is the one
  /// that step k appends. Tokens of the shared prefix are the same for all streams.
  virtual void keys(int layer, int stream, int kv_head, long first, int tokens, float* out) const = 0;
  virtual void values(int layer, int stream, int kv_head, long first, int tokens, float* out) const = 0;
  /// head_dim numbers: the query of one query head in one step.
  virtual void query(int layer, int stream, int query_head, int step, float* out) const = 0;
};

/// Pseudo-random numbers of unit variance with a triangular distribution. One key channel in 32 is four times
/// as large, as key caches have it (KIVI, Liu et al. 2024, section 3): what quantisation per channel is for.
class SeededValues : public ValueSource {
 public:
  SeededValues(std::uint64_t seed, int head_dim, long shared_prefix_tokens);
  void keys(int layer, int stream, int kv_head, long first, int tokens, float* out) const override;
  void values(int layer, int stream, int kv_head, long first, int tokens, float* out) const override;
  void query(int layer, int stream, int query_head, int step, float* out) const override;

 private:
  enum class Kind : std::uint8_t { kKey, kValue, kQuery, kChannel };
  std::uint64_t base(Kind kind, int layer, int head) const;
  void tokens(std::uint64_t base, int stream, long first, int tokens, float* out) const;

  std::uint64_t seed_;
  int head_dim_;
  long shared_tokens_;
};

}  // namespace meshkv::data
