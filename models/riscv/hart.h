// One RV32IMC_Zicsr_Zifencei hart with machine mode only. Plain C++: it knows neither SystemC nor devices.
//
// Every instruction takes one cycle; what a bus access takes longer is added by the bus (stall()). RAM is
// bytes that the hart reads and writes itself; all else goes over Bus, and only aligned accesses do.
// Instructions come from RAM alone. They are decoded once and kept until fence.i, invalidate_code() or a
// change of the breakpoints, so code that was written is executed after a fence.i only, as the architecture
// has it.
//
// How it is fast: an entry per halfword of RAM holds the handler's address and the operands; the entry says
// how many instructions follow up to the next branch, so that the budget is counted once a block, and a
// direct branch is an addition. What does not fit the budget, is watched or traced runs in a second loop,
// made of the same handlers, that counts each instruction. Both give the same results after any number of
// cycles.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "models/riscv/bus.h"
#include "models/riscv/hart_observer.h"
#include "models/riscv/instruction.h"
#include "models/riscv/isa.h"

namespace meshkv::riscv {

enum class StopReason : std::uint8_t {
  kBudget,      ///< the cycles are used up
  kWaiting,     ///< in WFI, and no enabled interrupt is pending
  kBusLater,    ///< Bus answered kLater; pc is the instruction that asked
  kBreakpoint,  ///< pc has a breakpoint, or is an ebreak that stops (stop_at_ebreak)
  kWatchpoint,  ///< the instruction at pc is about to access what watch_hit() names
  kRequested,   ///< request_stop()
  kLockup,      ///< traps that can only repeat for ever; last_fault() names the first of them
};
const char* stop_reason_name(StopReason reason);

struct RunResult {
  std::uint64_t cycles = 0;        ///< may exceed the budget by what the last bus access took
  std::uint64_t instructions = 0;  ///< retired
  StopReason reason = StopReason::kBudget;
};

/// Where an exception was raised, with the registers of that moment.
struct Fault {
  bool valid = false;
  std::uint32_t pc = 0;
  std::uint32_t cause = 0;  ///< as in mcause
  std::uint32_t value = 0;  ///< as in mtval
  std::array<std::uint32_t, 32> registers{};
  std::vector<std::uint32_t> trail;  ///< pcs of the last instructions, the oldest first
};

struct Watchpoint {
  std::uint32_t address = 0;
  std::uint32_t bytes = 0;
  bool reads = false;
  bool writes = false;
  friend bool operator==(const Watchpoint& a, const Watchpoint& b) {
    return a.address == b.address && a.bytes == b.bytes && a.reads == b.reads && a.writes == b.writes;
  }
};

struct HartConfig {
  std::uint32_t hart_id = 0;
  std::uint32_t reset_pc = 0x80000000;
  bool trap_misaligned = false;  ///< misaligned accesses to RAM trap; otherwise RAM does them
};

class Hart {
 public:
  Hart(const HartConfig& config, Bus& bus);
  Hart(const Hart&) = delete;
  Hart& operator=(const Hart&) = delete;

  /// RAM at `base`, which is even, as `bytes` (even) does not move until the next call; null: none, and no
  /// instruction either.
  void set_ram(std::uint8_t* ram, std::uint32_t base, std::uint32_t bytes);
  /// Registers and CSRs as after reset. Counters, breakpoints and RAM stay.
  void reset();
  /// Executes until `cycles` are used up, or something of StopReason comes first.
  RunResult run(std::uint64_t cycles);

