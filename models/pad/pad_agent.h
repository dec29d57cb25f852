// Pad, the compute side (paper section VII): Pf issues credit-gated KV_FETCHes, Tm and Rd consume what
// arrives, and the tile's partial results leave as PART at the end of a layer.
#pragma once

#include <boost/container/small_vector.hpp>
#include <deque>
#include <memory>
#include <queue>
#include <string>
#include <systemc>
#include <vector>

#include "models/check/fabric_audit.h"
#include "models/common/clock_domain.h"
#include "models/common/log_histogram.h"
#include "models/common/scoreboard.h"
#include "models/controller/completion.h"
#include "models/data/attention_unit.h"
#include "models/data/data_plane.h"
#include "models/noc/network_interface.h"
#include "models/pad/mac_pipeline.h"
#include "models/pad/pad_config.h"
#include "models/pad/pad_observer.h"
#include "models/workload/decode_plan.h"

namespace meshkv::pad {

struct PadStatistics {
  std::uint64_t fetches = 0;
  LogHistogram fetch_latency;  ///< cycles of each fetch: KV_FETCH sent to last KV_DATA flit drained
  std::uint64_t segments = 0;
  std::uint64_t parts = 0;
  std::uint64_t repeated_descriptors = 0;  ///< that did nothing
  std::uint64_t appends = 0;               ///< rows of a new token sent to their homes
  Cycle credit_stall_cycles = 0;           ///< Pf had a descriptor and a free slot, but no home credit
};

class PadAgent : public sc_core::sc_module, public Clocked {
 public:
  PadAgent(sc_core::sc_module_name name, NodeId node, const PadConfig& config, int packet_flits,
           ClockDomain& clock, const workload::DecodePlan& plan, Scoreboard& scoreboard,
           noc::NetworkAccess& network, data::DataPlane* data = nullptr, check::FabricAudit* audit = nullptr);

  void set_listener(controller::CompletionListener* listener) { listener_ = listener; }
  void add_observer(PadObserver& observer) { observers_.push_back(&observer); }
  void begin_layer(int layer);
  /// A FETCH_COMPUTE descriptor: the segment may be fetched from `at` on. One that has been taken before does
  /// nothing. False: it is not the next of the tile's list.
  bool descriptor(std::uint32_t segment, Cycle at);
  /// A step has ended: sends the keys and values of the new token's head to its home.
  void send_append(int layer, int step, const workload::AppendedRow& row, Cycle at);
  std::uint32_t segments_done() const { return done_count_; }
  std::uint32_t accepted() const { return next_item_; }  ///< descriptors of the layer that were taken
  int layer() const { return layer_; }

  Cycle on_head(const noc::Packet& packet, Cycle now);
  void on_data(const noc::Packet& packet, Cycle now);
  void tick(Cycle now) override;

  void set_mode(TimingMode mode) { mode_ = mode; }

  bool idle() const { return queue_.empty() && active_.empty() && batch_.empty(); }
  std::string describe_waits() const;
  const PadStatistics& statistics() const { return statistics_; }
  const MacStatistics& mac_statistics() const { return macs_.statistics(); }

 private:
  struct SliceState {
    std::uint16_t group = 0;
    std::uint32_t flits = 0;
    std::uint32_t received = 0;
    std::uint32_t k_flits = 0;
    std::uint32_t macs_per_line = 0;
    boost::container::small_vector<std::uint64_t, 4>
        seen;                          ///< the requester's duplicate filter: a bit a packet
    std::vector<unsigned char> bytes;  ///< with data: the lines; NaN where nothing has come
  };
  struct ActiveSegment {
    std::uint32_t index = 0;  ///< in the tile's item list
    std::uint32_t segment = 0;
    NodeId home = kNoNode;
    Cycle sent = 0;
    Cycle complete = 0;  ///< drain time of its last flit, once it has arrived
    std::uint32_t missing_flits = 0;
    SegmentTimes times;  ///< kept where there are observers
    boost::container::small_vector<SliceState, 1> slices;
  };
  struct Descriptor {
    std::uint32_t index;
    Cycle at;
  };
  struct Return {
    Cycle at;
    NodeId home;
  };
  struct Done {
    Cycle at;
    bool operator>(const Done& o) const { return at > o.at; }
  };

  const workload::WorkItem& item(std::uint32_t index) const;
  int outstanding_limit() const;
  void issue_fetches(Cycle now);
  void send_fetch(std::uint32_t index, NodeId home, Cycle now);
  ActiveSegment* find(const noc::Packet& packet);
  bool asked_before(const noc::Packet& packet) const;
  bool is_new(SliceState& slice, const noc::Packet& packet, bool mark);
  void consume(ActiveSegment& active, SliceState& slice, const noc::Packet& packet, Cycle head, Cycle tail);
  Cycle serve(SegmentTimes& times, bool v, std::uint32_t flits, const SliceState& slice, Cycle head,
              Cycle tail);
  void tell_observers(const ActiveSegment& active);
  std::string home_name(NodeId home) const;
  void attend(ActiveSegment& active);
  void segment_arrived(ActiveSegment& active, Cycle now);
  void compute_batch(Cycle now);
  void segment_computed(Cycle now);
  void send_parts(Cycle now);
  void wake(Cycle at);

  NodeId node_;
  PadConfig config_;
  std::uint32_t packet_flits_;
  ClockDomain& clock_;
  const workload::DecodePlan& plan_;
  Scoreboard& scoreboard_;
  noc::NetworkAccess& network_;
  controller::CompletionListener* listener_ = nullptr;
  int clock_id_;
  TimingMode mode_ = TimingMode::kAt;

  int layer_ = -1;
  std::uint32_t done_count_ = 0;
  std::uint32_t next_item_ = 0;  ///< first item that no descriptor has named
  std::deque<Descriptor> queue_;
  std::vector<ActiveSegment> active_;       ///< fetched, not all flits here
  std::vector<Return> returns_;             ///< home credits on their way back
  std::vector<ActiveSegment> batch_;        ///< without Pad: here, not yet computed
  std::vector<std::uint8_t> home_credits_;  ///< by node: fetches unserved there
  std::priority_queue<Done, std::vector<Done>, std::greater<>> computing_;
  MacPipeline macs_;
  data::DataPlane* data_;
  check::FabricAudit* audit_;
  std::unique_ptr<data::AttentionUnit> attention_;       ///< with data
  std::vector<std::vector<unsigned char>> spare_bytes_;  ///< of slices, to use again
  Cycle stalled_since_ = kNever;
  std::vector<PadObserver*> observers_;
  PadStatistics statistics_;
};

}  // namespace meshkv::pad
