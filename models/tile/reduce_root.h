// Column reduce root (paper section IV): the partial results (m, l, o) of each query head and stream meet
// here over VN0.
#pragma once

#include <string>
#include <systemc>

#include "models/common/clock_domain.h"
#include "models/controller/completion.h"
#include "models/data/attention_unit.h"
#include "models/data/data_plane.h"
#include "models/noc/packet.h"
#include "models/tile/part_observer.h"
#include "models/workload/decode_plan.h"

namespace meshkv::tile {

struct ReduceStatistics {
  std::uint64_t parts = 0;
  std::uint64_t unexpected = 0;  ///< PART packets that the layer's plan does not know: always a defect
};

class ReduceRoot : public sc_core::sc_module, public Clocked {
 public:
  ReduceRoot(sc_core::sc_module_name name, NodeId node, ClockDomain& clock, const workload::DecodePlan& plan,
             data::DataPlane* data = nullptr);

  void set_listener(controller::CompletionListener* listener) { listener_ = listener; }
  void set_observer(PartObserver* observer) { observer_ = observer; }
  void begin_layer(int layer);
  /// A PART packet has been drained at `now`; the merge keeps pace with the ejection port (one flit a cycle).
  void on_part(const noc::Packet& packet, Cycle now);
  void tick(Cycle now) override;

  /// PART packets that are missing, or 1 while the last one is being merged.
  std::uint32_t open_parts() const { return missing_ == 0 && !reported_ ? 1 : missing_; }
  std::string describe_waits() const;
  const ReduceStatistics& statistics() const { return statistics_; }

 private:
  NodeId node_;
  ClockDomain& clock_;
  const workload::DecodePlan& plan_;
  controller::CompletionListener* listener_ = nullptr;
  PartObserver* observer_ = nullptr;
  int clock_id_;
  data::DataPlane* data_;
  data::MergeUnit merge_;  ///< with data
  int layer_ = -1;
  std::uint32_t missing_ = 0;
  Cycle done_at_ = 0;
  bool reported_ = true;
  ReduceStatistics statistics_;
};

}  // namespace meshkv::tile
