// When a slice's chunk leaves by an injection port that several slices share packet by packet in turn, while
// lt's transfers carry whole chunks one after the other. Plain C++, no events: turns are played when asked.
#pragma once

#include <vector>

#include "models/common/types.h"

namespace meshkv::mare {

struct Slice;

class PortShare {
 public:
  /// `rate`: flits that the port serves in a cycle.
  explicit PortShare(int rate = 1, int packet_flits = 8)
      : rate_(static_cast<unsigned>(rate)), packet_flits_(static_cast<unsigned>(packet_flits)) {}

  /// The slice has a chunk of `flits` to send, from `now` on: it gets its turns after all others.
  void join(Slice& slice, std::uint32_t flits, Cycle now);
  /// The port takes on `flits` of a member at `now`: so much can be served from then on, whosever it is.
  void serve(std::uint32_t flits, Cycle now);
  /// A member's chunk has been taken on whole; its last packet cannot begin to leave before `until`.
  void sent(const Slice& slice, Cycle until);
  /// When the last packet of the member's chunk will begin to leave, if the others stay as they are.
  Cycle expected(const Slice& slice, Cycle now);

  struct Left {
    Slice* slice = nullptr;  ///< null: nobody
    Cycle at = 0;            ///< the chunk's last packet begins to leave
  };
  /// Takes out the first member whose last packet begins to leave by cycle `until`.
  Left leave(Cycle until);
  /// The cycle to call leave() for; kNever while it depends on what the port takes on next.
  Cycle next_leave() const;
  bool empty() const { return ring_.empty() && done_.empty(); }

 private:
  /// Turns are counted in rounds: members that stay need nothing done when others have theirs.
  struct Member {
    Slice* slice;
    std::uint64_t last_round;  ///< in which it has its last turn
    Cycle until;               ///< kNever: not taken on whole
    std::uint32_t last_flits;  ///< of its last packet
  };
  struct Done {
    Slice* slice;
    Cycle at;
    Cycle until;
    Cycle leaves() const { return until == kNever || at > until ? at : until; }
  };
  /// Plays the turns that begin by `until`, or to the next member's last.
  void play(Cycle until);
  /// Plays `turns` of whole packets, none of them anybody's last.
  void pass(std::uint64_t turns);
  /// The member whose turn it is has had its last one.
  void remove_first();
  void find_ending();
  /// Turns that come before the last one of the member at `index`.
  std::uint64_t turns_before_last(std::size_t index) const {
    return (ring_[index].last_round - round_) * ring_.size() + index - first_;
  }

  /// Cycles in which the port serves `flits`, rounded up or down. It has one injection link or two; divisions
  /// would be most of what a turn costs.
  Cycle cycles_up(std::uint64_t flits) const { return rate_ == 1 ? flits : (flits + 1) >> 1; }
  Cycle cycles_down(std::uint64_t flits) const { return rate_ == 1 ? flits : flits >> 1; }

  unsigned rate_;  // 1 or 2
  unsigned packet_flits_;
  Cycle time_ = 0;            ///< the next turn begins
  std::uint64_t credit_ = 0;  ///< flits that the port has taken on, and that are nobody's yet
  std::vector<Member> ring_;  ///< in the order of turns, from `first_` on, around
  std::size_t first_ = 0;     ///< whose turn is next
  std::uint64_t round_ = 0;   ///< of that turn; members before first_ have their next one in round_ + 1
  std::size_t ending_ = 0;    ///< who has the last turn first
  std::vector<Done> done_;    ///< have had their last turn
};

}  // namespace meshkv::mare
