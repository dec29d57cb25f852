// One ELF file on one hart, with the fabric idle (`vp elf`).
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>

#include "models/common/types.h"

namespace meshkv::platform {

struct ElfOptions {
  std::string file;
  std::optional<int> gdb_port;  ///< 0: any that is free
  std::uint64_t max_instructions = ~std::uint64_t{0};
  Cycle max_cycles = kNever;
  std::uint32_t ram_bytes = 1 << 20;
  Cycle quantum_cycles = 1000;
  double clock_mhz = 300;
  bool trap_misaligned = false;
  std::string trace_file;  ///< empty: no trace
  std::uint64_t trace_lines = 1000000;
  bool profile = false;
  bool statistics = false;
};

/// The program's console goes to `out`, all else to `errors`. Returns the exit code of the process: the
/// program's own, cut to what a process can return but never to 0 if it is not; 1 if a limit is reached; 3 if
/// the program has crashed or waits for ever. Throws InputError for a file that cannot be run.
int run_elf(const ElfOptions& options, std::ostream& out, std::ostream& errors);

}  // namespace meshkv::platform
