#include "models/mare/port_share.h"

#include <algorithm>

namespace meshkv::mare {

void PortShare::play_rounds(Cycle until) {
  const std::uint64_t members = ring_.size(), flits = members * packet_flits_;
  const Cycle turn = cycles_up(packet_flits_);
  std::uint64_t rounds = std::min<std::uint64_t>(credit_ / flits, (until - time_ + turn) / (members * turn));
  for (const Member& m : ring_) rounds = std::min<std::uint64_t>(rounds, m.turns - 1);
  if (rounds == 0) return;
  for (Member& m : ring_) {
    m.turns -= static_cast<std::uint32_t>(rounds);
    m.left -= static_cast<std::uint32_t>(rounds * packet_flits_);
  }
  credit_ -= rounds * flits;
  time_ += rounds * members * turn;
}

void PortShare::play(Cycle until) {
  if (ring_.empty() || time_ > until) return;
  // Worth its divisions where it replaces several turns.
  if (credit_ >= 2 * ring_.size() * packet_flits_) play_rounds(std::min(until, kNever / 2));
  while (!ring_.empty() && time_ <= until) {
    Member& m = ring_[first_];
    const std::uint32_t flits = packet(m);
    if (credit_ < flits) return;
    credit_ -= flits;
    m.left -= flits;
    --m.turns;
    const Cycle begun = time_;
    time_ += cycles_up(flits);
    if (m.left != 0) {
      if (++first_ == ring_.size()) first_ = 0;
      continue;
    }
    const bool whole = m.until != kNever;
    done_.push_back({m.slice, begun, m.until});
    ring_.erase(ring_.begin() + static_cast<std::ptrdiff_t>(first_));
    if (first_ == ring_.size()) first_ = 0;
    // It may have another chunk to join with, before the others go on.
    if (whole) return;
  }
}

void PortShare::join(Slice& slice, std::uint32_t flits, Cycle now) {
  play(now);
  if (ring_.empty()) time_ = std::max(time_, now);
  // Last in turn: in front of the one whose turn is next.
  ring_.insert(ring_.begin() + static_cast<std::ptrdiff_t>(first_),
               {&slice, flits, (flits + packet_flits_ - 1) / packet_flits_, kNever});
  if (++first_ == ring_.size()) first_ = 0;
}

void PortShare::serve(std::uint32_t flits, Cycle now) {
  play(now);
  if (ring_.empty() || credit_ < packet(ring_[first_])) time_ = std::max(time_, now);
  credit_ += flits;
}

void PortShare::sent(const Slice& slice, Cycle until) {
  for (Member& m : ring_)
    if (m.slice == &slice) m.until = until;
  for (Done& d : done_)
    if (d.slice == &slice) d.until = until;
}

std::uint64_t PortShare::flits_before_last(const Member& m, std::size_t turn) const {
  // Turns of `packet_flits_` for all: the few shorter last packets do not matter.
  return ((m.turns - 1) * std::uint64_t{ring_.size()} + turn) * packet_flits_;
}

Cycle PortShare::expected(const Slice& slice, Cycle now) {
  play(now);
  for (const Done& d : done_)
    if (d.slice == &slice) return d.at;
  std::size_t i = 0;
  while (ring_[i].slice != &slice) ++i;
  const std::size_t turn = i >= first_ ? i - first_ : i + ring_.size() - first_;
  return time_ + cycles_down(flits_before_last(ring_[i], turn));
}

Cycle PortShare::next_leave() const {
  Cycle next = kNever;
  for (const Done& d : done_)
    if (d.until != kNever) next = std::min(next, d.leaves());
  if (ring_.empty()) return next;
  // The first to end has the fewest turns left, and among those is next in turn.
  std::uint32_t fewest = ~0U;
  std::size_t first = first_;
  const auto look = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      if (ring_[i].turns >= fewest) continue;
      fewest = ring_[i].turns;
      first = i;
    }
  };
  look(first_, ring_.size());
  look(0, first_);
  const std::size_t turn = first >= first_ ? first - first_ : first + ring_.size() - first_;
  const std::uint64_t flits = flits_before_last(ring_[first], turn);
  if (flits < credit_) next = std::min(next, time_ + cycles_down(flits));
  return next;
}

PortShare::Left PortShare::leave(Cycle until) {
  play(until);
  for (auto d = done_.begin(); d != done_.end(); ++d) {
    if (d->until == kNever || d->leaves() > until) continue;
    const Left left{d->slice, d->leaves()};
    done_.erase(d);
    return left;
  }
  return {};
}

}  // namespace meshkv::mare
