#include "models/data/file_values.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace meshkv::data {
namespace {

struct Axis {
  const char* name;
  long needed;
  bool exact;  ///< else there may be more
};

std::unique_ptr<NpyFile> open(const std::string& path, const std::vector<Axis>& axes, float largest) {
  if (path.empty()) return nullptr;
  const auto refuse = [&path](const std::string& why) { throw std::runtime_error(path + ": " + why); };
  std::unique_ptr<NpyFile> file;
  try {
    file = std::make_unique<NpyFile>(path);
  } catch (const std::runtime_error& e) {
    refuse(e.what());
  }
  std::string wanted;
  bool fits = file->shape().size() == axes.size();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    wanted += (i == 0 ? "(" : ", ") + std::string(axes[i].name) + (axes[i].exact ? " = " : " >= ") +
              std::to_string(axes[i].needed);
    if (!fits) continue;
    const auto have = static_cast<long>(file->shape()[i]);
    fits = axes[i].exact ? have == axes[i].needed : have >= axes[i].needed;
  }
  if (!fits) refuse("has the shape " + NpyFile::shape_text(file->shape()) + "; allowed: " + wanted + ")");
  std::vector<float> some(4096);
  for (std::size_t at = 0; at < file->size(); at += some.size()) {
    const std::size_t n = std::min(some.size(), file->size() - at);
    file->read(at, n, some.data());
    for (std::size_t i = 0; i < n; ++i)
      if (!(std::abs(some[i]) <= largest))
        refuse("number " + std::to_string(at + i) + " is " + std::to_string(some[i]) + "; allowed: up to " +
               std::to_string(largest) + " in size, what the cache's format can hold");
  }
  return file;
}

}  // namespace

FileValues::FileValues(const ValueFiles& files, const workload::DecodeConfig& decode,
                       std::unique_ptr<ValueSource> seeded)
    : seeded_(std::move(seeded)), shared_tokens_(decode.shared_prefix_tokens) {
  long longest = 0;
  for (int b = 0; b < decode.streams; ++b) longest = std::max(longest, decode.context_of(b));
  const auto& m = decode.model;
  const float largest = decode.layout.bf16 ? 3e38F : 65504.0F;
  const std::vector<Axis> cache{{"layers", m.layers, false},
                                {"streams", decode.streams, false},
                                {"KV heads", m.kv_heads, true},
                                {"tokens", longest + decode.steps - 1, false},
                                {"head_dim", m.head_dim, true}};
  keys_ = open(files.keys, cache, largest);
  values_ = open(files.values, cache, largest);
  queries_ = open(files.queries,
                  {{"steps", decode.steps, false},
                   {"layers", m.layers, false},
                   {"streams", decode.streams, false},
                   {"heads", m.heads, true},
                   {"head_dim", m.head_dim, true}},
                  largest);
}

/// `count` rows of the last axis, from [a, b, c, first] on.
void FileValues::rows(const NpyFile& file, long a, long b, long c, long first, int count, float* out) {
  const auto& s = file.shape();
  const auto index = [](long i) { return static_cast<std::size_t>(i); };
  const std::size_t row = ((index(a) * s[1] + index(b)) * s[2] + index(c)) * s[3] + index(first);
  file.read(row * s[4], index(count) * s[4], out);
}

void FileValues::tokens(const NpyFile& file, int layer, int stream, int kv_head, long first, int count,
                        float* out) const {
  const int shared = static_cast<int>(std::clamp(shared_tokens_ - first, 0L, static_cast<long>(count)));
  if (shared > 0) rows(file, layer, 0, kv_head, first, shared, out);
  if (shared < count)
    rows(file, layer, stream, kv_head, first + shared, count - shared,
         out + static_cast<std::size_t>(shared) * file.shape()[4]);
}

void FileValues::keys(int layer, int stream, int kv_head, long first, int count, float* out) const {
  if (keys_ == nullptr)
    seeded_->keys(layer, stream, kv_head, first, count, out);
  else
    tokens(*keys_, layer, stream, kv_head, first, count, out);
}

void FileValues::values(int layer, int stream, int kv_head, long first, int count, float* out) const {
  if (values_ == nullptr)
    seeded_->values(layer, stream, kv_head, first, count, out);
  else
    tokens(*values_, layer, stream, kv_head, first, count, out);
}

void FileValues::query(int layer, int stream, int query_head, int step, float* out) const {
  if (queries_ == nullptr)
    seeded_->query(layer, stream, query_head, step, out);
  else
    rows(*queries_, step, layer, stream, query_head, 1, out);
}

}  // namespace meshkv::data
