// In which order a home sends the packets of the slices that wait for its injection port. The paper does not
// say; each order is a policy (HomeService). Plain C++, no time of its own.
#pragma once

#include <boost/intrusive/list.hpp>
#include <list>
#include <memory>
#include <vector>

#include "models/common/types.h"
#include "models/mare/mare_config.h"
#include "models/mare/port_share.h"
#include "models/noc/multicast_tree.h"
#include "models/noc/packet.h"

namespace meshkv::mare {

struct Block;

/// What a home streams to one destination set: the flits [next_flit, end_flit) of one slice (layer, segment,
/// line group).
struct Slice : boost::intrusive::list_base_hook<> {
  noc::PayloadKey key;                       ///< index is unused here
  const noc::MulticastTree* tree = nullptr;  ///< null: unicast to `destination`
  NodeId destination = kNoNode;
  std::uint32_t next_flit = 0;
  std::uint32_t end_flit = 0;
  std::uint32_t slice_flits = 0;  ///< of the whole slice
  int first_token = 0;            ///< of the segment; > 0 where a window begins inside
  int tokens = 0;
  std::uint32_t step = 0;              ///< of decoding, in which it was asked for
  std::uint32_t duplicate_from = ~0U;  ///< packets at or beyond this flit may reach their destinations twice
  bool replay = false;                 ///< the prefix that late requesters missed
  bool restream = false;               ///< the home sent all of it before, in another tree
  Cycle ready_at = 0;                  ///< its next chunk is in the KV SRAM from this cycle on
  bool queued = false;                 ///< in a ring, waiting for the port
  bool sharing = false;                ///< lt: member of a PortShare
  Cycle not_before = 0;                ///< lt: the chunk's last packet waits for memory until then
  Block* block = nullptr;
};

/// The slices of one (layer, segment) that were started together or joined before it ended.
struct Block {
  std::uint16_t layer = 0;
  std::uint32_t segment = 0;
  std::vector<std::unique_ptr<Slice>> slices;  ///< live ones
  boost::intrusive::list<Slice> ring;          ///< those that wait for the port
  PortShare share;                             ///< lt

  /// The live slice that streams `group` to its end, or null.
  Slice* main_slice(std::uint16_t group);
};

class SliceScheduler {
 public:
  /// `service` must not be kAuto.
  explicit SliceScheduler(HomeService service, PortShare share = PortShare());

  Block& open_block(std::uint16_t layer, std::uint32_t segment);
  /// The youngest live block of (layer, segment), or null.
  Block* find_block(std::uint16_t layer, std::uint32_t segment);
  Slice& add(Block& block, Slice slice);

  /// The slice may send from `at` on.
  void make_ready(Slice& slice, Cycle at);
  /// The next slice to send from at `now`; null if none is ready. It goes to the end of its ring
  /// (round_robin, block_order) or stays in front (fifo).
  Slice* pick(Cycle now);
  /// Takes a slice out of its ring: it waits for memory.
  void park(Slice& slice);
  /// The slice is finished: forgets it, and its block with the last one.
  void finish(Slice& slice);

  bool any_queued() const { return queued_ != 0; }
  /// `now` if a queued slice is ready by then, else the earliest cycle at which one is; kNever if none is
  /// queued.
  Cycle earliest_ready(Cycle now) const;
  /// lt: how `slice` shares the port with others.
  PortShare& share(Slice& slice) {
    return service_ == HomeService::kBlockOrder ? slice.block->share : common_share_;
  }
  /// lt: slices that take turns with `slice`, itself included, whether or not they wait for memory.
  std::size_t sharers(const Slice& slice) const {
    if (service_ == HomeService::kFifo) return 1;
    if (service_ == HomeService::kBlockOrder) return slice.block->slices.size();
    return static_cast<std::size_t>(live_slices_);
  }
  /// lt: calls f(PortShare&) for all shares.
  template <typename F>
  void for_each_share(F&& f) {
    if (service_ != HomeService::kBlockOrder) {
      f(common_share_);
    } else {
      for (Block& block : blocks_) f(block.share);
    }
  }
  HomeService service() const { return service_; }
  bool empty() const { return blocks_.empty(); }
  int live_slices() const { return live_slices_; }
  const std::list<Block>& blocks() const { return blocks_; }

 private:
  boost::intrusive::list<Slice>& ring_of(Slice& slice);
  Slice* pick_from(boost::intrusive::list<Slice>& ring, Cycle now) const;

  HomeService service_;
  std::list<Block> blocks_;  ///< oldest first
  int live_slices_ = 0;
  int queued_ = 0;
  boost::intrusive::list<Slice> common_ring_;
  PortShare common_share_;  ///< empty; with block_order what a block begins with
};

}  // namespace meshkv::mare
