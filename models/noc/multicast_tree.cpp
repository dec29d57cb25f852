#include "models/noc/multicast_tree.h"

#include <algorithm>
#include <stdexcept>

#include "models/common/seed.h"

namespace meshkv::noc {
namespace {

void sort_unique(std::vector<NodeId>& nodes) {
  const auto not_ascending = [](NodeId a, NodeId b) { return a >= b; };
  if (std::adjacent_find(nodes.begin(), nodes.end(), not_ascending) == nodes.end()) return;
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

bool between(int v, int a, int b) {
  return a <= b ? (a <= v && v <= b) : (b <= v && v <= a);
}

}  // namespace

MulticastTree::MulticastTree(const MeshShape& mesh, NodeId root, std::vector<NodeId> destinations)
    : mesh_(mesh), root_(root), destinations_(std::move(destinations)) {
  if (destinations_.empty()) throw std::invalid_argument("multicast tree without destinations");
  sort_unique(destinations_);
  if (root_ >= mesh_.nodes() || destinations_.back() >= mesh_.nodes())
    throw std::invalid_argument("multicast tree: node outside the mesh");
  out_ports_.assign(static_cast<std::size_t>(mesh_.nodes()), 0);
  for (const NodeId to : destinations_) {
    for (NodeId at = root_;;) {
      const Port port = xy_route(mesh_, at, to);
      const std::uint8_t bit = port_bit(port);
      if (port != Port::kTile && (out_ports_[at] & bit) == 0) ++links_;
      out_ports_[at] = static_cast<std::uint8_t>(out_ports_[at] | bit);
      if (port == Port::kTile) break;
      at = mesh_.neighbour(at, port);
    }
  }
}

bool MulticastTree::passes(NodeId at, NodeId destination) const {
  const Coord a = mesh_.coord(at);
  const Coord r = mesh_.coord(root_);
  const Coord d = mesh_.coord(destination);
  return (a.y == r.y && between(a.x, r.x, d.x)) || (a.x == d.x && between(a.y, r.y, d.y));
}

std::vector<NodeId> MulticastTree::destinations_through(NodeId at) const {
  std::vector<NodeId> through;
  if (out_ports_[at] == 0) return through;
  for (const NodeId d : destinations_)
    if (passes(at, d)) through.push_back(d);
  return through;
}

bool MulticastTree::serves(NodeId at, NodeId destination) const {
  return passes(at, destination) &&
         std::binary_search(destinations_.begin(), destinations_.end(), destination);
}

const MulticastTree* TreeCache::get(NodeId root, std::vector<NodeId> destinations) {
  sort_unique(destinations);
  std::uint64_t key = mix64(root);
  for (const NodeId d : destinations) key = (key ^ d) * 0x9e3779b97f4a7c15ULL + (key >> 31);
  const auto range = trees_.equal_range(key);
  for (auto it = range.first; it != range.second; ++it)
    if (it->second->root() == root && it->second->destinations() == destinations) return it->second.get();
  auto tree = std::make_unique<MulticastTree>(mesh_, root, std::move(destinations));
  return trees_.emplace(key, std::move(tree))->second.get();
}

}  // namespace meshkv::noc
