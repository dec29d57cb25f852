// The whole chip: tiles in a mesh, memory behind an interconnect, a descriptor controller a column. Assembly
// only: no rule of the fabric lives here.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "models/check/fabric_audit.h"
#include "models/common/clock_domain.h"
#include "models/common/scoreboard.h"
#include "models/controller/column_controller.h"
#include "models/controller/control_bus.h"
#include "models/controller/firmware_column.h"
#include "models/controller/firmware_watchdog.h"
#include "models/controller/layer_coordinator.h"
#include "models/data/data_plane.h"
#include "models/memory/memory_map.h"
#include "models/memory/memory_system.h"
#include "models/noc/link_probe.h"
#include "models/noc/link_timeline.h"
#include "models/noc/mesh.h"
#include "models/noc/noc_context.h"
#include "models/takv/occupancy.h"
#include "models/takv/swap_control.h"
#include "models/tile/tile.h"
#include "models/workload/decode_plan.h"
#include "platform/run_config.h"

namespace meshkv::platform {

class Chip : public sc_core::sc_module {
 public:
  Chip(sc_core::sc_module_name name, const RunConfig& config);

  /// Begins the first layer; to be called before the simulation starts.
  void start();
  /// Called when the slowest tile advances, and at the end (fraction 1).
  std::function<void(Cycle, double)> on_progress;
  std::function<void(int, Cycle)> on_layer;  ///< (layer, cycle in which it begins); may be empty
  /// (column, a line of its firmware's console); may be empty.
  std::function<void(int, const std::string&)> on_console;
  std::function<void(int, Cycle)> on_column_done;  ///< (column, cycle): all its tiles are; may be empty

  ClockDomain clock;
  noc::NocContext noc;
  workload::DecodePlan plan;

 private:
  const memory::MemoryConfig memory_config_;  ///< as the mode uses it

 public:
  memory::MemoryMap map;
  Scoreboard scoreboard;
  std::unique_ptr<data::DataPlane> data;      ///< `data: true`
  std::unique_ptr<check::FabricAudit> audit;  ///< with data or faults
  takv::Occupancy occupancy;
  controller::LayerCoordinator coordinator;
  std::vector<std::unique_ptr<tile::Tile>> tiles;
  std::vector<std::unique_ptr<controller::ControlBus>> control_buses;
  std::vector<std::unique_ptr<controller::ColumnController>> controllers;
  std::vector<controller::FirmwareColumn*> firmware;  ///< the controllers, where they have some
  std::unique_ptr<controller::FirmwareWatchdog> firmware_watchdog;
  std::unique_ptr<memory::MemorySystem> memory;
  std::unique_ptr<takv::SwapControl> swaps;

  noc::LinkSet links() const;
  /// Nothing is under way: no packet, no transaction, no computation.
  bool drained() const;
  std::string describe_waits() const;

 private:
  /// Waits at a layer boundary until the chip has drained: where the transport below the agents changes
  /// (mixed runs), and where a step begins that reads what the step before appended. Before a step blocks may
  /// swap their homes: when all appends are in memory.
  class ModeSwitch : public Clocked {
   public:
    explicit ModeSwitch(Chip& chip) : chip_(chip), clock_id_(chip.clock.add(*this)) {}
    void request(TimingMode mode, int step, int layer, Cycle at);
    /// What the step waits for beside draining has been decided.
    void go_on(Cycle at) { chip_.clock.wake(clock_id_, at); }
    void tick(Cycle now) override;

   private:
    bool swaps_before_step(Cycle now);

    Chip& chip_;
    int clock_id_;
    TimingMode mode_ = TimingMode::kAt;
    int step_ = 0;
    int layer_ = 0;
    Cycle asked_ = 0;
    std::uint64_t moved_ = 0;
  };

  void stop();
  void set_mode(TimingMode mode);
  void begin_layer(int step, int layer, Cycle at);
  TimingMode mode_of_layer(int position) const;
  noc::LinkBinder link_binder();
  std::string link_name(const noc::LinkId& link) const;
  void inject(const check::Fault& fault);
  void send_appends(int step, int layer, Cycle at);
  void build_memory(const RunConfig& config);
  void build_swaps(const RunConfig& config);
  void build_tiles(const RunConfig& config);
  void build_controllers(const RunConfig& config);
  std::unique_ptr<controller::ColumnController> make_controller(int column, const RunConfig& config);
  void prepare_firmware(controller::FirmwareColumn& column);
  void connect_firmware(const RunConfig& config);
  void coordinate();
  controller::ColumnCounters column_counters(int column) const;
  void report_progress(Cycle now);

  std::vector<ModePhase> phases_;
  bool stopped_ = false;
  int layers_begun_ = 0;
  int step_ = 0;
  int ended_layer_ = -1;
  ModeSwitch mode_switch_{*this};
  std::vector<std::unique_ptr<noc::LinkProbe>> probes_;
};

/// Packets of KV_DATA are at most one VC FIFO long (DESIGN section 4).
int kv_data_packet_flits(const RunConfig& config);
memory::MemoryMapShape memory_map_shape(const RunConfig& config, const workload::DecodePlan& plan);

}  // namespace meshkv::platform
