// The processor of a FirmwareColumn: a hart, or firmware that is compiled for the host.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <systemc>

#include "models/common/types.h"
#include "models/riscv/hart_module.h"

namespace meshkv::controller {

class ColumnBus;

struct CoreStatistics {
  std::uint64_t instructions = 0;  ///< natively: 0
  Cycle busy_cycles = 0;           ///< not asleep
  std::uint64_t interrupts = 0;
};

/// What one of them tells its column.
class FirmwareCoreListener {
 public:
  virtual ~FirmwareCoreListener() = default;
  /// It stands still for good, and not because the program ended: `why` in lines.
  virtual void core_crashed(const std::string& why) = 0;
};

class FirmwareCore {
 public:
  virtual ~FirmwareCore() = default;
  virtual void set_interrupt(riscv::Interrupt line, bool level) = 0;
  /// Stops for good behind the access in progress.
  virtual void stop() = 0;
  virtual CoreStatistics statistics() const = 0;
  virtual std::string describe() const = 0;      ///< what it does: "waits for an interrupt since cycle ..."
  virtual std::string crash_report() const = 0;  ///< lines
  virtual riscv::HartModule* hart() { return nullptr; }  ///< null: there is none
};

/// Makes a core within the calling module and binds it to the bus.
using MakeCore = std::function<std::unique_ptr<FirmwareCore>(ColumnBus&, FirmwareCoreListener&)>;

}  // namespace meshkv::controller
