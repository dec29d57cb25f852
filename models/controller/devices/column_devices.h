// All devices of a column on their bus, with the interrupt lines that leave them and the time that they need.
#pragma once

#include <functional>
#include <systemc>
#include <vector>

#include "models/controller/devices/column_bus.h"
#include "models/controller/devices/console.h"
#include "models/controller/devices/exit_device.h"
#include "models/controller/devices/fabric_registers.h"
#include "models/controller/devices/interrupt_controller.h"
#include "models/controller/devices/mailbox.h"
#include "models/controller/devices/swap_registers.h"
#include "models/controller/devices/timer.h"

namespace meshkv::controller {

struct ColumnDevicesConfig {
  ColumnBusConfig bus;
  Cycle mailbox_cycles = 8;  ///< a word's way to another column
};

/// Whoever runs the program.
class ColumnProcessor {
 public:
  virtual ~ColumnProcessor() = default;
  virtual void set_interrupt(riscv::Interrupt line, bool level) = 0;
  virtual void console_line(const std::string& line) = 0;
  /// The program has ended; its processor is to stop behind the access in progress.
  virtual void program_ended(const ExitDevice::End& end) = 0;
};

class ColumnDevices : public sc_core::sc_module {
 public:
  /// Fabric and processor outlive it.
  ColumnDevices(sc_core::sc_module_name name, const ColumnDevicesConfig& config, ColumnFabric& fabric,
                ColumnProcessor& processor);

  ColumnBus bus;
  InterruptController interrupts;
  Timer timer;
  Mailbox mailbox;
  Console console;
  ExitDevice exit;
  Identity identity;
  DescriptorQueue queue;
  Schedule schedule;
  TileStatus tiles;
  HomeResolver takv;
  SwapRegisters swaps;
  PerformanceCounters counters;

 private:
  void call_at(sc_core::sc_event& event, Cycle at);
  Cycle now() const { return sc_core::sc_time_stamp().value() / period_; }
  void timer_due() { timer.reached(now()); }
  void mailbox_due() { mailbox.deliver(now()); }

  std::uint64_t period_;  ///< in units of the time resolution
  sc_core::sc_event timer_event_;
  sc_core::sc_event mailbox_event_;
};

/// Each column's words reach the others.
void connect_mailboxes(const std::vector<ColumnDevices*>& by_column);

}  // namespace meshkv::controller
