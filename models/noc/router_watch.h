// All VCs of a router at one moment, for whoever compares it with the moment before: traces. A bit of a mask
// is a VC, 8 * port + vc, so that comparing costs as much for all of them as for one.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/types.h"

namespace meshkv::noc {

/// What the packet at the front of an input VC does.
enum class VcState : std::uint8_t {
  kIdle = 0,      ///< no packet
  kRouting = 1,   ///< a packet at the front, not bidding yet
  kWaitsVc = 2,   ///< bids for an output VC (of a tree: one of its branches does)
  kNoCredit = 3,  ///< has its output VC, none of its slots downstream is free
  kSends = 4,     ///< may send
};

struct RouterWatch {
  using Mask = std::uint64_t;
  static constexpr unsigned kIndices = 8 * kPorts;

  std::array<Mask, 7> level{};  ///< bit k of the flits in each input VC's FIFO, those on the link included
  std::array<Mask, 3> state{};  ///< bit k of each input VC's VcState
  Mask free_outputs = 0;        ///< output VCs that no packet holds
  std::array<std::uint16_t, kIndices> credits{};  ///< slots behind each output VC, announced ones included
  std::array<std::uint64_t, kPorts> flits{};      ///< that left by each port, since the beginning
  std::array<std::uint64_t, kPorts> back_pressure{};  ///< cycles of each port, likewise

  template <std::size_t kPlanes>
  static unsigned at(const std::array<Mask, kPlanes>& planes, unsigned vc) {
    unsigned value = 0;
    for (unsigned k = 0; k < kPlanes; ++k) value |= static_cast<unsigned>(planes[k] >> vc & 1U) << k;
    return value;
  }
  /// VCs in which the two differ.
  template <std::size_t kPlanes>
  static Mask differ(const std::array<Mask, kPlanes>& a, const std::array<Mask, kPlanes>& b) {
    Mask mask = 0;
    for (unsigned k = 0; k < kPlanes; ++k) mask |= a[k] ^ b[k];
    return mask;
  }
};

}  // namespace meshkv::noc
