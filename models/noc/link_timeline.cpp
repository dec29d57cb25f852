#include "models/noc/link_timeline.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace meshkv::noc {

LinkSet::LinkSet(const MeshShape& mesh, std::vector<const Router*> routers,
                 std::vector<const NetworkInterface*> interfaces)
    : mesh_(mesh), routers_(std::move(routers)), interfaces_(std::move(interfaces)) {
  for (int n = 0; n < mesh.nodes(); ++n) {
    const auto node = static_cast<NodeId>(n);
    for (int p = 0; p < kPorts; ++p) {
      const auto port = static_cast<Port>(p);
      if (port == Port::kTile || mesh.neighbour(node, port) != kNoNode) names_.push_back({node, port, -1});
    }
    for (int k = 0; k < interfaces_[node]->injection_ports(); ++k) names_.push_back({node, Port::kTile, k});
  }
}

LinkStatistics LinkSet::statistics(const LinkName& link, Cycle now) const {
  return link.injection < 0 ? routers_[link.node]->port(link.port).statistics(now)
                            : interfaces_[link.node]->injection_statistics(link.injection, now);
}

std::vector<LinkStatistics> LinkSet::statistics(Cycle now) const {
  std::vector<LinkStatistics> all;
  all.reserve(names_.size());
  for (const LinkName& link : names_) all.push_back(statistics(link, now));
  return all;
}

LinkTimeline::LinkTimeline(ClockDomain& domain, LinkSet links, int most_slices)
    : links_(std::move(links)), most_(static_cast<std::size_t>(most_slices)) {
  if (most_slices < 2 || most_slices % 2 != 0)
    throw std::invalid_argument("a timeline has an even number of slices, at least 2");
  domain.add_observer(*this, next_);
}

Cycle LinkTimeline::observe(Cycle now) {
  while (next_ <= now) {
    snapshots_.push_back({next_, links_.statistics(next_)});
    if (snapshots_.size() == most_) {
      for (std::size_t i = 0; i < most_ / 2; ++i) snapshots_[i] = std::move(snapshots_[2 * i + 1]);
      snapshots_.resize(most_ / 2);
      slice_cycles_ *= 2;
    }
    next_ += slice_cycles_;
  }
  return next_;
}

void LinkTimeline::finish(Cycle end) {
  while (!snapshots_.empty() && snapshots_.back().at >= end) snapshots_.pop_back();
  snapshots_.push_back({end, links_.statistics(end)});
}

}  // namespace meshkv::noc
