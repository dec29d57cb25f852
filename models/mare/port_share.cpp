#include "models/mare/port_share.h"

#include <algorithm>

namespace meshkv::mare {

void PortShare::pass(std::uint64_t turns) {
  credit_ -= turns * packet_flits_;
  time_ += turns * cycles_up(packet_flits_);
  first_ += turns;
  if (first_ < ring_.size()) return;
  round_ += first_ / ring_.size();
  first_ %= ring_.size();
}

void PortShare::find_ending() {
  ending_ = 0;
  for (std::size_t i = 1; i < ring_.size(); ++i)
    if (ring_[i].last_round < ring_[ending_].last_round) ending_ = i;
}

void PortShare::remove_first() {
  ring_.erase(ring_.begin() + static_cast<std::ptrdiff_t>(first_));
  if (first_ == ring_.size()) {
    first_ = 0;
    ++round_;
  }
  find_ending();
}

void PortShare::play(Cycle until) {
  while (!ring_.empty() && time_ <= until) {
    const Cycle turn = cycles_up(packet_flits_);
    const std::uint64_t before = turns_before_last(ending_);
    std::uint64_t turns = before;
    if (turns * packet_flits_ > credit_) turns = credit_ / packet_flits_;
    if (turns != 0 && (turns - 1) * turn > until - time_) turns = (until - time_) / turn + 1;
    pass(turns);
    if (turns < before || time_ > until) return;
    const Member& m = ring_[first_];
    if (credit_ < m.last_flits) return;
    credit_ -= m.last_flits;
    const bool whole = m.until != kNever;
    done_.push_back({m.slice, time_, m.until});
    time_ += cycles_up(m.last_flits);
    remove_first();
    // It may have another chunk to join with, before the others go on.
    if (whole) return;
  }
}

void PortShare::join(Slice& slice, std::uint32_t flits, Cycle now) {
  play(now);
  if (ring_.empty()) time_ = std::max(time_, now);
  const std::uint32_t turns = (flits + packet_flits_ - 1) / packet_flits_;
  // Last in turn: in front of the one whose turn is next, as if it had just had one.
  const Member member{&slice, round_ + turns, kNever, flits - (turns - 1) * packet_flits_};
  ring_.insert(ring_.begin() + static_cast<std::ptrdiff_t>(first_), member);
  if (++first_ == ring_.size()) {
    first_ = 0;
    ++round_;
  }
  find_ending();
}

void PortShare::serve(std::uint32_t flits, Cycle now) {
  play(now);
  const bool ends = !ring_.empty() && turns_before_last(ending_) == 0;
  const std::uint64_t next = ends ? ring_[ending_].last_flits : packet_flits_;
  if (ring_.empty() || credit_ < next) time_ = std::max(time_, now);
  credit_ += flits;
}

void PortShare::sent(const Slice& slice, Cycle until) {
  for (Member& m : ring_)
    if (m.slice == &slice) m.until = until;
  for (Done& d : done_)
    if (d.slice == &slice) d.until = until;
}

Cycle PortShare::expected(const Slice& slice, Cycle now) {
  play(now);
  for (const Done& d : done_)
    if (d.slice == &slice) return d.at;
  std::size_t i = 0;
  while (ring_[i].slice != &slice) ++i;
  // Turns of whole packets for all: the few shorter last packets do not matter.
  return time_ + cycles_down(turns_before_last(i) * packet_flits_);
}

Cycle PortShare::next_leave() const {
  Cycle next = kNever;
  for (const Done& d : done_)
    if (d.until != kNever) next = std::min(next, d.leaves());
  if (ring_.empty()) return next;
  const std::uint64_t flits = turns_before_last(ending_) * packet_flits_;
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
