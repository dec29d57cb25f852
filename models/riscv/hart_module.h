// A hart as a SystemC module: time, a bus, interrupt lines, RAM of its own.
//
// The hart runs ahead of the kernel by at most `quantum_cycles`. Before it touches a device it returns to the
// kernel until both are at the same time, unless nothing at all is scheduled in between: devices see it at
// its own time, and the fabric as it is at that time. Interrupt lines are heard between two quanta: within
// one quantum, at a quantum of one cycle before the next instruction, and at once those that an access of its
// own raises or that end a WFI.
//
// A register that a target grants for reading by DMI does not change until the target says so
// (invalidate_direct_mem_ptr). A hart that polls such a register (PollLoop) sleeps until then, or until an
// interrupt comes, and has then lived as many rounds as it would have.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/common/types.h"
#include "models/riscv/elf_image.h"
#include "models/riscv/hart.h"
#include "models/riscv/poll_loop.h"
#include "models/riscv/ram.h"

namespace meshkv::riscv {

struct HartModuleConfig {
  HartConfig hart;
  std::uint32_t ram_base = 0x80000000;
  std::uint32_t ram_bytes = 256 * 1024;
  Cycle quantum_cycles = 1000;
  sc_core::sc_time period{10, sc_core::SC_NS};  ///< of the fabric's clock: an instruction takes one
};

class HartModule;

/// Why a hart stands still: StopReason::kRequested, kLockup, kBudget (a limit is reached).
class HartListener {
 public:
  virtual ~HartListener() = default;
  virtual void hart_stopped(HartModule& hart, StopReason reason) = 0;
  /// The hart has returned to the kernel and is not stopped.
  virtual void quantum_done(HartModule&) {}
};

/// Has the simulation stand still while it decides what comes next. Called in the hart's process.
class HartDebugger {
 public:
  virtual ~HartDebugger() = default;
  /// kBreakpoint, kWatchpoint, kBudget (a step is done), kLockup, kRequested. On return the hart goes on as
  /// step() and hold() say.
  virtual void hart_stopped(HartModule& hart, StopReason reason) = 0;
};

class HartModule : public sc_core::sc_module, private Bus {
 public:
  tlm_utils::simple_initiator_socket<HartModule> bus;     ///< devices: 32-bit addresses, 1, 2 or 4 bytes
  tlm_utils::simple_initiator_socket<HartModule> memory;  ///< bound to `ram`, whose addresses are offsets
  Ram ram;

  HartModule(sc_core::sc_module_name name, const HartModuleConfig& config);

  /// Puts a program into RAM and pc to its entry. Throws ElfError if it does not fit. The hart runs from then
  /// on; without a program it does not run at all.
  void load(const ElfImage& image);
  /// Runs from `pc` what has been put into `ram` otherwise.
  void start(std::uint32_t pc);
  /// From any process, and from within accesses to the bus.
  void set_interrupt(Interrupt line, bool level);
  /// RAM has been written by somebody else: a hart that sleeps because it polls looks again.
  void ram_written();
  /// The hart stops for good behind the instruction in progress, and the listener is told kRequested.
  void request_stop();
  /// Stops with kBudget when so many instructions have retired.
  void limit_instructions(std::uint64_t instructions) { instruction_limit_ = instructions; }
  /// Stops with kBudget when it has come to that cycle. It does not wake for that.
  void limit_cycles(Cycle cycles) { cycle_limit_ = cycles; }
  void set_listener(HartListener* listener) { listener_ = listener; }

  bool stopped() const { return stopped_; }
  bool waiting() const { return !stopped_ && hart_.waiting(); }
  /// Sleeps because it polls a register that does not change.
  bool polling() const { return polling_; }
  struct Statistics {
    std::uint64_t instructions = 0;
    Cycle cycles = 0;      ///< up to where the hart has come
    Cycle wfi_cycles = 0;  ///< in WFI; one that still waits counts up to now
    std::uint64_t exceptions = 0;
    std::uint64_t interrupts = 0;
    std::uint64_t accesses = 0;     ///< of the bus, those included that need not be made
    std::uint64_t activations = 0;  ///< of its process by the kernel
  };
  Statistics statistics() const;
  Hart& hart() { return hart_; }
  const Hart& hart() const { return hart_; }
  const SymbolTable& symbols() const { return symbols_; }
  const HartModuleConfig& config() const { return config_; }
  /// "waits for an interrupt since cycle 1200 at 0x80000100 (barrier_wait+0x10)"
  std::string describe() const;
  /// What stopped it or the last fault, with registers and the last instructions: several lines.
  std::string crash_report() const;

