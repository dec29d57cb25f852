// What the processor of the host objects to in natively compiled firmware, and what never comes back, without
// the end of the whole simulation.
#pragma once

#include <csetjmp>
#include <cstdint>
#include <string>
#include <vector>

#include "models/riscv/symbol_table.h"

namespace meshkv::controller {

struct NativeFault {
  int signal = 0;              ///< 0: it computed for too long without calling the simulation
  std::uintptr_t address = 0;  ///< that was accessed
  bool is_call = false;        ///< of that address
  std::uintptr_t stack_pointer = 0;
  std::vector<std::uintptr_t> calls;  ///< return addresses, the innermost first
};

/// One a program. Programs take turns in one thread of the host.
class NativeGuard {
 public:
  /// Of this machine's time, for which a program may compute without calling the simulation: up to twice as
  /// much, from the first run() on.
  static double patience_seconds;

  /// Calls `function(argument)`. False: it did not return, and fault() says why.
  bool run(void (*function)(const void*), const void* argument);
  const NativeFault& fault() const { return fault_; }

  /// The program has called the simulation, whose own faults are not caught.
  class Outside {
   public:
    explicit Outside(NativeGuard& guard);
    ~Outside();

   private:
    NativeGuard* before_;
  };

 private:
  static void handle(int signal, void* info, void* context);
  static void install();

  static NativeGuard* inside_;    ///< whose program has control; null: none
  static std::uint64_t entries_;  ///< calls of the simulation

  sigjmp_buf end_;
  NativeFault fault_;
};

/// Functions of a shared object of this machine, by their offsets in it.
riscv::SymbolTable symbols_of_library(const std::string& file);

/// Return addresses, the innermost first.
std::vector<std::uintptr_t> calls_to_here();
/// Lines: those of the calls that lie in the library, any address of which is `library`.
std::string describe_calls(const std::vector<std::uintptr_t>& calls, const std::string& file,
                           const void* library);
std::string describe_fault(const NativeFault& fault);  ///< a line

}  // namespace meshkv::controller
