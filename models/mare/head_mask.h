// Which KV heads a KV_FETCH asks for (paper section VI, equation 5).
#pragma once

#include <bitset>
#include <cstddef>

namespace meshkv::mare {

constexpr int kMaxKvHeads = 256;

/// One bit a KV head of the model. The paper's mask has 32 bits, enough for LLaMA-2-7B; larger models have
/// more.
using HeadMask = std::bitset<kMaxKvHeads>;
/// One bit a line group: the KV heads that share a line.
using GroupMask = std::bitset<kMaxKvHeads>;

/// Calls `f(int)` for each set bit, in ascending order.
template <std::size_t N, typename F>
void for_each_set(const std::bitset<N>& bits, F&& f) {
  // libstdc++'s own: word by word, where a test of each bit costs as much as what is done for it.
  for (std::size_t i = bits._Find_first(); i < N; i = bits._Find_next(i)) f(static_cast<int>(i));
}

/// The line groups that hold the masked heads: head h is in group h / heads_per_line.
inline GroupMask line_groups(const HeadMask& heads, int heads_per_line) {
  if (heads_per_line == 1) return heads;
  GroupMask groups;
  for_each_set(heads, [&](int h) { groups.set(static_cast<std::size_t>(h / heads_per_line)); });
  return groups;
}

}  // namespace meshkv::mare
