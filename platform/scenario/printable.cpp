#include "platform/scenario/printable.h"

#include <cstdint>

namespace meshkv::platform {
namespace {

/// Bytes of the character that begins at `at`, or 0 for what is no character that may be shown.
std::size_t character_bytes(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  if (first < 0x80) return (first >= 0x20 && first != 0x7f) || first == '\t' || first == '\n' ? 1 : 0;
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + bytes > text.size()) return 0;
  std::uint32_t code = first & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(at + i) & 0x3fU);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  const bool control = code < 0xa0;
  const bool unpaired = code > 0x10ffff || (code & 0xfffeU) == 0xfffeU;
  return overlong || surrogate || control || unpaired ? 0 : bytes;
}

}  // namespace

std::string printable(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = character_bytes(text, at);
    out += bytes == 0 ? "\xef\xbf\xbd" : text.substr(at, bytes);
    at += bytes == 0 ? 1 : bytes;
  }
  return out;
}

std::string printable_name(const std::string& name) {
  std::string out;
  for (const char c : printable(name)) {
    if (c == '\t' || c == '\n')
      out += "\xef\xbf\xbd";
    else
      out += c;
  }
  return out;
}

}  // namespace meshkv::platform
