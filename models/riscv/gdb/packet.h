// Framing of GDB's remote serial protocol (GDB manual, appendix E): $payload#checksum, acknowledgements,
// escapes. Plain C++.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace meshkv::riscv::gdb {

enum class EventKind : std::uint8_t { kPacket, kInterrupt, kAcknowledged, kRejected, kDamaged };
struct Event {
  EventKind kind;
  std::string payload;  ///< of a kPacket, escapes resolved
};

/// Turns the bytes of a connection into events.
class PacketReader {
 public:
  /// A packet longer than this is damaged.
  static constexpr std::size_t kLongest = 0x10000;
  std::vector<Event> feed(const char* data, std::size_t bytes);

 private:
  enum class State : std::uint8_t { kOutside, kPayload, kEscape, kFirstDigit, kSecondDigit };
  State state_ = State::kOutside;
  std::string payload_;
  std::uint8_t sum_ = 0;
  int digit_ = -1;
};

/// "$payload#checksum"; characters that would be taken for framing are escaped.
std::string frame(const std::string& payload);

std::string to_hex(const std::uint8_t* data, std::size_t bytes);
std::string to_hex(const std::string& text);
/// A register: 32 bits in the target's byte order.
std::string word_to_hex(std::uint32_t value);
/// False if the text is no even number of hexadecimal digits.
bool from_hex(const std::string& text, std::vector<std::uint8_t>& bytes);
/// Reads hexadecimal digits at `at` and moves it behind them. False if there are none, or more than 64 bits.
bool take_number(const std::string& text, std::size_t& at, std::uint64_t& value);

}  // namespace meshkv::riscv::gdb
