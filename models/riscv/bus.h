// What a hart sees of everything that is not its RAM.
#pragma once

#include <cstdint>

namespace meshkv::riscv {

enum class BusStatus : std::uint8_t {
  kOk,
  kError,  ///< nobody there, or refused: the hart takes an access fault
  kLater,  ///< not at this moment: the hart stops before the instruction, which is executed again by the next
           ///< run()
};

/// `bytes` is 1, 2 or 4, `address` a multiple of it. Values are little endian numbers in the low bytes. A
/// callee may call Hart::stall() for cycles that the access takes, and Hart::set_interrupt() and
/// Hart::request_stop() for what it causes: all three act on the instruction that follows.
class Bus {
 public:
  virtual ~Bus() = default;
  virtual BusStatus read(std::uint32_t address, unsigned bytes, std::uint32_t& value) = 0;
  virtual BusStatus write(std::uint32_t address, unsigned bytes, std::uint32_t value) = 0;
};

}  // namespace meshkv::riscv
