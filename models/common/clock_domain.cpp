#include "models/common/clock_domain.h"

#include <algorithm>
#include <string>
#include <utility>

namespace meshkv {

ClockDomain::ClockDomain(sc_core::sc_module_name name, sc_core::sc_time period)
    : sc_module(name),
      period_(period),
      by_period_(std::max<std::uint64_t>(1, period.value())),
      wake_event_("wake") {
  if (period.value() == 0) SC_REPORT_FATAL(this->name(), "the clock period is zero");
  SC_HAS_PROCESS(ClockDomain);
  SC_METHOD(run);
  sensitive << wake_event_;
  dont_initialize();
}

ClockDomain::~ClockDomain() = default;

int ClockDomain::reserve(int count) {
  const std::size_t id = members_.size();
  members_.resize(id + static_cast<std::size_t>(count));
  const std::size_t words = (members_.size() + 63) / 64;
  if (words != words_) {
    std::vector<std::uint64_t> wider(kHorizon * words, 0);
    for (std::size_t slot = 0; slot < kHorizon; ++slot)
      for (std::size_t w = 0; w < words_; ++w) wider[slot * words + w] = ring_[slot * words_ + w];
    ring_ = std::move(wider);
    words_ = words;
  }
  return static_cast<int>(id);
}

void ClockDomain::wake_slow(int id, Cycle at) {
  const Cycle present = now();
  const bool too_early = processing_ ? at <= present : at < present || (ran_ && at <= now_);
  if (too_early) {
    // A caller outside the domain may name the edge that has just been processed: it is served by the next.
    if (!processing_ && at == present) {
      at = present + 1;
    } else {
      SC_REPORT_FATAL(name(), ("wake for cycle " + std::to_string(at) + ", which is past (now " +
                               std::to_string(present) + ")")
                                  .c_str());
      return;
    }
  }
  // The ring is relative to the last processed cycle, so that its slots cannot be mistaken for later ones.
  const Cycle base = processing_ || ran_ ? now_ : 0;
  if (at - base < kHorizon) {
    set(id, at % kHorizon);
  } else {
    far_.emplace(at, id);
  }
  if (!processing_) arm(at);
}

void ClockDomain::arm(Cycle at) {
  if (at >= armed_) return;
  armed_ = at;
  const sc_core::sc_time when = to_time(at);
  const sc_core::sc_time present = sc_core::sc_time_stamp();
  // An earlier notification replaces a later one.
  wake_event_.notify(when > present ? when - present : sc_core::SC_ZERO_TIME);
}

Cycle ClockDomain::next_cycle(Cycle after) const {
  Cycle next = far_.empty() ? kNever : far_.top().first;
  if (busy_slots_ != 0) {
    const unsigned shift = static_cast<unsigned>((after + 1) % kHorizon);
    const std::uint64_t rotated =
        shift == 0 ? busy_slots_ : (busy_slots_ >> shift) | (busy_slots_ << (kHorizon - shift));
    const Cycle near = after + 1 + static_cast<Cycle>(__builtin_ctzll(rotated));
    if (near < next) next = near;
  }
  return next;
}

void ClockDomain::pull_far(Cycle cycle) {
  while (!far_.empty() && far_.top().first == cycle) {
    set(far_.top().second, cycle % kHorizon);
    far_.pop();
  }
}

namespace {

/// The first lines of a member: where those that are called most keep what every tick reads.
void prefetch(const Clocked* member) {
  const auto* line = reinterpret_cast<const char*>(member);
  for (int k = 0; k < 5; ++k) __builtin_prefetch(line + 64 * k);
}

}  // namespace

void ClockDomain::add_observer(ClockObserver& observer, Cycle from) {
  observers_.emplace_back(from, &observer);
  observe_at_ = std::min(observe_at_, from);
}

void ClockDomain::call_observers(Cycle cycle) {
  observe_at_ = kNever;
  for (auto& [at, observer] : observers_) {
    if (at <= cycle) at = observer->observe(cycle);
    observe_at_ = std::min(observe_at_, at);
  }
}

void ClockDomain::process(Cycle cycle) {
  if (cycle >= observe_at_) call_observers(cycle);
  now_ = cycle;
  processing_ = true;
  pull_far(cycle);
  busy_slots_ &= ~(std::uint64_t{1} << (cycle % kHorizon));
  std::uint64_t* words = ring_.data() + cycle % kHorizon * words_;
  std::uint64_t ticks = 0;
  for (std::size_t w = 0; w < words_; ++w) {
    std::uint64_t bits = words[w];
    words[w] = 0;
    Clocked* const* members = members_.data() + w * 64;
    while (bits != 0) {
      Clocked* const member = members[__builtin_ctzll(bits)];
      bits &= bits - 1;
      // What a tick costs is mostly cache misses, and who comes next is known.
      if (bits != 0) prefetch(members[__builtin_ctzll(bits)]);
      member->tick(cycle);
      ++ticks;
    }
  }
  statistics_.ticks += ticks;
  processing_ = false;
  ran_ = true;
}

void ClockDomain::run() {
  ++statistics_.activations;
  const Cycle cycle = edge_before(sc_core::sc_time_stamp());
  armed_ = kNever;
  process(cycle);
  const Cycle next = next_cycle(cycle);
  if (next != kNever) arm(next);
}

}  // namespace meshkv
