// The host interface of riscv-tests and the like (HTIF): a program that has the symbols `tohost` and
// `fromhost` tells the host through them that it is done, or asks it for console output. Plain C++.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace meshkv::riscv {

/// RAM as the interface sees it: bytes at `base`. `fromhost` may be 0: the program has no such symbol.
class HostInterface {
 public:
  HostInterface(std::uint8_t* ram, std::uint32_t base, std::uint32_t bytes, std::uint32_t tohost,
                std::uint32_t fromhost);

  /// Looks at tohost, answers what is asked there. The exit code if the program has ended: (tohost >> 1), so
  /// 0 for riscv-tests' 1 and n for the failure of their case n.
  std::optional<std::uint32_t> poll();
  /// The last poll() has written to RAM.
  bool answered() const { return answered_; }
  /// What the program has written since the last call.
  std::string take_output();

 private:
  std::uint32_t word(std::uint32_t address) const;
  void set_word(std::uint32_t address, std::uint32_t value);
  std::optional<std::uint32_t> system_call(std::uint32_t arguments);

  std::uint8_t* ram_;
  std::uint32_t base_, bytes_, tohost_, fromhost_;
  std::string output_;
  bool answered_ = false;
};

}  // namespace meshkv::riscv
