// In-router duplicate filter (paper section VI, Table II): a few exact tags of payloads in flight behind a
// bloom prefilter. One filter a router; no SystemC.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/types.h"
#include "models/noc/multicast_tree.h"
#include "models/noc/packet.h"

namespace meshkv::mare {

struct TagFilterConfig {
  int tags = 16;                  ///< exact tags; 0: nothing is ever suppressed
  int bloom_bits = 256;           ///< prefilter width, at least 1
  int bloom_refresh_cycles = 96;  ///< W_b: the bloom is cleared at multiples of this cycle count
};

/// Answers one question: did this router already forward the same payload towards EVERY destination that the
/// copy at hand would serve? Only then may the copy be dropped. The paper tags (segment, layer) alone; that
/// would starve a requester that was in no earlier tree, so a tag here also names the destinations served
/// (DESIGN section 6, third invariant). Whatever the filter has forgotten (bloom cleared, tag replaced) is
/// forwarded, never dropped.
///
/// Trees are kept by pointer: they must outlive the filter (a TreeCache does).
class TagFilter {
 public:
  explicit TagFilter(const TagFilterConfig& config);

  /// True iff an exact tag says that `key` already went to every destination that this copy serves from
  /// router `here`: those of `tree` whose path passes `here`, or `unicast_dst` where `tree` is null.
  bool covered(const noc::PayloadKey& key, const noc::MulticastTree* tree, NodeId unicast_dst, NodeId here,
               Cycle now);

  /// The copy is being forwarded: merges its destinations into the payload's tag, or takes the oldest tag.
  void record(const noc::PayloadKey& key, const noc::MulticastTree* tree, NodeId unicast_dst, NodeId here,
              Cycle now);

  /// Forgets all tags. Tags name payloads in flight; where none can be (a layer's barrier) they must not
  /// outlive it: the next decode step sends the same payloads again, and they are no duplicates.
  void clear();

  /// Bits that the hardware would need in a mesh of `nodes` tiles: bloom, and a valid bit, a key and a
  /// destination bit map for each tag.
  static std::uint64_t storage_bits(const TagFilterConfig& config, int nodes);

  struct Statistics {
    std::uint64_t lookups = 0;
    std::uint64_t bloom_hits = 0;             ///< lookups that went on to the exact tags
    std::uint64_t bloom_false_positives = 0;  ///< bloom hits without an exact tag
    std::uint64_t exact_hits = 0;             ///< the payload's tag was found
    std::uint64_t covered = 0;                ///< exact hits that cover every destination
    std::uint64_t replaced_tags = 0;          ///< valid tags overwritten by younger payloads
  };
  const Statistics& statistics() const { return statistics_; }

 private:
  /// What one forwarded copy served: a destination, or a tree's destinations through a router.
  struct Served {
    const noc::MulticastTree* tree;
    NodeId node;  ///< the unicast destination, or the router
    bool includes(NodeId destination) const {
      return tree == nullptr ? node == destination : tree->serves(node, destination);
    }
    bool operator==(const Served& o) const { return tree == o.tree && node == o.node; }
  };
  struct Tag {
    noc::PayloadKey key;
    std::vector<Served> served;  // keeps its capacity when the tag is taken over
  };

  void refresh(Cycle now);
  bool bloom_has(std::uint64_t hash) const;
  void bloom_add(std::uint64_t hash);
  Tag* find(const noc::PayloadKey& key, std::uint64_t hash);

  TagFilterConfig config_;
  Cycle next_refresh_;
  std::vector<std::uint64_t> bloom_;
  std::vector<std::uint64_t> fingerprints_;  // hashes of the valid tags, side by side for a quick scan
  std::vector<Tag> tags_;
  std::size_t oldest_ = 0;  // next tag to be replaced, once all are in use
  Statistics statistics_;
};

}  // namespace meshkv::mare
