// How many transactions a port may have under way at once, where their times are known ahead (lt).
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <queue>
#include <vector>

#include "models/common/types.h"

namespace meshkv::memory {

/// Initiators run ahead of one another, so that a transaction may be asked for before others that are known
/// already begin.
class OutstandingLimit {
 public:
  explicit OutstandingLimit(int limit) : limit_(static_cast<std::size_t>(limit)) {}

  /// First cycle from `asked` on in which fewer than the limit are under way. `horizon`: nobody will ask for
  /// an earlier one.
  Cycle first_free(Cycle asked, Cycle horizon) {
    horizon_ = horizon;
    // As many as the limit can only be under way at `asked` if so many end later.
    if (latest_ends_.size() < limit_ || latest_ends_.top() <= asked) return asked;
    Cycle at = asked;
    for (;;) {
      std::size_t busy = 0;
      Cycle next = kNever;
      for (const Transaction& t : known_) {
        if (t.begin > at || t.end <= at) continue;
        ++busy;
        next = std::min(next, t.end);
      }
      if (busy < limit_) return at;
      at = next;
    }
  }
  void add(Cycle begin, Cycle end) {
    if (known_.size() >= room_) forget();
    known_.push_back({begin, end});
    latest_ends_.push(end);
    if (latest_ends_.size() > limit_) latest_ends_.pop();
  }

 private:
  struct Transaction {
    Cycle begin, end;
  };
  void forget() {
    known_.erase(
        std::remove_if(known_.begin(), known_.end(), [&](const Transaction& t) { return t.end <= horizon_; }),
        known_.end());
    room_ = std::max<std::size_t>(64, 2 * known_.size());
  }

  std::size_t limit_;
  std::size_t room_ = 64;
  Cycle horizon_ = 0;
  std::vector<Transaction> known_;  // and some that have ended
  std::priority_queue<Cycle, std::vector<Cycle>, std::greater<>> latest_ends_;
};

}  // namespace meshkv::memory
