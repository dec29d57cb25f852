#include "models/mare/port_share.h"

#include <algorithm>

namespace meshkv::mare {

void PortShare::play(Cycle until) {
  while (!ring_.empty() && time_ <= until) {
    Member m = ring_.front();
    const std::uint32_t flits = packet(m);
    if (credit_ < flits) return;
    ring_.pop_front();
    credit_ -= flits;
    m.left -= flits;
    const Cycle begun = time_;
    time_ += (flits + rate_ - 1) / rate_;
    if (m.left != 0) {
      ring_.push_back(m);
      continue;
    }
    done_.push_back({m.slice, begun, m.until});
    // It may have another chunk to join with, before the others go on.
    if (m.until != kNever) return;
  }
}

void PortShare::join(Slice& slice, std::uint32_t flits, Cycle now) {
  play(now);
  if (ring_.empty()) time_ = std::max(time_, now);
  ring_.push_back({&slice, flits, kNever});
}

void PortShare::serve(std::uint32_t flits, Cycle now) {
  play(now);
  if (ring_.empty() || credit_ < packet(ring_.front())) time_ = std::max(time_, now);
  credit_ += flits;
}

void PortShare::sent(const Slice& slice, Cycle until) {
  for (Member& m : ring_)
    if (m.slice == &slice) m.until = until;
  for (Done& d : done_)
    if (d.slice == &slice) d.until = until;
}

std::uint64_t PortShare::flits_before_last(std::size_t i) const {
  // Turns of `packet_flits_` for all: the few shorter last packets do not matter.
  const std::uint64_t rounds = (ring_[i].left - 1) / packet_flits_;
  return (rounds * ring_.size() + i) * packet_flits_;
}

Cycle PortShare::expected(const Slice& slice, Cycle now) {
  play(now);
  for (const Done& d : done_)
    if (d.slice == &slice) return d.at;
  std::size_t i = 0;
  while (ring_[i].slice != &slice) ++i;
  return time_ + flits_before_last(i) / rate_;
}

Cycle PortShare::next_leave() const {
  Cycle next = kNever;
  for (const Done& d : done_)
    if (d.until != kNever) next = std::min(next, d.leaves());
  std::uint64_t first = ~std::uint64_t{0};
  for (std::size_t i = 0; i < ring_.size(); ++i) first = std::min(first, flits_before_last(i));
  if (!ring_.empty() && first < credit_) next = std::min(next, time_ + first / rate_);
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
