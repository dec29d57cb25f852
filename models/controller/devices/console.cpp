#include "models/controller/devices/console.h"

#include <utility>

namespace meshkv::controller {

bool Console::write(std::uint32_t, std::uint32_t value, Cycle) {
  constexpr std::size_t kLongest = 4096;
  const char c = static_cast<char>(value & 0xffU);
  if (c != '\n') text_ += c;
  if (c == '\n' || text_.size() >= kLongest) line_(std::exchange(text_, {}));
  return true;
}

void Console::flush() {
  if (!text_.empty()) line_(std::exchange(text_, {}));
}

}  // namespace meshkv::controller
