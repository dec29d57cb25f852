// A directed link in lt: who has it when. Plain C++; one at each injection link and router output.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/common/reservation_calendar.h"
#include "models/noc/link_statistics.h"
#include "models/noc/noc_protocol.h"

namespace meshkv::noc {

/// KV_DATA and control packets (KV_FETCH, PART) have VCs of their own, so they share a link flit by flit:
/// each kind has a calendar of its own, a control packet that meets data is slowed down by a flit, and data
/// pays for the cycles that control flits took from it with a longer next transfer.
///
/// back_pressure counts the cycles in which a transfer has the link and its flits cannot go on downstream.
class alignas(64) LooseLink {
 public:
  /// The packet has links to itself, rather than shares them with such packets.
  static bool exclusive(const Packet& packet) {
    return packet.packet_class == PacketClass::kKvData && !packet.interleaved;
  }

  NocBlockingIf* next = nullptr;  ///< what the link leads to; null: nothing is bound

  /// Earliest start at or after `ready` of all flits of `packet`; counts them.
  Cycle reserve(const Packet& packet, Cycle ready, Cycle horizon) {
    const Cycle flits = packet.flits;
    if (packet.packet_class != PacketClass::kKvData) {
      control_flits_ += flits;
      return reserve_between(flits, ready, horizon);
    }
    (packet.duplicate ? duplicate_ : useful_) += flits;
    if (packet.interleaved) return reserve_between(flits, ready, horizon);
    const Cycle length = flits + debt_;
    debt_ = 0;
    return static_cast<Cycle>(
        data_.reserve_in_pieces(to_time(ready), to_time(length), kPieceFlits, to_time(horizon)));
  }
  /// The last flit of the packet that was given [start, start + flits) has left in cycle `left`, though it
  /// would have in cycle `due`, if nothing had been in its way: so long the packet has stood on the link.
  void hold(bool exclusive, Cycle start, Cycle flits, Cycle left, Cycle due) {
    // A stream that shares its port with others comes packet by packet, and takes up a wait that ends before
    // its next packet is due; the wait of a whole chunk would hide in the time that the chunk takes.
    const Cycle soonest = start + flits - 1;
    due = due <= soonest ? soonest
                         : soonest + (due - soonest) * kPieceFlits / std::max<Cycle>(flits, kPieceFlits);
    if (left <= due) return;
    const Cycle end = start + flits + (left - due);
    if (exclusive)
      back_pressure_ += static_cast<std::uint64_t>(data_.hold(to_time(start + flits), to_time(end)));
    else
      control_.hold(to_time(start + flits), to_time(end));
  }
  /// First cycle from which no data is reserved.
  Cycle data_free() const {
    return static_cast<Cycle>(std::max<ReservationCalendar::Time>(0, data_.last_end()));
  }

  LinkStatistics statistics() const { return {useful_, duplicate_, control_flits_, back_pressure_}; }

 private:
  static constexpr int kPieceFlits = 8;  // a packet
  static ReservationCalendar::Time to_time(Cycle c) { return static_cast<ReservationCalendar::Time>(c); }
  Cycle reserve_between(Cycle flits, Cycle ready, Cycle horizon) {
    const auto start = static_cast<Cycle>(control_.reserve(to_time(ready), to_time(flits), to_time(horizon)));
    if (!data_.busy(to_time(start))) return start;
    debt_ += flits;
    return start + 1;
  }

  // What a chunk of data touches is in the first cache line.
  Cycle debt_ = 0;  // control flits that went while data had the link
  std::uint64_t useful_ = 0;
  std::uint64_t duplicate_ = 0;
  std::uint64_t back_pressure_ = 0;
  ReservationCalendar data_;
  ReservationCalendar control_;
  std::uint64_t control_flits_ = 0;
};

}  // namespace meshkv::noc