  // Lines and calls from outside, and from within a bus access.
  void set_interrupt(Interrupt line, bool level);
  void stall(std::uint64_t cycles) { stall_ += cycles; }  ///< the access in progress takes longer
  void request_stop();  ///< run() returns kRequested after the instruction in progress, or at once when
                        ///< called in between
  /// WFI with no enabled interrupt pending.
  bool waiting() const { return waiting_ && !(pending_ & mie_); }
  /// Cycles in which the hart did nothing: they count in mcycle.
  void idle(std::uint64_t cycles);
  /// Rounds of a loop that leave the hart as it is: cycles and instructions count, nothing else happens.
  void skip(std::uint64_t cycles, std::uint64_t instructions) {
    cycles_ += cycles;
    lost_cycles_ += cycles - instructions;
  }
  /// Cycles since construction; within a bus access, up to the beginning of the instruction that asks.
  std::uint64_t cycles() const { return cycles_; }
  std::uint64_t instructions() const { return cycles_ - lost_cycles_; }  ///< retired
  std::uint64_t traps() const { return exceptions_ + interrupts_; }
  std::uint64_t interrupts() const { return interrupts_; }

  // State, for loaders, debuggers and reports.
  std::uint32_t pc() const { return pc_; }
  void set_pc(std::uint32_t pc);
  std::uint32_t reg(unsigned number) const { return x_[number]; }
  void set_reg(unsigned number, std::uint32_t value);
  /// False if there is no such CSR, or it cannot be written.
  bool read_csr(std::uint32_t number, std::uint32_t& value) const;
  bool write_csr(std::uint32_t number, std::uint32_t value);
  std::uint32_t id() const { return config_.hart_id; }
  const Fault& last_fault() const { return last_fault_; }
  /// pcs of the last instructions, the oldest first, ending before pc().
  std::vector<std::uint32_t> trail(std::size_t most = 16) const;
  /// The instruction's bytes; false outside RAM.
  bool fetch(std::uint32_t pc, std::uint32_t& bits) const;

  // Debugging.
  /// RAM has been written from outside.
  void invalidate_code();
  void add_breakpoint(std::uint32_t pc);
  void remove_breakpoint(std::uint32_t pc);
  void add_watchpoint(const Watchpoint& watchpoint);
  void remove_watchpoint(const Watchpoint& watchpoint);
  struct WatchHit {
    std::uint32_t address = 0;
    Watchpoint watchpoint;
  };
  const WatchHit& watch_hit() const { return watch_hit_; }
  /// The next run() executes the instruction at pc whatever breakpoint or watchpoint stops there.
  void pass_breakpoint() { pass_breakpoint_ = true; }
  /// ebreak stops with kBreakpoint instead of trapping.
  void stop_at_ebreak(bool stop) { stop_at_ebreak_ = stop; }
  /// Told of every instruction before it is executed; null: nobody.
  void set_observer(HartObserver* observer) { observer_ = observer; }
  /// Somebody wants to see each instruction: an observer, a breakpoint, a watchpoint.
  bool inspected() const { return needs_exact() || !breakpoints_.empty(); }

 private:
  struct Entry {
    const void* handler = nullptr;  ///< label in execute<false>
    std::int32_t immediate = 0;     ///< branches: distance in entries
    std::uint8_t rd = 0, rs1 = 0, rs2 = 0;
    std::uint8_t block = 0;  ///< instructions from here to the end of the block, this one included; 0: not
                             ///< decoded
  };
  /// Why a loop was left.
  enum class Leave : std::uint8_t {
    kBudget,
    kBlock,      ///< the fast loop: the next block is longer than the budget
    kAlone,      ///< the fast loop: the next instruction is one for the exact loop
    kAttention,  ///< see must_stop()
    kTrap,
    kFar,  ///< a jump to where there is no RAM
    kLater,
    kBreakpoint,
    kWatchpoint
  };
  /// What was executed last: a ring of pointers to entries with a tag in their low bits.
  static constexpr unsigned kTrail = 32;
  enum Tag : std::uintptr_t { kWholeBlock = 0, kEndsHere = 1, kOneInstruction = 2, kEndsBefore = 3 };

  template <bool kExact>
  Leave execute();
  Leave execute_one();
  bool needs_exact() const { return observer_ != nullptr || !watchpoints_.empty(); }
  bool must_stop(StopReason& reason);
  void take_interrupt();
  void trap_now();
  void observe(unsigned code);
  void raise(std::uint32_t cause, std::uint32_t value);
  void enter_trap(std::uint32_t cause, std::uint32_t value, std::uint32_t target);
  void return_from_trap();
  void note_fault(std::uint32_t cause, std::uint32_t value);
  void update_attention();
  RunResult finish(StopReason reason);

