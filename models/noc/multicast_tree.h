// XY-based multicast trees (paper section VI: "XYM spanning tree"): the union of the XY paths from the root
// to every destination. Each directed link is in the tree at most once, so a payload crosses a link at most
// once per tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "models/common/types.h"

namespace meshkv::noc {

/// Immutable; shared by all packets that travel on it. Its address is stable while any shared_ptr lives.
class MulticastTree {
 public:
  /// `destinations`: at least one node, may contain the root, duplicates are merged. Throws
  /// std::invalid_argument for an empty list or a node outside the mesh.
  MulticastTree(const MeshShape& mesh, NodeId root, std::vector<NodeId> destinations);

  NodeId root() const { return root_; }
  const std::vector<NodeId>& destinations() const { return destinations_; }  ///< sorted, unique
  /// Bits of Port by which a packet leaves router `at` (kTile: it is delivered there); 0 outside the tree.
  std::uint8_t out_ports(NodeId at) const { return out_ports_[at]; }
  const std::uint8_t* out_ports_data() const { return out_ports_.data(); }
  /// Directed router-to-router links in the tree.
  int links() const { return links_; }
  /// Flit-hops of one flit: tree links, one injection link and one ejection link per destination (DESIGN
  /// section 11).
  int flit_hops() const { return links_ + 1 + static_cast<int>(destinations_.size()); }
  /// True iff the XY path from the root to `destination` passes router `at` (both ends included).
  bool passes(NodeId at, NodeId destination) const;
  /// Destinations whose path from the root passes router `at` (sorted).
  std::vector<NodeId> destinations_through(NodeId at) const;
  /// True iff `destination` is one of destinations_through(at); allocates nothing.
  bool serves(NodeId at, NodeId destination) const;

 private:
  MeshShape mesh_;
  NodeId root_;
  std::vector<NodeId> destinations_;
  std::vector<std::uint8_t> out_ports_;
  int links_ = 0;
};

/// Trees by (root, destinations): a decode step uses few distinct ones, millions of times. The key is a hash
/// of the sorted destinations; the trees themselves hold them, so equality costs no second copy.
class TreeCache {
 public:
  explicit TreeCache(const MeshShape& mesh) : mesh_(mesh) {}
  /// Same set (in any order, with or without repetitions): same pointer, valid as long as the cache lives.
  const MulticastTree* get(NodeId root, std::vector<NodeId> destinations);
  std::size_t size() const { return trees_.size(); }

 private:
  MeshShape mesh_;
  std::unordered_multimap<std::uint64_t, std::unique_ptr<MulticastTree>> trees_;
};

}  // namespace meshkv::noc
