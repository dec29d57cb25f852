// End-to-end scoreboard (DESIGN section 6): every requester receives every payload that it asked for, exactly
// once after filtering. Kept outside the modules that it judges: they only report what they sent, got and
// dropped.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/common/types.h"
#include "models/noc/packet.h"

namespace meshkv {

struct ScoreboardStatistics {
  std::uint64_t requested = 0;     ///< payload flits that requesters asked for (flits times requesters)
  std::uint64_t delivered = 0;     ///< accepted for the first time
  std::uint64_t filtered = 0;      ///< second copies that the requester's interface dropped
  std::uint64_t duplicated = 0;    ///< second copies that were accepted: always a defect
  std::uint64_t lost = 0;          ///< requested and never accepted (known at the end)
  std::uint64_t misdelivered = 0;  ///< payloads for somebody who did not ask: always a defect
  std::uint64_t checksum = 0;      ///< order-independent sum over (payload, requester)
};

/// One requester's view: which packets of the slices that it asked for have been accepted.
class Scoreboard {
 public:
  Scoreboard(int packet_flits) : packet_flits_(static_cast<std::uint32_t>(packet_flits)) {}

  /// `requester` asks for `flits` flits of the slice (key.index unused).
  void expect(NodeId requester, const noc::PayloadKey& slice, std::uint32_t flits);
  /// `flits` flits, the first of them being packet `key.index`, have been accepted.
  void accept(NodeId requester, const noc::PayloadKey& key, std::uint32_t flits);
  /// A copy has been dropped by the requester's interface; it must have been accepted before.
  void filter(NodeId requester, const noc::PayloadKey& key, std::uint32_t flits);
  /// The requester has done with the slice: everything must have come. Forgets the bitmap.
  void close(NodeId requester, const noc::PayloadKey& slice);

  /// Counts what is still open as lost. Call once, at the end.
  void finish();
  const ScoreboardStatistics& statistics() const { return statistics_; }
  /// First violation in words (who, what); empty if none.
  const std::string& first_violation() const { return first_violation_; }
  bool clean() const {
    return statistics_.lost == 0 && statistics_.duplicated == 0 && statistics_.misdelivered == 0 &&
           first_violation_.empty();
  }

 private:
  struct Entry {
    std::uint32_t flits = 0;
    std::uint32_t accepted = 0;
    boost::container::small_vector<std::uint64_t, 4> seen;  ///< a bit a packet
  };
  struct SliceId {
    NodeId requester;
    std::uint16_t layer, group;
    std::uint32_t segment;
    bool operator==(const SliceId& o) const {
      return requester == o.requester && layer == o.layer && group == o.group && segment == o.segment;
    }
  };
  struct SliceHash {
    std::size_t operator()(const SliceId& s) const;
  };
  /// The slice's entry, which is new unless it has flits.
  Entry& open(const SliceId& slice);
  Entry* find(NodeId requester, const noc::PayloadKey& key);
  void violate(NodeId requester, const noc::PayloadKey& key, const char* what);

  std::uint32_t packet_flits_;
  using Open = std::unordered_map<SliceId, Entry, SliceHash>;
  Open open_;
  std::vector<Open::node_type> spare_;  ///< places of slices that were closed, to use again
  ScoreboardStatistics statistics_;
  std::string first_violation_;
};

}  // namespace meshkv
