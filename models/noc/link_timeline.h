// What each directed link of a mesh did over time, in a bounded number of slices: the totals are read at the
// slices' ends, so that the links themselves do nothing for it.
#pragma once

#include <vector>

#include "models/common/clock_domain.h"
#include "models/common/clock_observer.h"
#include "models/noc/link_statistics.h"
#include "models/noc/network_interface_module.h"
#include "models/noc/router.h"

namespace meshkv::noc {

/// A directed link: the output of a router's port (kTile: ejection), or an injection link of its interface.
struct LinkName {
  NodeId node = 0;
  Port port = Port::kTile;
  int injection = -1;  ///< index of the injection link; -1: a router's output
};

/// The links of a mesh in a fixed order: by node; its ports, then its injection links.
class LinkSet {
 public:
  /// Indexed by NodeId; both outlive this.
  LinkSet(const MeshShape& mesh, std::vector<const Router*> routers,
          std::vector<const NetworkInterface*> interfaces);
  const std::vector<LinkName>& names() const { return names_; }
  /// Totals of all cycles before `now`.
  LinkStatistics statistics(const LinkName& link, Cycle now) const;
  std::vector<LinkStatistics> statistics(Cycle now) const;
  const MeshShape& mesh() const { return mesh_; }
  const std::vector<const Router*>& routers() const { return routers_; }

 private:
  MeshShape mesh_;
  std::vector<const Router*> routers_;
  std::vector<const NetworkInterface*> interfaces_;
  std::vector<LinkName> names_;
};

/// Slices of equal length (the last may be shorter); when there would be too many, neighbours are merged. In
/// `lt` a link's cycles are counted when they are reserved, which may be a chunk before they come.
class LinkTimeline : public ClockObserver {
 public:
  /// `most_slices`: even, at least 2; at least half as many remain of a long run.
  LinkTimeline(ClockDomain& domain, LinkSet links, int most_slices);

  Cycle observe(Cycle now) override;
  /// The run's cycles are [0, end). To be called once, after the simulation.
  void finish(Cycle end);

  struct Snapshot {
    Cycle at;                            ///< end of a slice, not included
    std::vector<LinkStatistics> totals;  ///< of all cycles before, in the order of links().names()
  };
  const std::vector<Snapshot>& snapshots() const { return snapshots_; }
  const LinkSet& links() const { return links_; }

 private:
  static constexpr Cycle kFirstSliceCycles = 64;
  LinkSet links_;
  std::size_t most_;
  Cycle slice_cycles_ = kFirstSliceCycles;
  Cycle next_ = kFirstSliceCycles;
  std::vector<Snapshot> snapshots_;
};

}  // namespace meshkv::noc
