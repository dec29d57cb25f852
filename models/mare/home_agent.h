// The home side of Mare (paper section VI): coalesces KV_FETCHes, builds trees, and streams KV_DATA out of
// the tile's KV SRAM. The same code in both timing modes; only the granularity in which data leaves differs.
#pragma once

#include <boost/container/small_vector.hpp>
#include <queue>
#include <systemc>
#include <vector>

#include "models/common/clock_domain.h"
#include "models/mare/coalescer.h"
#include "models/mare/home_observer.h"
#include "models/mare/mare_config.h"
#include "models/mare/slice_scheduler.h"
#include "models/memory/kv_sram.h"
#include "models/memory/memory_map.h"
#include "models/noc/network_interface.h"
#include "models/takv/occupancy.h"
#include "models/workload/decode_plan.h"

namespace meshkv::mare {

/// Packets of KV_DATA are at most one VC FIFO long (DESIGN section 4).
struct HomeConfig {
  MareConfig mare;
  int packet_flits = 8;
  int chunk_flits = 64;     ///< of the KV SRAM
  int piece_flits = 64;     ///< of one memory transaction; divides chunk_flits
  int lt_chunk_flits = 64;  ///< unit of an lt transfer; at most chunk_flits
  int flit_bytes = 64;
  bool data = false;  ///< the KV SRAM keeps bytes, and packets carry them
};

struct HomeStatistics {
  std::uint64_t fetches = 0;      ///< KV_FETCHes received
  std::uint64_t coalesced = 0;    ///< merged into a window that was already open
  std::uint64_t accompanied = 0;  ///< whose window held another fetch: their head masks were merged
  std::uint64_t late_joined = 0;  ///< fetches whose window joined a block that was queued or streaming
  std::uint64_t windows = 0;
  std::uint64_t trees = 0;  ///< trees started, joins included
  std::uint64_t tree_destinations = 0;
  std::uint64_t flits_sent = 0;   ///< KV_DATA flits injected
  std::uint64_t flit_copies = 0;  ///< flits times destinations
  std::uint64_t expected_flit_hops =
      0;  ///< tree links + injection + ejections, if nothing is suppressed underway
  std::uint64_t replayed_flits = 0;    ///< of prefixes that late requesters missed
  std::uint64_t restreamed_flits = 0;  ///< of blocks sent again because a window came late (no suppression)
  std::uint64_t join_saved_flits = 0;  ///< duplicates suppressed at the home: not sent again thanks to a join
  std::uint64_t stall_memory_picks = 0;  ///< the port was free, slices waited, none had its chunk in the SRAM
};

class HomeAgent : public sc_core::sc_module, public Clocked, public memory::KvSramClient {
 public:
  HomeAgent(sc_core::sc_module_name name, NodeId node, const HomeConfig& config, ClockDomain& clock,
            const workload::DecodePlan& plan, noc::TreeCache& trees, const memory::MemoryMap& map,
            memory::KvSram& sram, noc::NetworkAccess& network);

  void set_mode(TimingMode mode) { mode_ = mode; }
  void set_observer(HomeObserver* observer) { observer_ = observer; }
  /// Hears of every KV_FETCH: what the blocks of this home are asked for.
  void set_occupancy(takv::Occupancy* occupancy) { occupancy_ = occupancy; }

  /// A KV_FETCH has left the ejection port.
  void on_fetch(const noc::Packet& packet, Cycle now);
  /// The source queue of KV_DATA has room (at).
  void on_refill(Cycle now);
  /// Tile-local prefetch descriptor (paper section V): brings the first chunks of a block into the KV SRAM.
  void prefetch(int layer, std::uint32_t segment, int tokens, Cycle now);

  void tick(Cycle now) override;
  void on_chunk_ready(const memory::ChunkKey& key, Cycle when) override;
  void on_room(Cycle when) override;

