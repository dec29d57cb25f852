#include "models/riscv/host_interface.h"

#include <cstring>
#include <utility>

namespace meshkv::riscv {

HostInterface::HostInterface(std::uint8_t* ram, std::uint32_t base, std::uint32_t bytes, std::uint32_t tohost,
                             std::uint32_t fromhost)
    : ram_(ram), base_(base), bytes_(bytes), tohost_(tohost), fromhost_(fromhost) {}

std::uint32_t HostInterface::word(std::uint32_t address) const {
  std::uint32_t value = 0;
  const std::uint32_t offset = address - base_;
  if (offset < bytes_ && bytes_ - offset >= 4) std::memcpy(&value, ram_ + offset, 4);
  return value;
}

void HostInterface::set_word(std::uint32_t address, std::uint32_t value) {
  const std::uint32_t offset = address - base_;
  if (offset < bytes_ && bytes_ - offset >= 4) std::memcpy(ram_ + offset, &value, 4);
}

std::optional<std::uint32_t> HostInterface::poll() {
  const std::uint32_t low = word(tohost_);
  answered_ = false;
  if (low == 0) return std::nullopt;
  // tohost has 64 bits: device, command, and 48 bits of contents. Device 0 with an odd number is the end.
  const std::uint32_t device_command = word(tohost_ + 4) >> 16;
  std::optional<std::uint32_t> code;
  constexpr std::uint32_t kPutCharacter = 0x0101;
  if (device_command == kPutCharacter) {
    output_ += static_cast<char>(low);
  } else if (low & 1U) {
    return low >> 1;
  } else {
    code = system_call(low);
  }
  answered_ = true;
  set_word(tohost_, 0);
  set_word(tohost_ + 4, 0);
  if (fromhost_ != 0) set_word(fromhost_, 1);
  return code;
}

std::optional<std::uint32_t> HostInterface::system_call(std::uint32_t arguments) {
  // Eight 64-bit words: number, arguments; the result takes the place of the first.
  constexpr std::uint32_t kWrite = 64, kExit = 93, kNotThere = static_cast<std::uint32_t>(-38);
  const std::uint32_t number = word(arguments);
  std::uint32_t result = kNotThere;
  if (number == kExit) return word(arguments + 8);
  if (number == kWrite) {
    const std::uint32_t from = word(arguments + 16) - base_;
    const std::uint32_t length = word(arguments + 24);
    if (from < bytes_ && length <= bytes_ - from) {
      output_.append(reinterpret_cast<const char*>(ram_) + from, length);
      result = length;
    }
  }
  set_word(arguments, result);
  return std::nullopt;
}

std::string HostInterface::take_output() {
  return std::exchange(output_, {});
}

}  // namespace meshkv::riscv
