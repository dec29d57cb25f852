#include "platform/trace/vcd_text.h"

#include <array>

namespace meshkv::platform {

namespace {

/// The eight binary digits of each byte.
using Digits = std::array<std::array<char, 8>, 256>;

const Digits& digits() {
  static const Digits table = [] {
    Digits all{};
    for (unsigned value = 0; value < all.size(); ++value)
      for (unsigned k = 0; k < 8; ++k) all[value][k] = static_cast<char>('0' + (value >> (7 - k) & 1U));
    return all;
  }();
  return table;
}

}  // namespace

VcdIdentifier::VcdIdentifier(std::size_t number) {
  text_[size_++] = ' ';
  do {
    text_[size_++] = static_cast<char>('!' + number % 94);
    number /= 94;
  } while (number != 0);
  text_[size_++] = '\n';
}

void VcdText::time(std::uint64_t cycle) {
  append("#" + std::to_string(cycle) + "\n");
}

void VcdText::vector(std::uint64_t value, const VcdIdentifier& id) {
  static const Digits& table = digits();
  text_[size_++] = 'b';
  const unsigned count = value == 0 ? 1 : 64 - static_cast<unsigned>(__builtin_clzll(value));
  unsigned byte = (count - 1) / 8;
  const unsigned leading = count - 8 * byte;
  append({table[value >> 8 * byte & 0xff].data() + 8 - leading, leading});
  while (byte-- != 0) append({table[value >> 8 * byte & 0xff].data(), 8});
  append(id.line_end());
}

}  // namespace meshkv::platform
