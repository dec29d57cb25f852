// What a debugger session acts on.
#pragma once

#include <cstdint>
#include <string>

#include "models/riscv/hart.h"

namespace meshkv::riscv::gdb {

/// Harts, numbered from 0; each has a memory of its own.
class Target {
 public:
  virtual ~Target() = default;
  virtual unsigned harts() const = 0;
  virtual Hart& hart(unsigned k) = 0;
  virtual std::string hart_name(unsigned k) const = 0;
  virtual std::string describe(unsigned k) const = 0;  ///< what it does now
  virtual std::string report(unsigned k) const = 0;    ///< registers and last instructions
  virtual std::uint64_t cycle() const = 0;
  /// Without side effects. False: nobody there.
  virtual bool read(unsigned k, std::uint32_t address, std::uint8_t* data, std::uint32_t bytes) = 0;
  virtual bool write(unsigned k, std::uint32_t address, const std::uint8_t* data, std::uint32_t bytes) = 0;
};

}  // namespace meshkv::riscv::gdb
