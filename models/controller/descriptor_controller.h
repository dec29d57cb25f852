// Per-column descriptor controller (paper section IV), here as a hardware sequencer: hands out descriptors in
// order, keeps the tiles in lock-step, and meets the other columns at layer barriers. FirmwareColumn
// takes its place behind the same control bus and the same completion lines.
#pragma once

#include <vector>

#include "models/common/clock_domain.h"
#include "models/controller/column_controller.h"
#include "models/controller/controller_config.h"
#include "models/controller/layer_coordinator.h"
#include "models/workload/decode_plan.h"

namespace meshkv::controller {

class DescriptorController : public ColumnController {
 public:
  DescriptorController(sc_core::sc_module_name name, int column, const ControllerConfig& config,
                       ClockDomain& clock, const workload::DecodePlan& plan, LayerCoordinator& coordinator);

  void begin_layer(int layer, Cycle at) override;
  void progress(Cycle now) override;
  void segment_done(NodeId tile, std::uint32_t count, Cycle now) override;
  void root_done(NodeId tile, Cycle now) override;
  void tick(Cycle now) override;

 private:
  void start_layer(Cycle now);
  void hand_out(Cycle now);
  void finish_part(Cycle now);
  void send(int row, const Descriptor& descriptor);
  NodeId node(int row) const { return plan_.mesh().node({column_, row}); }

  int column_;
  ControllerConfig config_;
  ClockDomain& clock_;
  const workload::DecodePlan& plan_;
  LayerCoordinator& coordinator_;
  int clock_id_;
  int layer_ = -1;
  Cycle begin_at_ = kNever;
  int open_parts_ = 0;               ///< tiles with work and reduce roots of the column that are not done
  std::vector<std::uint32_t> next_;  ///< by row: next item of the tile's list
  std::vector<std::size_t> prefetch_list_;  ///< indices of the layer's segments whose home is in this column
  std::size_t next_prefetch_ = 0;
};

}  // namespace meshkv::controller