  bool idle() const;
  std::string describe_waits()
      const;  ///< for hang reports: what this home waits for, one line; empty if idle
  const HomeStatistics& statistics() const { return statistics_; }
  const Coalescer::Statistics& coalescer_statistics() const { return coalescer_.statistics(); }

 private:
  struct Arrival {
    Cycle at;
    NodeId requester;
    std::uint16_t layer;
    std::uint32_t segment;
    HeadMask heads;
    std::uint32_t tokens;
    bool operator>(const Arrival& o) const { return at != o.at ? at > o.at : requester > o.requester; }
  };
  struct PendingTree {
    Cycle at;  ///< the tree is built
    ClosedWindow window;
    std::vector<std::uint32_t> prefix_end;  ///< by group: replay bound, latched when the window closed
    int tokens;
  };

  void accept(const Arrival& arrival, Cycle now);
  void close_windows(Cycle now);
  void start_tree(const PendingTree& pending, Cycle now);
  void join(Block& block, const PendingTree& pending, Cycle now);
  void start_slice(Block& block, Slice slice, Cycle now);
  Slice make_slice(int layer, std::uint32_t segment, int group, int tokens) const;
  void set_destinations(Slice& slice, std::vector<NodeId> destinations);
  memory::ChunkKey chunk_of(const Slice& slice, std::uint32_t flit) const;
  using Pieces = boost::container::small_vector<memory::KvSram::Piece, 20>;
  Pieces locate_pieces(const Slice& slice, std::uint32_t begin, std::uint32_t bytes) const;
  bool request_chunk(const Slice& slice, std::uint32_t flit, Cycle now, memory::Want want);
  void need_chunk(Slice& slice, Cycle now);
  void ask_ahead(const Slice& slice, Cycle now);
  void advance(Slice& slice, std::uint32_t flits, Cycle now);
  noc::Packet* make_packet(const Slice& slice, std::uint32_t flits);
  void count_sent(const Slice& slice, std::uint32_t flits);
  void leave_chunk(Slice& slice, const memory::ChunkKey& chunk, Cycle now);
  // home_agent_lt.cpp
  std::uint32_t packet_flits() const { return static_cast<std::uint32_t>(config_.packet_flits); }
  std::uint32_t to_chunk_end(const Slice& slice) const;
  void read_on_lt(Slice& slice, Cycle from);
  void ready_lt(Slice& slice, Cycle at);
  void settle_lt(Cycle now);
  void leave_lt(Slice& slice, Cycle at);
  void stream_lt(Cycle now);
  void kick_lt(Cycle now);
  void kick(Cycle now);
  void wake(Cycle at);

  NodeId node_;
  HomeConfig config_;
  ClockDomain& clock_;
  const workload::DecodePlan& plan_;
  noc::TreeCache& trees_;
  const memory::MemoryMap& map_;
  memory::KvSram& sram_;
  noc::NetworkAccess& network_;
  int clock_id_;
  TimingMode mode_ = TimingMode::kAt;
  Coalescer coalescer_;
  SliceScheduler scheduler_;
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
  std::vector<PendingTree> pending_;
  std::vector<Slice*> waiting_;  ///< for a chunk that is being filled, or for room
  bool refill_wanted_ = false;   ///< at
  struct ReadyLater {
    Cycle at;
    std::uint64_t order;
    Slice* slice;
    bool operator>(const ReadyLater& o) const { return at != o.at ? at > o.at : order > o.order; }
  };
  std::priority_queue<ReadyLater, std::vector<ReadyLater>, std::greater<>> ready_later_;  ///< lt
  Cycle settled_ = 0;  ///< lt: what happens to slices is known until here
  std::uint64_t ready_count_ = 0;
  Cycle next_wake_ = kNever;  ///< lt
  Cycle port_free_ = 0;       ///< lt: an injection port is free from here on
  HomeObserver* observer_ = nullptr;
  takv::Occupancy* occupancy_ = nullptr;
  HomeStatistics statistics_;
};

}  // namespace meshkv::mare
