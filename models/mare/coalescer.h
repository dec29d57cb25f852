// Coalescing window of a home (paper section VI, equation 5): requests for the same block that arrive within
// W_coal cycles of the first one are merged into one multicast. No SystemC; one object a home.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/types.h"
#include "models/mare/head_mask.h"

namespace meshkv::mare {

/// A KV_FETCH as its home sees it.
struct Request {
  int layer = 0;
  int segment = 0;  ///< segment slot
  NodeId requester = kNoNode;
  HeadMask heads;
};

/// Who wants the lines of one group.
struct GroupDestinations {
  int group = 0;
  std::vector<NodeId> tiles;  ///< sorted, unique
};

/// What a window collected.
struct ClosedWindow {
  int layer = 0;
  int segment = 0;
  Cycle opened = 0;  ///< arrival of the first request
  Cycle closes = 0;  ///< opened + W_coal: no request of this cycle or a later one is in it
  int requests = 0;
  HeadMask heads;                         ///< M(l, s): the OR of the requests' masks
  std::vector<GroupDestinations> groups;  ///< ascending, none empty
};

class Coalescer {
 public:
  /// `window_cycles`: W_coal; with 0 nothing merges. `heads_per_line`: KV heads that share a line, at
  /// least 1.
  Coalescer(int window_cycles, int heads_per_line);

  struct Added {
    bool opened;   ///< a new window: ask for take_closed(closes)
    Cycle closes;  ///< when the request's window closes
  };
  /// Takes a request at cycle `now`, its arrival. It merges into a window of the same block that has not
  /// closed by then. (In `lt` requests may come out of order; one that is earlier than its window's first
  /// merges too, and the window closes when it would have.)
  Added add(const Request& request, Cycle now);

  /// Windows with closes <= now, by closing cycle, then in the order of opening. Removes them.
  std::vector<ClosedWindow> take_closed(Cycle now);

  /// Earliest closing cycle of the open windows; kNever if there is none.
  Cycle next_close() const;
  bool empty() const { return windows_.empty(); }

  struct Statistics {
    std::uint64_t requests = 0;
    std::uint64_t merged = 0;   ///< requests that found their window open
    std::uint64_t windows = 0;  ///< = requests - merged
    double coalesced_fraction() const {
      return requests == 0 ? 0.0 : static_cast<double>(merged) / static_cast<double>(requests);
    }
  };
  const Statistics& statistics() const { return statistics_; }

 private:
  void merge(ClosedWindow& window, const Request& request) const;

  Cycle window_cycles_;
  int heads_per_line_;
  std::vector<ClosedWindow> windows_;  // in the order of opening; a home has few at a time
  Statistics statistics_;
};

}  // namespace meshkv::mare
