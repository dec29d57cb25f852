#include "models/riscv/gdb/packet.h"

namespace meshkv::riscv::gdb {
namespace {

constexpr char kDigits[] = "0123456789abcdef";

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::vector<Event> PacketReader::feed(const char* data, std::size_t bytes) {
  std::vector<Event> events;
  for (std::size_t k = 0; k < bytes; ++k) {
    const char c = data[k];
    switch (state_) {
      case State::kOutside:
        if (c == '$') {
          state_ = State::kPayload;
          payload_.clear();
          sum_ = 0;
        } else if (c == '+') {
          events.push_back({EventKind::kAcknowledged, {}});
        } else if (c == '-') {
          events.push_back({EventKind::kRejected, {}});
        } else if (c == '\x03') {
          events.push_back({EventKind::kInterrupt, {}});
        }
        break;
      case State::kPayload:
        if (c == '#') {
          state_ = State::kFirstDigit;
          break;
        }
        sum_ = static_cast<std::uint8_t>(sum_ + static_cast<std::uint8_t>(c));
        if (c == '}')
          state_ = State::kEscape;
        else
          payload_ += c;
        break;
      case State::kEscape:
        sum_ = static_cast<std::uint8_t>(sum_ + static_cast<std::uint8_t>(c));
        payload_ += static_cast<char>(c ^ 0x20);
        state_ = State::kPayload;
        break;
      case State::kFirstDigit:
        digit_ = digit_of(c);
        state_ = State::kSecondDigit;
        break;
      case State::kSecondDigit: {
        const int low = digit_of(c);
        const bool right = digit_ >= 0 && low >= 0 && digit_ * 16 + low == sum_;
        events.push_back(
            {right ? EventKind::kPacket : EventKind::kDamaged, right ? payload_ : std::string()});
        state_ = State::kOutside;
        break;
      }
    }
    if (payload_.size() > kLongest) {
      payload_.clear();
      state_ = State::kOutside;
      events.push_back({EventKind::kDamaged, {}});
    }
  }
  return events;
}

std::string frame(const std::string& payload) {
  std::string text = "$";
  std::uint8_t sum = 0;
  const auto put = [&](char c) {
    text += c;
    sum = static_cast<std::uint8_t>(sum + static_cast<std::uint8_t>(c));
  };
  for (const char c : payload) {
    if (c == '$' || c == '#' || c == '}' || c == '*') {
      put('}');
      put(static_cast<char>(c ^ 0x20));
    } else {
      put(c);
    }
  }
  return text + '#' + kDigits[sum >> 4] + kDigits[sum & 15];
}

std::string to_hex(const std::uint8_t* data, std::size_t bytes) {
  std::string text;
  for (std::size_t k = 0; k < bytes; ++k) {
    text += kDigits[data[k] >> 4];
    text += kDigits[data[k] & 15];
  }
  return text;
}

std::string to_hex(const std::string& text) {
  return to_hex(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

std::string word_to_hex(std::uint32_t value) {
  const std::uint8_t bytes[4] = {static_cast<std::uint8_t>(value), static_cast<std::uint8_t>(value >> 8),
                                 static_cast<std::uint8_t>(value >> 16),
                                 static_cast<std::uint8_t>(value >> 24)};
  return to_hex(bytes, 4);
}

bool from_hex(const std::string& text, std::vector<std::uint8_t>& bytes) {
  bytes.clear();
  if (text.size() % 2 != 0) return false;
  for (std::size_t k = 0; k < text.size(); k += 2) {
    const int high = digit_of(text[k]);
    const int low = digit_of(text[k + 1]);
    if (high < 0 || low < 0) return false;
    bytes.push_back(static_cast<std::uint8_t>(high * 16 + low));
  }
  return true;
}

bool take_number(const std::string& text, std::size_t& at, std::uint64_t& value) {
  value = 0;
  std::size_t digits = 0;
  for (; at < text.size() && digit_of(text[at]) >= 0; ++at, ++digits)
    value = value << 4 | static_cast<std::uint64_t>(digit_of(text[at]));
  return digits > 0 && digits <= 16;
}

}  // namespace meshkv::riscv::gdb