  // Decoding (hart_decode.cpp).
  void decode_block(Entry* first);
  /// False if no instruction follows it in a block.
  bool decode_entry(std::size_t index);
  /// Of the instruction that lies in RAM at the entry, whatever breakpoints there are.
  unsigned code_below(std::size_t index);
  /// Of the instruction in progress: what is in the table, unless a breakpoint stands there that is passed.
  unsigned code_at(std::size_t index);
  unsigned code_of(const Instruction& instruction, std::size_t index, Entry& entry) const;
  bool is_far(const Instruction& instruction, std::size_t index) const;
  void flush();

  // Called by handlers; pc_ and the counters are those of the instruction. False: a trap or kLater.
  bool load(std::uint32_t address, unsigned code, std::uint32_t& value);
  bool store(std::uint32_t address, unsigned code, std::uint32_t value);
  bool bus_done(BusStatus status, Cause fault, std::uint32_t address);
  bool execute_csr(const Entry& entry, unsigned code);
  void far_target();
  /// Whether a watchpoint stops the access.
  bool watched(std::uint32_t address, unsigned bytes, bool write);
  std::uint64_t take_stall();
  bool fail(Cause cause, std::uint32_t value) {
    trap_cause_ = static_cast<std::uint32_t>(cause);
    trap_value_ = value;
    return false;
  }
  void count_to(std::int64_t left) {
    cycles_ += static_cast<std::uint64_t>(left_ - left);
    left_ = left;
  }

  HartConfig config_;
  Bus& bus_;
  std::uint8_t* ram_ = nullptr;
  std::uint32_t ram_base_ = 0;
  std::uint32_t ram_bytes_ = 0;

  std::array<std::uint32_t, 33> x_{};  ///< x_[32] takes what is written to x0
  std::uint32_t pc_ = 0;
  std::uint64_t cycles_ = 0;
  std::uint64_t lost_cycles_ = 0;  ///< cycles in which no instruction retired
  std::int64_t left_ = 0;          ///< of the budget of this run()
  std::uint64_t run_from_cycles_ = 0, run_from_instructions_ = 0;
  std::uint64_t stall_ = 0;
  std::uint64_t exceptions_ = 0;
  std::uint64_t interrupts_ = 0;

  std::uint32_t mstatus_ = kMstatusMpp, mie_ = 0, pending_ = 0, mtvec_ = 0, mscratch_ = 0, mepc_ = 0,
                mcause_ = 0, mtval_ = 0;
  std::uint64_t mcycle_offset_ = 0, minstret_offset_ = 0;
  bool waiting_ = false;
  bool attention_ = false;  ///< an interrupt can be taken, or something wants run() to return
  bool stop_requested_ = false;

  std::uint32_t trap_cause_ = 0, trap_value_ = 0;
  bool bus_later_ = false;
  bool lockup_ = false;
  Fault last_fault_;
  std::uint32_t repeated_pc_ = 0, repeated_cause_ = 0;
  unsigned repeats_ = 0;

  std::vector<Entry> entries_;       ///< one a halfword of RAM and one behind it
  std::vector<std::uint8_t> codes_;  ///< which handler, for the exact loop
  std::size_t decoded_from_ = 0, decoded_to_ = 0;
  const void* const* labels_ = nullptr;
  std::array<std::uintptr_t, kTrail> trail_{};
  unsigned trail_at_ = 0;

  std::set<std::uint32_t> breakpoints_;
  std::vector<Watchpoint> watchpoints_;
  WatchHit watch_hit_;
  bool watch_stop_ = false;  ///< the access in progress has been stopped
  bool pass_breakpoint_ = false;
  bool stop_at_ebreak_ = false;
  HartObserver* observer_ = nullptr;
  bool observed_ = false;  ///< the instruction at pc has been told before the bus put it off
};

}  // namespace meshkv::riscv
