// What homes were asked for, block by block: the occupancies that routers sample (paper section V), counted
// exactly. No SystemC.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace meshkv::takv {

/// Tokens of a block that KV_FETCHes asked its home for, since the last clear(): what takes the home's
/// credits. One object a chip.
class Occupancy {
 public:
  void add(int layer, std::uint32_t slot, std::uint64_t tokens) { tokens_[key(layer, slot)] += tokens; }
  std::uint64_t of(int layer, std::uint32_t slot) const {
    const auto it = tokens_.find(key(layer, slot));
    return it == tokens_.end() ? 0 : it->second;
  }
  void clear() { tokens_.clear(); }

 private:
  static std::uint64_t key(int layer, std::uint32_t slot) {
    return (static_cast<std::uint64_t>(layer) << 32) | slot;
  }
  std::unordered_map<std::uint64_t, std::uint64_t> tokens_;
};

}  // namespace meshkv::takv
