// How many transactions a port may have under way at once, where their times are known ahead (lt).
#pragma once

#include <algorithm>
#include <cstddef>
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
    if (known_.size() < limit_) return asked;
    Cycle at = asked;
    // As many as the limit can only be under way if so many end later.
    while (known_[known_.size() - limit_].end > at) {
      std::size_t busy = 0;
      Cycle next = at;
      for (auto t = known_.rbegin(); t != known_.rend() && t->end > at; ++t) {
        if (t->begin > at) continue;
        ++busy;
        next = t->end;
      }
      if (busy < limit_) break;
      at = next;
    }
    return at;
  }
  void add(Cycle begin, Cycle end) {
    if (known_.size() >= room_) forget();
    auto after = known_.end();
    while (after != known_.begin() && (after - 1)->end > end) --after;
    known_.insert(after, {begin, end});
  }

 private:
  struct Transaction {
    Cycle begin, end;
  };
  void forget() {
    known_.erase(known_.begin(), std::find_if(known_.begin(), known_.end(),
                                              [&](const Transaction& t) { return t.end > horizon_; }));
    room_ = std::max<std::size_t>(64, 2 * known_.size());
  }

  std::size_t limit_;
  std::size_t room_ = 64;
  Cycle horizon_ = 0;
  std::vector<Transaction> known_;  // in the order of their ends; and some that have ended
};

}  // namespace meshkv::memory
