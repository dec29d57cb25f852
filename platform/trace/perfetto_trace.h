// What a trace for ui.perfetto.dev shows of a chip: tiles (Pad, home, reduce root), ports, memory channels,
// controllers; flows from KV_FETCH over the home to KV_DATA, and with a tile's last segment of a layer to
// PART.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "models/common/clock_observer.h"
#include "models/mare/home_observer.h"
#include "models/memory/transaction_observer.h"
#include "models/noc/link_timeline.h"
#include "models/pad/pad_observer.h"
#include "models/tile/part_observer.h"
#include "platform/trace/perfetto_writer.h"
#include "platform/trace/trace.h"

namespace meshkv::platform {

/// Shares of what each link did, sampled: a counter a port. Tells the writer how far time is.
class PortCounters : public ClockObserver {
 public:
  /// `links`: those that are shown; `process_of`: the row of tracks of a node.
  PortCounters(PerfettoWriter& writer, ClockDomain& clock, noc::LinkSet links,
               std::function<int(NodeId)> process_of, std::function<Cycle(Cycle)> nothing_before);
  Cycle observe(Cycle now) override;

 private:
  struct Shown {
    noc::LinkName link;
    std::string name;
    noc::LinkStatistics last;
    std::string text;
  };
  void sample(Cycle at);
  PerfettoWriter& writer_;
  noc::LinkSet links_;
  std::function<int(NodeId)> process_of_;
  std::function<Cycle(Cycle)> nothing_before_;
  std::vector<Shown> shown_;
  Cycle period_;
  Cycle last_ = 0;
};

class PerfettoChipTrace final : public Trace,
                                public pad::PadObserver,
                                public mare::HomeObserver,
                                public tile::PartObserver,
                                public memory::TransactionObserver {
 public:
  PerfettoChipTrace(const TraceConfig& config, Chip& chip);
  ~PerfettoChipTrace() override;
  TraceOutcome finish(Cycle end) override;
  std::string failure() const override { return writer_.failure(); }

  void fetch_sent(const noc::Packet& fetch, Cycle now) override;
  void segment_done(const pad::SegmentTimes& times) override;
  void part_sent(const noc::Packet& part, Cycle now) override;
  void fetch_accepted(NodeId home, NodeId requester, int layer, std::uint32_t segment, Cycle now) override;
  void slice_started(NodeId home, const mare::Slice& slice, Cycle now) override;
  void slice_sent(NodeId home, const mare::Slice& slice, Cycle now) override;
  void part_merged(NodeId root, const noc::Packet& part, Cycle now) override;
  void transaction(int controller, std::size_t channel, const sc_core::sc_time& begin,
                   const sc_core::sc_time& end, std::uint64_t bytes) override;

 private:
  struct TileTracks {
    bool shown = false;
    int process = 0;
    TrackGroup fetch, data, tm, rd, part, requests, stream, merge;
  };
  /// A fetch under way, or one whose flow may still go on to a PART.
  struct Fetch {
    std::multiset<Cycle>::iterator open;
    std::optional<Cycle> accepted;
    std::optional<pad::SegmentTimes> times;
  };
  struct PartFlow {
    Cycle sent = 0;
    NodeId root = kNoNode;
  };
  /// Transactions of a channel that overlap, as one busy time.
  struct Busy {
    TrackGroup track;
    Cycle begin = 0, end = 0;
    std::uint64_t transactions = 0, bytes = 0;
  };
  using FetchKey = std::tuple<NodeId, int, std::uint32_t>;  // requester, layer, segment

  void make_tile_tracks(Chip& chip);
  void make_memory_tracks(Chip& chip);
  void make_controller_tracks(Chip& chip);
  Cycle nothing_before(Cycle now) const;
  void commit(const FetchKey& key, Fetch& fetch, const PartFlow* part, Cycle merged);
  void release_held(NodeId tile);
  void flush(Busy& busy);
  std::string coordinates(NodeId node) const;

  ClockDomain& clock_;
  MeshShape mesh_;
  PerfettoWriter writer_;
  std::vector<TileTracks> tiles_;
  std::multiset<Cycle> open_;  ///< begins of what is under way: nothing earlier can be added
  std::map<FetchKey, Fetch> fetches_;
  std::map<NodeId, FetchKey> held_;   ///< by tile: the last segment that was done
  std::map<NodeId, PartFlow> parts_;  ///< by tile: its first PART of the layer, under way
  std::map<const mare::Slice*, std::multiset<Cycle>::iterator> slices_;
  std::vector<std::vector<Busy>> channels_;  ///< by controller
  std::vector<TrackGroup> controllers_;
  std::uint64_t flows_ = 0;
  std::optional<PortCounters> ports_;
};

/// The links of a mesh without agents.
class PerfettoMeshTrace final : public Trace {
 public:
  PerfettoMeshTrace(const TraceConfig& config, ClockDomain& clock, const noc::LinkSet& links);
  TraceOutcome finish(Cycle end) override;
  std::string failure() const override { return writer_.failure(); }

 private:
  PerfettoWriter writer_;
  std::map<NodeId, int> processes_;
  PortCounters ports_;
};

}  // namespace meshkv::platform
