// ELF files for tests, written by hand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace meshkv::test {

struct ElfBuilder {
  struct Segment {
    std::uint32_t address;
    std::vector<std::uint8_t> bytes;
    std::uint32_t memory_bytes;  ///< 0: as many as there are bytes
    std::uint32_t type = 1;
    std::uint32_t virtual_address = 0;  ///< 0: the same
  };
  struct Symbol {
    std::string name;
    std::uint32_t address, bytes;
    std::uint8_t type;  ///< 0 label, 1 data, 2 function
    std::uint16_t section = 1;
  };
  std::uint32_t entry = 0x80000000;
  std::vector<Segment> segments;
  std::vector<Symbol> symbols;  ///< none: no section headers at all
  std::uint16_t machine = 243, type = 2;
  std::uint32_t flags = 1;
  std::uint8_t elf_class = 1, byte_order = 1;

  std::vector<std::uint8_t> build() const {
    std::vector<std::uint8_t> out{0x7f, 'E', 'L', 'F', elf_class, byte_order, 1};
    const auto half = [&](std::uint32_t v) {
      const std::uint8_t low = static_cast<std::uint8_t>(v), high = static_cast<std::uint8_t>(v >> 8);
      out.push_back(byte_order == 2 ? high : low);
      out.push_back(byte_order == 2 ? low : high);
    };
    const auto word = [&](std::uint32_t v) {
      half(v & 0xffff);
      half(v >> 16);
    };
    out.resize(16);
    std::uint32_t data = 52 + 32 * static_cast<std::uint32_t>(segments.size());
    std::uint32_t end = data;
    for (const Segment& s : segments) end += static_cast<std::uint32_t>(s.bytes.size());
    std::string names(1, '\0');
    for (const Symbol& s : symbols) names += s.name + '\0';
    const auto symbol_bytes = 16 * static_cast<std::uint32_t>(symbols.size() + 1);
    const auto name_bytes = static_cast<std::uint32_t>(names.size());
    const std::uint32_t sections = symbols.empty() ? 0 : end + symbol_bytes + name_bytes;
    half(type), half(machine), word(1), word(entry), word(52), word(sections), word(flags), half(52),
        half(32);
    half(static_cast<std::uint32_t>(segments.size())), half(40), half(symbols.empty() ? 0 : 3), half(2);
    for (const Segment& s : segments) {
      const auto bytes = static_cast<std::uint32_t>(s.bytes.size());
      word(s.type), word(data), word(s.virtual_address ? s.virtual_address : s.address), word(s.address),
          word(bytes);
      word(s.memory_bytes ? s.memory_bytes : bytes), word(7), word(4);
      data += bytes;
    }
    for (const Segment& s : segments) out.insert(out.end(), s.bytes.begin(), s.bytes.end());
    if (symbols.empty()) return out;
    for (int k = 0; k < 4; ++k) word(0);
    std::uint32_t name = 1;
    for (const Symbol& s : symbols) {
      word(name), word(s.address), word(s.bytes), half(s.type), half(s.section);
      name += static_cast<std::uint32_t>(s.name.size()) + 1;
    }
    out.insert(out.end(), names.begin(), names.end());
    for (int k = 0; k < 10; ++k) word(0);
    word(0), word(2), word(0), word(0), word(end), word(symbol_bytes), word(2), word(0), word(4), word(16);
    word(0), word(3), word(0), word(0), word(end + symbol_bytes), word(name_bytes), word(0), word(0), word(1),
        word(0);
    return out;
  }
};

}  // namespace meshkv::test
