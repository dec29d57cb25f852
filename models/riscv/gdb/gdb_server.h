// The debugger's port of a simulation: gdb-multiarch connects to it with `target remote :PORT`.
//
// The simulation waits for the debugger at its start, and stands still as a whole while the debugger has it:
// the process that stopped does not return to the kernel. A debugger that detaches or vanishes leaves the
// simulation running without breakpoints; another may connect later and finds it stopped where it is.
#pragma once

#include <deque>
#include <memory>
#include <ostream>
#include <systemc>
#include <vector>

#include "models/riscv/gdb/attention.h"
#include "models/riscv/gdb/connection.h"
#include "models/riscv/gdb/packet.h"
#include "models/riscv/gdb/session.h"
#include "models/riscv/gdb/target.h"
#include "models/riscv/hart_module.h"

namespace meshkv::riscv::gdb {

class GdbServer : public sc_core::sc_module, private HartDebugger, private Target {
 public:
  /// `port` 0: any that is free; said on `log`. Throws std::runtime_error if it cannot be had. The harts
  /// outlive the server.
  GdbServer(sc_core::sc_module_name name, int port, std::vector<HartModule*> harts, std::ostream& log);
  ~GdbServer() override;

  int port() const { return connection_.port(); }
  /// The debugger has killed the program: all harts have been stopped.
  bool killed() const { return killed_; }
  /// The simulation has ended: tells the debugger the exit code, and that there is nothing left.
  void finish(int exit_code);

 private:
  // HartDebugger
  void hart_stopped(HartModule& hart, StopReason reason) override;
  // Target
  unsigned harts() const override { return static_cast<unsigned>(harts_.size()); }
  Hart& hart(unsigned k) override { return harts_[k]->hart(); }
  std::string hart_name(unsigned k) const override { return harts_[k]->name(); }
  std::string describe(unsigned k) const override { return harts_[k]->describe(); }
  std::string report(unsigned k) const override { return harts_[k]->crash_report(); }
  std::uint64_t cycle() const override;
  bool read(unsigned k, std::uint32_t address, std::uint8_t* data, std::uint32_t bytes) override;
  bool write(unsigned k, std::uint32_t address, const std::uint8_t* data, std::uint32_t bytes) override;

  void start_of_simulation() override;
  void begin_session();
  /// Waits for bytes and appends their events. False: the debugger is gone, and has been dropped.
  bool receive();
  void attend();
  void look();
  /// Sends a stop (or nothing) and answers the debugger until it lets the simulation go on.
  void serve(const std::string& stop);
  /// False: the simulation goes on.
  bool answer(const Event& event);
  void send(const std::string& payload);
  void go_on();
  void drop();
  void note_devices();
  unsigned number_of(const HartModule& hart) const;
  bool in_ram(unsigned k, const Watchpoint& watchpoint) const;

  struct WatchedDevice {
    Watchpoint watchpoint;
    unsigned hart;
    std::vector<std::uint8_t> value;
  };

  std::vector<HartModule*> harts_;
  std::ostream& log_;
  Connection connection_;
  Attention attention_;
  std::unique_ptr<Session> session_;  ///< while a debugger is connected
  PacketReader reader_;
  std::deque<Event> events_;  ///< that have come and have not been answered
  unsigned ended_ = 0;        ///< harts that have stopped for good
  std::string last_frame_;
  bool killed_ = false;
  std::vector<WatchedDevice> devices_;
  sc_core::sc_event look_event_;
};

}  // namespace meshkv::riscv::gdb
