// What one directed link did, by cycle: each link-cycle is exactly one of these or idle (DESIGN section 4).
#pragma once

#include <cstdint>

#include "models/noc/packet.h"

namespace meshkv::noc {

/// Kinds of flits that a link tells apart.
enum class FlitKind : std::uint8_t { kUseful = 0, kDuplicate = 1, kControl = 2 };
constexpr int kFlitKinds = 3;
constexpr FlitKind flit_kind(const Packet& p) {
  if (p.packet_class != PacketClass::kKvData) return FlitKind::kControl;
  return p.duplicate ? FlitKind::kDuplicate : FlitKind::kUseful;
}

/// Totals since the start of simulation. A window is the difference of two of them.
struct LinkStatistics {
  std::uint64_t useful = 0;         ///< KV_DATA flits
  std::uint64_t duplicate = 0;      ///< KV_DATA flits that the home sent before (Packet::duplicate)
  std::uint64_t control = 0;        ///< KV_FETCH and PART flits
  std::uint64_t back_pressure = 0;  ///< cycles in which a flit was ready for the link and none left

  std::uint64_t kv_data() const { return useful + duplicate; }
  std::uint64_t flits() const { return useful + duplicate + control; }
  /// Cycles without a flit and without one that was ready, in a window of `cycles`.
  std::uint64_t idle(std::uint64_t cycles) const { return cycles - flits() - back_pressure; }

  LinkStatistics& operator+=(const LinkStatistics& o) {
    useful += o.useful;
    duplicate += o.duplicate;
    control += o.control;
    back_pressure += o.back_pressure;
    return *this;
  }
  friend LinkStatistics operator-(LinkStatistics a, const LinkStatistics& b) {
    a.useful -= b.useful;
    a.duplicate -= b.duplicate;
    a.control -= b.control;
    a.back_pressure -= b.back_pressure;
    return a;
  }
};

}  // namespace meshkv::noc