  // For debuggers.
  void set_debugger(HartDebugger* debugger);
  void step() { step_ = true; }  ///< tells the debugger after the next instruction
  void cancel_step() { step_ = false; }
  void hold(bool held);  ///< executes nothing while held; time goes on
  /// Memory and registers as a debugger sees them, without side effects. False: nobody there.
  bool debug_read(std::uint32_t address, std::uint8_t* data, std::uint32_t bytes);
  bool debug_write(std::uint32_t address, const std::uint8_t* data, std::uint32_t bytes);

 private:
  BusStatus read(std::uint32_t address, unsigned bytes, std::uint32_t& value) override;
  BusStatus write(std::uint32_t address, unsigned bytes, std::uint32_t value) override;
  BusStatus transport(tlm::tlm_command command, std::uint32_t address, unsigned bytes, std::uint32_t& value);

  void activate();
  void run_quantum(Cycle now);
  /// False: the process has been told when to be called again.
  bool go_on(StopReason reason);
  void stop(StopReason reason);
  void acquire_dmi();
  void invalidate_dmi(sc_dt::uint64 first, sc_dt::uint64 last);

  // Registers that change with notice.
  struct Constant {
    std::uint32_t address;
    unsigned bytes;
    std::uint32_t value;
    Cycle latency;  ///< cycles that a read takes beyond the instruction's own
  };
  const Constant* constant_at(std::uint32_t address, unsigned bytes) const;
  void ask_for_constant(std::uint32_t address, unsigned bytes);
  void invalidate_constant(sc_dt::uint64 first, sc_dt::uint64 last);
  BusStatus catch_up_read(std::uint32_t address, unsigned bytes, std::uint32_t& value);
  bool polls(std::uint32_t address, unsigned bytes);
  bool fall_asleep_polling();
  std::uint64_t rounds_until(Cycle cycle) const;
  void skip_rounds(std::uint64_t rounds);
  void live_until(Cycle cycle);
  bool debug_access(tlm::tlm_command command, std::uint32_t address, std::uint8_t* data, std::uint32_t bytes);
  unsigned debug_transport(tlm::tlm_command command, std::uint32_t address, std::uint8_t* data,
                           std::uint32_t bytes);
  Cycle cycle_now() const { return (sc_core::sc_time_stamp().value() + period_ - 1) / period_; }
  /// From now to the beginning of a cycle.
  sc_core::sc_time until(Cycle cycle) const {
    return sc_core::sc_time::from_value(cycle * period_ - sc_core::sc_time_stamp().value());
  }

  HartModuleConfig config_;
  std::uint64_t period_;  ///< in units of the time resolution
  Hart hart_;
  SymbolTable symbols_;
  HartListener* listener_ = nullptr;
  HartDebugger* debugger_ = nullptr;
  tlm::tlm_generic_payload payload_;
  sc_core::sc_event wake_event_;
  std::uint64_t instruction_limit_ = ~std::uint64_t{0};
  Cycle cycle_limit_ = kNever;
  bool loaded_ = false;
  bool stopped_ = false;
  StopReason stop_reason_ = StopReason::kBudget;
  bool held_ = false;
  bool step_ = false;
  bool asleep_ = false;  ///< its process waits for wake_event_
  std::vector<Constant> constants_;
  PollLoop poll_;
  bool poll_found_ = false;  ///< the access in progress repeats
  bool polling_ = false;
  bool catching_up_ = false;  ///< reads of constants need not wait for the kernel
  bool dmi_ = false;
  bool dmi_revoked_ = false;
  Cycle wfi_cycles_ = 0;
  std::uint64_t accesses_ = 0;
  std::uint64_t activations_ = 0;
};

}  // namespace meshkv::riscv
