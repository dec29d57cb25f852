#include "models/controller/devices/column_devices.h"

namespace meshkv::controller {

ColumnDevices::ColumnDevices(sc_core::sc_module_name name, const ColumnDevicesConfig& config,
                             ColumnFabric& fabric, ColumnProcessor& processor)
    : sc_module(name),
      bus("bus", config.bus),
      interrupts([&processor](riscv::Interrupt line, bool level) { processor.set_interrupt(line, level); }),
      timer([&processor](riscv::Interrupt line, bool level) { processor.set_interrupt(line, level); },
            [this](Cycle at) { call_at(timer_event_, at); }),
      mailbox(fabric.identity().column, config.mailbox_cycles, interrupts,
              [this](Cycle at) { call_at(mailbox_event_, at); }),
      console([&processor](const std::string& line) { processor.console_line(line); }),
      exit([&processor](const ExitDevice::End& end) { processor.program_ended(end); }),
      identity(fabric),
      queue(fabric, interrupts),
      schedule(fabric),
      tiles(fabric),
      takv(fabric),
      swaps(fabric),
      counters(fabric),
      period_(config.bus.period.value()) {
  bus.map(block_info("Identity"), 1, identity);
  bus.map(block_info("Queue"), 1, queue);
  bus.map(block_info("Schedule"), 1, schedule);
  bus.map(block_info("Takv"), 1, takv);
  bus.map(block_info("Counters"), 1, counters);
  bus.map(block_info("Interrupts"), 1, interrupts);
  bus.map(block_info("Timer"), 1, timer);
  bus.map(block_info("Mailbox"), 1, mailbox);
  bus.map(block_info("Console"), 1, console);
  bus.map(block_info("Exit"), 1, exit);
  bus.map(block_info("Swaps"), 1, swaps);
  bus.map(block_info("Tile"), fabric.identity().rows, tiles);
  SC_HAS_PROCESS(ColumnDevices);
  SC_METHOD(timer_due);
  sensitive << timer_event_;
  dont_initialize();
  SC_METHOD(mailbox_due);
  sensitive << mailbox_event_;
  dont_initialize();
}

void ColumnDevices::call_at(sc_core::sc_event& event, Cycle at) {
  event.cancel();
  // A time that the kernel cannot count to does not come.
  if (at > sc_core::sc_max_time().value() / period_) return;
  const std::uint64_t when = at * period_;
  const std::uint64_t present = sc_core::sc_time_stamp().value();
  event.notify(sc_core::sc_time::from_value(when > present ? when - present : 0));
}

void connect_mailboxes(const std::vector<ColumnDevices*>& by_column) {
  std::vector<Mailbox*> all;
  for (ColumnDevices* devices : by_column) all.push_back(&devices->mailbox);
  for (Mailbox* mailbox : all) mailbox->connect(all);
}

}  // namespace meshkv::controller
