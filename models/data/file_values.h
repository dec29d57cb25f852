// Keys, values and queries of a real model, from .npy files (docs/data.md says how to make them). No SystemC.
#pragma once

#include <memory>
#include <string>

#include "models/data/npy_file.h"
#include "models/data/value_source.h"
#include "models/workload/model_shape.h"

namespace meshkv::data {

/// Files of keys, values and queries; an empty name: from the seed.
struct ValueFiles {
  std::string keys;     ///< [layers, streams, kv_heads, tokens, head_dim]
  std::string values;   ///< the same
  std::string queries;  ///< [steps, layers, streams, heads, head_dim]
  bool any() const { return !keys.empty() || !values.empty() || !queries.empty(); }
};

/// Layers and streams may be more than are used, and tokens more than T + steps - 1. Of a shared prefix the
/// numbers of stream 0 are used.
class FileValues : public ValueSource {
 public:
  /// `seeded` stands in for the files that are not named. Throws std::runtime_error: name of the file and
  /// what is wrong with it (a shape that does not fit the workload, numbers that the cache's format does not
  /// have).
  FileValues(const ValueFiles& files, const workload::DecodeConfig& decode,
             std::unique_ptr<ValueSource> seeded);

  void keys(int layer, int stream, int kv_head, long first, int tokens, float* out) const override;
  void values(int layer, int stream, int kv_head, long first, int tokens, float* out) const override;
  void query(int layer, int stream, int query_head, int step, float* out) const override;

 private:
  static void rows(const NpyFile& file, long a, long b, long c, long first, int count, float* out);
  void tokens(const NpyFile& file, int layer, int stream, int kv_head, long first, int count,
              float* out) const;
  std::unique_ptr<NpyFile> keys_, values_, queries_;
  std::unique_ptr<ValueSource> seeded_;
  long shared_tokens_;
};

}  // namespace meshkv::data
