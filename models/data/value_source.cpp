#include "models/data/value_source.h"

#include "models/common/seed.h"

namespace meshkv::data {
namespace {

/// `count` numbers of unit variance: the sum of two uniform 16-bit numbers each, two from a 64-bit hash.
void triangular(std::uint64_t state, int count, float* out) {
  constexpr float kScale = 2.4494897F / 65536.0F;  // the variance of the sum is 65536^2 / 6
  for (int i = 0; i < count; i += 2) {
    const std::uint64_t h = mix64(state + static_cast<std::uint64_t>(i));
    const auto low = static_cast<std::int32_t>((h & 0xffffU) + (h >> 16 & 0xffffU)) - 65535;
    const auto high = static_cast<std::int32_t>((h >> 32 & 0xffffU) + (h >> 48)) - 65535;
    out[i] = static_cast<float>(low) * kScale;
    if (i + 1 < count) out[i + 1] = static_cast<float>(high) * kScale;
  }
}

}  // namespace

SeededValues::SeededValues(std::uint64_t seed, int head_dim, long shared_prefix_tokens)
    : seed_(instance_seed(seed, "values")), head_dim_(head_dim), shared_tokens_(shared_prefix_tokens) {}

std::uint64_t SeededValues::base(Kind kind, int layer, int head) const {
  return mix64(seed_ ^ (static_cast<std::uint64_t>(kind) << 60 | static_cast<std::uint64_t>(layer) << 32 |
                        static_cast<std::uint64_t>(head)));
}

void SeededValues::tokens(std::uint64_t base, int stream, long first, int tokens, float* out) const {
  for (int t = 0; t < tokens; ++t) {
    const long token = first + t;
    const auto owner = token < shared_tokens_ ? std::uint64_t{0} : static_cast<std::uint64_t>(stream) + 1;
    triangular(mix64(base ^ (owner << 40 | static_cast<std::uint64_t>(token))), head_dim_,
               out + static_cast<std::ptrdiff_t>(t) * head_dim_);
  }
}

void SeededValues::keys(int layer, int stream, int kv_head, long first, int count, float* out) const {
  tokens(base(Kind::kKey, layer, kv_head), stream, first, count, out);
  const std::uint64_t channels = base(Kind::kChannel, layer, kv_head);
  for (int d = 0; d < head_dim_; ++d) {
    if (mix64(channels + static_cast<std::uint64_t>(d)) % 32 != 0) continue;
    for (int t = 0; t < count; ++t) out[static_cast<std::ptrdiff_t>(t) * head_dim_ + d] *= 4.0F;
  }
}

void SeededValues::values(int layer, int stream, int kv_head, long first, int count, float* out) const {
  tokens(base(Kind::kValue, layer, kv_head), stream, first, count, out);
}

void SeededValues::query(int layer, int stream, int query_head, int step, float* out) const {
  const std::uint64_t b = base(Kind::kQuery, layer, query_head);
  triangular(mix64(b ^ (static_cast<std::uint64_t>(stream) << 40 | static_cast<std::uint64_t>(step))),
             head_dim_, out);
}

}  // namespace meshkv::data
