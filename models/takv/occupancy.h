// What homes were asked for, block by block: the occupancies that routers sample (paper section V), counted
// exactly. No SystemC.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace meshkv::takv {

/// Flits of KV_DATA that a home was asked to inject for a block, since the last clear(). One object a chip.
class Occupancy {
 public:
  void add(int layer, std::uint32_t slot, std::uint64_t flits) { flits_[key(layer, slot)] += flits; }
  std::uint64_t of(int layer, std::uint32_t slot) const {
    const auto it = flits_.find(key(layer, slot));
    return it == flits_.end() ? 0 : it->second;
  }
  void clear() { flits_.clear(); }

 private:
  static std::uint64_t key(int layer, std::uint32_t slot) {
    return (static_cast<std::uint64_t>(layer) << 32) | slot;
  }
  std::unordered_map<std::uint64_t, std::uint64_t> flits_;
};

}  // namespace meshkv::takv
