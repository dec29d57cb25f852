// A directed link in lt: who has it when. Plain C++; one at each injection link and router output.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "models/common/reservation_calendar.h"
#include "models/noc/link_statistics.h"
#include "models/noc/noc_protocol.h"

namespace meshkv::noc {

/// KV_DATA and control packets (KV_FETCH, PART) have VCs of their own, so they share a link flit by flit:
/// each kind has a calendar of its own, a control packet that meets data is slowed down by a flit, and data
/// pays for the cycles that control flits took from it with a longer next transfer.
///
/// A router's inputs take turns at its output, packet by packet, however long their queues are: flows that
/// join late on a way get more than those from its beginning, which is what puts tiles out of step.
///
/// back_pressure counts the cycles in which a transfer has the link and its flits cannot go on downstream.
class alignas(64) LooseLink {
 public:
  /// The packet has links to itself, rather than shares them with such packets.
  static bool exclusive(const Packet& packet) {
    return packet.packet_class == PacketClass::kKvData && !packet.interleaved;
  }

  NocBlockingIf* next = nullptr;  ///< what the link leads to; null: nothing is bound

  /// Earliest start at or after `ready` of all flits of `packet`, which comes by the router's input `from`;
  /// counts them.
  Cycle reserve(const Packet& packet, unsigned from, Cycle ready, Cycle horizon) {
    const Cycle flits = packet.flits;
    if (packet.packet_class != PacketClass::kKvData) {
      control_flits_ += flits;
      return reserve_between(flits, ready, horizon);
    }
    (packet.duplicate ? duplicate_ : useful_) += flits;
    if (packet.interleaved) return reserve_between(flits, ready, horizon);
    const Cycle length = flits + debt_;
    debt_ = 0;
    return reserve_data(length, from, ready, horizon);
  }
  /// The last flit of the packet that was given [start, start + flits) has left in cycle `left`: until then
  /// it stands on the link. Of a slice that comes packet by packet in turn with others, the packets' waits
  /// add up to the same.
  void hold(bool exclusive, Cycle start, Cycle flits, Cycle left) {
    if (left < start + flits) return;
    if (exclusive)
      back_pressure_ += static_cast<std::uint64_t>(data_.hold(to_time(start + flits), to_time(left + 1)));
    else
      control_.hold(to_time(start + flits), to_time(left + 1));
  }
  /// First cycle from which no data is reserved.
  Cycle data_free() const {
    return static_cast<Cycle>(std::max<ReservationCalendar::Time>(0, data_.last_end()));
  }

  LinkStatistics statistics() const { return {useful_, duplicate_, control_flits_, back_pressure_}; }

 private:
  static constexpr int kPieceFlits = 8;  // a packet
  static ReservationCalendar::Time to_time(Cycle c) { return static_cast<ReservationCalendar::Time>(c); }
  /// A transfer that comes while others have the link for long does not wait until they are through: in turn
  /// with each other input it waits for as much as it has itself. What it overtakes cannot be moved any more,
  /// so that who comes next by that input pays.
  Cycle reserve_data(Cycle flits, unsigned from, Cycle ready, Cycle horizon) {
    Cycle start = 0;
    if (data_.in_last(to_time(ready))) {
      const Cycle first = std::max(ready, ends_[from]);
      Cycle turns = 0;
      for (unsigned other = 0; other < kPorts; ++other) {
        if (other == from || ends_[other] <= first) continue;
        const Cycle wait = ends_[other] - first;
        turns += std::min(flits, wait);
        if (wait > flits) ends_[other] += flits;  // overtaken
      }
      start = first + std::min(turns, std::max(first, data_free()) - first);
      data_.prolong_last(to_time(flits));
    } else {
      start = static_cast<Cycle>(
          data_.reserve_in_pieces(to_time(ready), to_time(flits), kPieceFlits, to_time(horizon)));
    }
    ends_[from] = std::max(ends_[from], start + flits);
    return start;
  }
  Cycle reserve_between(Cycle flits, Cycle ready, Cycle horizon) {
    const auto start = static_cast<Cycle>(control_.reserve(to_time(ready), to_time(flits), to_time(horizon)));
    if (!data_.busy(to_time(start))) return start;
    debt_ += flits;
    return start + 1;
  }

  // What a chunk of data touches is in the first two cache lines.
  Cycle debt_ = 0;  // control flits that went while data had the link
  ReservationCalendar data_;
  std::array<Cycle, kPorts> ends_{};  // by input: the end of its last data
  std::uint64_t useful_ = 0;
  std::uint64_t duplicate_ = 0;
  std::uint64_t back_pressure_ = 0;
  ReservationCalendar control_;
  std::uint64_t control_flits_ = 0;
};

}  // namespace meshkv::noc
