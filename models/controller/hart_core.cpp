#include "models/controller/hart_core.h"

#include "models/controller/devices/column_bus.h"
#include "models/riscv/symbol_table.h"

namespace meshkv::controller {

HartCore::HartCore(const riscv::HartModuleConfig& config, const riscv::ElfImage& image, ColumnBus& bus,
                   FirmwareCoreListener& listener)
    : hart_("hart", config), listener_(listener) {
  hart_.bus.bind(bus.from_core);
  hart_.set_listener(this);
  hart_.load(image);
}

CoreStatistics HartCore::statistics() const {
  const riscv::HartModule::Statistics s = hart_.statistics();
  return {s.instructions, s.cycles - s.wfi_cycles, s.interrupts};
}

std::string HartCore::describe() const {
  std::string text = hart_.describe();
  if (hart_.waiting()) text += ", called from " + riscv::address_text(hart_.hart().reg(1), hart_.symbols());
  return text;
}

void HartCore::hart_stopped(riscv::HartModule&, riscv::StopReason reason) {
  if (reason == riscv::StopReason::kLockup) listener_.core_crashed(crash_report());
}

}  // namespace meshkv::controller
