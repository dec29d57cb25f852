#include "models/mare/port_share.h"

#include <algorithm>

namespace meshkv::mare {

void PortShare::play(Cycle until) {
  while (!ring_.empty() && time_ <= until) {
    Member& m = ring_[first_];
    const std::uint32_t flits = packet(m);
    if (credit_ < flits) return;
    credit_ -= flits;
    m.left -= flits;
    const Cycle begun = time_;
    time_ += (flits + rate_ - 1) / rate_;
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
  ring_.insert(ring_.begin() + static_cast<std::ptrdiff_t>(first_), {&slice, flits, kNever});
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
  const std::uint64_t rounds = (m.left - 1) / packet_flits_;
  return (rounds * ring_.size() + turn) * packet_flits_;
}

Cycle PortShare::expected(const Slice& slice, Cycle now) {
  play(now);
  for (const Done& d : done_)
    if (d.slice == &slice) return d.at;
  std::size_t i = 0;
  while (ring_[i].slice != &slice) ++i;
  const std::size_t turn = i >= first_ ? i - first_ : i + ring_.size() - first_;
  return time_ + flits_before_last(ring_[i], turn) / rate_;
}

Cycle PortShare::next_leave() const {
  Cycle next = kNever;
  for (const Done& d : done_)
    if (d.until != kNever) next = std::min(next, d.leaves());
  if (ring_.empty()) return next;
  // The first to end has the fewest packets left, and among those is next in turn.
  std::uint32_t fewest = ~0U;
  std::size_t turn = 0;
  for (std::size_t n = 0, i = first_; n < ring_.size(); ++n) {
    const std::uint32_t packets = (ring_[i].left + packet_flits_ - 1) / packet_flits_;
    if (packets < fewest) {
      fewest = packets;
      turn = n;
    }
    if (++i == ring_.size()) i = 0;
  }
  const std::uint64_t first = ((fewest - 1) * std::uint64_t{ring_.size()} + turn) * packet_flits_;
  if (first < credit_) next = std::min(next, time_ + first / rate_);
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
