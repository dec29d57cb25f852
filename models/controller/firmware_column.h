// A column's controller with firmware: a processor, its devices, and what they reach of the fabric.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/common/clock_domain.h"
#include "models/controller/column_controller.h"
#include "models/controller/controller_config.h"
#include "models/controller/devices/column_devices.h"
#include "models/controller/devices/column_fabric.h"
#include "models/controller/firmware_core.h"
#include "models/controller/layer_coordinator.h"
#include "models/workload/decode_plan.h"

namespace meshkv::controller {

/// The fabric lets a layer begin when all columns have completed the one before (SCHEDULE_COMPLETE); what
/// happens between is the firmware's doing. Descriptors for another layer are refused.
class FirmwareColumn : public ColumnController,
                       private ColumnFabric,
                       private ColumnProcessor,
                       private FirmwareCoreListener {
 public:
  FirmwareColumn(sc_core::sc_module_name name, int column, const ControllerConfig& config, ClockDomain& clock,
                 const workload::DecodePlan& plan, LayerCoordinator& coordinator, const MakeCore& make_core);

  /// The program has ended or crashed. May be empty.
  std::function<void(FirmwareColumn&)> on_end;
  /// A line of the console. May be empty.
  std::function<void(int column, const std::string&)> on_console;
  /// Sums over the tiles of the column; `descriptors` is added here. Empty: zeros.
  std::function<ColumnCounters()> tile_counters;
  /// The firmware is to decide on swaps; outlives it.
  void set_swap_decision(takv::SwapDecision& decision) { swap_decision_ = &decision; }
  /// It is to do so now.
  void ask_for_swaps(Cycle now);
  /// Blocks have swapped.
  void homes_changed() { devices_.takv.about_to_change(); }

  void begin_layer(int layer, Cycle at) override;
  void progress(Cycle now) override;
  void segment_done(NodeId tile, std::uint32_t count, Cycle now) override;
  void part_done(NodeId tile) override;
  void root_done(NodeId tile, Cycle now) override;
  void tick(Cycle now) override;
  std::string describe_waits() const override;

  struct End {
    bool crashed = false;
    std::uint32_t code = 0;
    Cycle at = 0;
    std::string report;  ///< of a crash: lines
  };
  /// Nothing while it runs.
  const std::optional<End>& end() const { return end_; }
  bool failed() const { return end_ && (end_->crashed || end_->code != 0); }
  int column() const { return column_; }
  /// What has moved: descriptors, segments, layers. Firmware that is stuck moves nothing.
  std::uint64_t moves() const { return moves_; }
  FirmwareCore& core() { return *core_; }
  const FirmwareCore& core() const { return *core_; }
  ColumnDevices& devices() { return devices_; }
  const ColumnDevices& devices() const { return devices_; }

 private:
  // ColumnFabric
  ColumnIdentity identity() const override { return identity_; }
  std::uint32_t steps() const override { return static_cast<std::uint32_t>(plan_.decode().steps); }
  std::uint32_t layers() const override { return static_cast<std::uint32_t>(plan_.layers().size()); }
  std::uint32_t layer_number(std::uint32_t position) const override;
  std::uint32_t layers_begun() const override { return begun_; }
  std::uint32_t items(std::uint32_t row) const override;
  ScheduledItem item(std::uint32_t row, std::uint32_t index) const override;
  std::uint32_t parts(std::uint32_t row) const override;
  std::uint32_t slowest() const override { return coordinator_.slowest(); }
  std::uint32_t prefetches() const override { return static_cast<std::uint32_t>(prefetches_.size()); }
  ScheduledPrefetch prefetch(std::uint32_t index) const override;
  std::string complete(Cycle now) override;
  TileState tile(std::uint32_t row) const override;
  bool send(std::uint32_t row, const Descriptor& descriptor, Cycle now) override;
  bool home(std::uint32_t layer, std::uint32_t segment, Coord& at) const override;
  ColumnCounters counters() const override;
  const takv::SwapDecision* swap_decision() const override { return swap_decision_; }
  std::string propose_swap(std::uint32_t layer, std::uint32_t a, std::uint32_t b) override;
  std::string decide_swaps(Cycle now) override;
  // ColumnProcessor
  void set_interrupt(riscv::Interrupt line, bool level) override { core_->set_interrupt(line, level); }
  void console_line(const std::string& line) override;
  void program_ended(const ExitDevice::End& end) override;
  // FirmwareCoreListener
  void core_crashed(const std::string& why) override;

  void start_layer(Cycle now);
  void list_prefetches();
  bool is_block_of(std::uint32_t row, const Descriptor& descriptor) const;
  std::string first_open_part() const;
  std::uint32_t tile_register(std::uint32_t row, std::uint64_t offset) const;
  void finish(End end);
  bool in_layer() const { return begun_ != 0 && !completed_; }
  NodeId node(std::uint32_t row) const { return plan_.mesh().node({column_, static_cast<int>(row)}); }
  std::uint32_t rows() const { return static_cast<std::uint32_t>(plan_.mesh().height); }

  int column_;
  ControllerConfig config_;
  ClockDomain& clock_;
  const workload::DecodePlan& plan_;
  LayerCoordinator& coordinator_;
  int clock_id_;
  ColumnIdentity identity_;
  int layer_ = -1;
  int next_layer_ = -1;
  Cycle begin_at_ = kNever;
  bool window_grew_ = false;
  std::uint32_t begun_ = 0;
  bool completed_ = true;
  int open_parts_ = 0;               ///< tiles with work and reduce roots of the column that are not done
  std::vector<bool> told_to_begin_;  ///< by row
  std::vector<ScheduledPrefetch> prefetches_;
  std::uint64_t moves_ = 0;
  takv::SwapDecision* swap_decision_ = nullptr;
  std::optional<End> end_;
  ColumnDevices devices_;  ///< asks for identity() when it is made
  std::unique_ptr<FirmwareCore> core_;
};

}  // namespace meshkv::controller
