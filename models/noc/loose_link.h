// A directed link in lt: who has it when. Plain C++; one at each injection link and router output.
#pragma once

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
/// back_pressure counts the cycles in which a transfer has the link and its flits cannot go on downstream.
class LooseLink {
 public:
  NocForwardIf* next = nullptr;  ///< what the link leads to; null: nothing is bound

  /// Earliest start at or after `ready` of all flits of `packet`; counts them.
  Cycle reserve(const Packet& packet, Cycle ready, Cycle horizon) {
    const Cycle flits = packet.flits;
    flits_[static_cast<unsigned>(flit_kind(packet))] += flits;
    if (packet.packet_class != PacketClass::kKvData) return reserve_control(flits, ready, horizon);
    const Cycle length = flits + debt_;
    debt_ = 0;
    return static_cast<Cycle>(data_.reserve(signed_time(ready), signed_time(length), signed_time(horizon)));
  }
  /// The packet that was given [start, start + flits) has the link until the cycle before `end`.
  void hold(bool data, Cycle start, Cycle flits, Cycle end) {
    if (end <= start + flits) return;
    const auto added = (data ? data_ : control_).hold(signed_time(start + flits), signed_time(end));
    if (data) back_pressure_ += static_cast<std::uint64_t>(added);
  }
  /// First cycle from which no data is reserved.
  Cycle data_free() const { return static_cast<Cycle>(data_.last_end()); }

  LinkStatistics statistics() const { return {flits_[0], flits_[1], flits_[2], back_pressure_}; }

 private:
  static ReservationCalendar::Time signed_time(Cycle c) { return static_cast<ReservationCalendar::Time>(c); }
  Cycle reserve_control(Cycle flits, Cycle ready, Cycle horizon) {
    const auto start =
        static_cast<Cycle>(control_.reserve(signed_time(ready), signed_time(flits), signed_time(horizon)));
    if (!data_.busy(signed_time(start))) return start;
    debt_ += flits;
    return start + 1;
  }

  ReservationCalendar data_;
  ReservationCalendar control_;
  Cycle debt_ = 0;  // control flits that went while data had the link
  std::array<std::uint64_t, kFlitKinds> flits_{};
  std::uint64_t back_pressure_ = 0;
};

/// Cycles of the b_transport chain that is under way. A delay is annotated as sc_time, and whoever receives
/// it would have to divide by the period; here the sender leaves the cycle that it meant, and the receiver
/// only checks that the delay still says so (a module in between may have prolonged it).
class LooseClock {
 public:
  explicit LooseClock(const sc_core::sc_time& period) : period_(period.value()) {}

  /// A chain begins in the kernel's present, which lies in cycle `now`.
  void begin(Cycle now) {
    base_ = sc_core::sc_time_stamp().value();
    now_ = now;
  }
  Cycle now() const { return now_; }
  /// The delay until `at`, from now.
  sc_core::sc_time delay(Cycle at) {
    meant_ = at;
    return sc_core::sc_time::from_value(at * period_ - base_);
  }
  /// First cycle at or after the end of a delay that was passed.
  Cycle cycle(const sc_core::sc_time& delay) const {
    const sc_dt::uint64 value = base_ + delay.value();
    return value == meant_ * period_ ? meant_ : (value + period_ - 1) / period_;
  }

 private:
  sc_dt::uint64 period_;
  sc_dt::uint64 base_ = 0;
  Cycle now_ = 0;
  Cycle meant_ = 0;
};

}  // namespace meshkv::noc
