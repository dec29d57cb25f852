// The columns' controllers of a chip: sequencers, or processors with firmware.
#include <algorithm>

#include "models/controller/descriptor_controller.h"
#include "models/controller/hart_core.h"
#include "models/controller/native_core.h"
#include "platform/chip/chip.h"
#include "platform/elf/program_files.h"

namespace meshkv::platform {

namespace {

controller::MakeCore hart_maker(int column, const RunConfig& config, const sc_core::sc_time& period) {
  riscv::HartModuleConfig hart;
  hart.hart.hart_id = static_cast<std::uint32_t>(column);
  hart.quantum_cycles = static_cast<Cycle>(config.controllers.quantum_cycles);
  hart.period = period;
  hart.ram_base = kControllerRamBase;
  hart.ram_bytes = kControllerRamBytes;
  return [hart, &config](controller::ColumnBus& bus, controller::FirmwareCoreListener& listener) {
    const riscv::ElfImage image = load_program(config.controllers.firmware);
    return std::make_unique<controller::HartCore>(hart, image, bus, listener);
  };
}

controller::MakeCore native_maker(int column, const RunConfig& config, const sc_core::sc_time& period) {
  controller::NativeCoreConfig native;
  native.file = program_file(config.controllers.firmware, ".so");
  native.name = "dc_" + std::to_string(column);
  native.period = period;
  native.cycles_per_access = static_cast<Cycle>(config.controllers.native_cycles);
  return [native](controller::ColumnBus& bus, controller::FirmwareCoreListener& listener) {
    return std::make_unique<controller::NativeCore>("native", native, bus, listener);
  };
}

controller::MakeCore core_maker(int column, const RunConfig& config, const sc_core::sc_time& period) {
  return config.controllers.kind == controller::ControllerKind::kRv32 ? hart_maker(column, config, period)
                                                                      : native_maker(column, config, period);
}

}  // namespace

std::unique_ptr<controller::ColumnController> Chip::make_controller(int column, const RunConfig& config) {
  const std::string name = "dc_" + std::to_string(column);
  if (config.controllers.kind == controller::ControllerKind::kSequencer)
    return std::make_unique<controller::DescriptorController>(name.c_str(), column, config.controllers, clock,
                                                              plan, coordinator);
  auto made =
      std::make_unique<controller::FirmwareColumn>(name.c_str(), column, config.controllers, clock, plan,
                                                   coordinator, core_maker(column, config, clock.period()));
  prepare_firmware(*made);
  return made;
}

void Chip::prepare_firmware(controller::FirmwareColumn& column) {
  column.tile_counters = [this, x = column.column()] { return column_counters(x); };
  column.on_console = [this](int x, const std::string& line) {
    if (on_console) on_console(x, line);
  };
  column.on_end = [this](const controller::FirmwareColumn& ended) {
    // Programs that drove nothing leave nothing that had to drain.
    const bool over = std::all_of(firmware.begin(), firmware.end(), [](const controller::FirmwareColumn* c) {
      return c->end() && c->statistics().descriptors == 0;
    });
    if (ended.failed() || over) stop();
  };
  firmware.push_back(&column);
}

void Chip::connect_firmware(const RunConfig& config) {
  if (firmware.empty()) return;
  std::vector<controller::ColumnDevices*> devices;
  for (controller::FirmwareColumn* column : firmware) devices.push_back(&column->devices());
  controller::connect_mailboxes(devices);
  firmware_watchdog =
      std::make_unique<controller::FirmwareWatchdog>(clock, config.controllers.watchdog_cycles);
  firmware_watchdog->on_stuck = [this] { stop(); };
  firmware_watchdog->start({firmware.begin(), firmware.end()});
}

controller::ColumnCounters Chip::column_counters(int column) const {
  controller::ColumnCounters sum;
  for (const auto& tile : tiles) {
    if (plan.mesh().coord(tile->node()).x != column) continue;
    const pad::PadStatistics& s = tile->pad.statistics();
    sum.fetches += s.fetches;
    sum.segments += s.segments;
    sum.lines += tile->pad.mac_statistics().lines;
    sum.credit_stalls += s.credit_stall_cycles;
    sum.parts += s.parts;
  }
  return sum;
}

}  // namespace meshkv::platform
