#include "models/riscv/elf_image.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

namespace meshkv::riscv {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kHeaderBytes = 52, kSegmentBytes = 32, kSectionBytes = 40, kSymbolBytes = 16;
constexpr unsigned kRiscv = 243, kExecutable = 2, kLoad = 1, kSymbolTable = 2;

std::string hex(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

/// Little-endian numbers; asking for what lies behind the end throws.
class Reader {
 public:
  explicit Reader(const Bytes& file) : file_(file) {}
  std::uint32_t half(std::uint64_t at) const { return number(at, 2); }
  std::uint32_t word(std::uint64_t at) const { return number(at, 4); }
  std::uint8_t byte(std::uint64_t at) const { return static_cast<std::uint8_t>(number(at, 1)); }
  std::uint64_t size() const { return file_.size(); }
  void need(std::uint64_t at, std::uint64_t bytes, const std::string& what) const {
    if (at > size() || bytes > size() - at)
      throw ElfError("truncated: " + what + " ends at byte " + std::to_string(at + bytes) +
                     ", the file has " + std::to_string(size()));
  }
  Bytes slice(std::uint64_t at, std::uint64_t bytes) const {
    const auto from = file_.begin() + static_cast<std::ptrdiff_t>(at);
    return Bytes(from, from + static_cast<std::ptrdiff_t>(bytes));
  }
  /// The text that begins there, ended by a zero or `end`.
  std::string text(std::uint64_t at, std::uint64_t end) const {
    std::string result;
    for (; at < end && at < size() && file_[at] != 0; ++at) result += static_cast<char>(file_[at]);
    return result;
  }

 private:
  std::uint32_t number(std::uint64_t at, unsigned bytes) const {
    need(at, bytes, "a header");
    std::uint32_t value = 0;
    for (unsigned k = 0; k < bytes; ++k) value |= std::uint32_t{file_[at + k]} << (8 * k);
    return value;
  }
  const Bytes& file_;
};

std::string machine_name(unsigned machine) {
  switch (machine) {
    case 3:
      return "x86";
    case 8:
      return "MIPS";
    case 20:
      return "PowerPC";
    case 40:
      return "ARM";
    case 62:
      return "x86-64";
    case 94:
      return "Xtensa";
    case 183:
      return "AArch64";
    default:
      return "machine " + std::to_string(machine);
  }
}

void check_header(const Reader& file) {
  if (file.size() < 4) throw ElfError("not an ELF file: it has " + std::to_string(file.size()) + " bytes");
  if (file.word(0) != 0x464c457fU) throw ElfError("not an ELF file: it does not begin with 0x7f E L F");
  file.need(0, 20, "the ELF header");
  const std::string wanted = "; wanted: RV32, soft float (-march=rv32imc_zicsr -mabi=ilp32)";
  const bool little = file.byte(5) == 1;
  const unsigned machine = little ? file.half(18) : file.byte(19);
  if (machine != kRiscv) throw ElfError("for another architecture: " + machine_name(machine) + wanted);
  if (file.byte(4) != 1) throw ElfError("for another architecture: RV64" + wanted);
  if (!little) throw ElfError("for another architecture: big-endian RISC-V" + wanted);
  file.need(0, kHeaderBytes, "the ELF header");
  const unsigned type = file.half(16);
  if (type == 1) throw ElfError("an object file that has not been linked; wanted: an executable");
  if (type == 3) throw ElfError("a position-independent file; wanted: an executable (-no-pie, -static)");
  if (type != kExecutable) throw ElfError("ELF type " + std::to_string(type) + "; wanted: an executable");
  const std::uint32_t flags = file.word(36);
  if (flags & 6U) throw ElfError("compiled for hardware floating point" + wanted);
}

/// Offset of an entry of one of the header tables, after a check of the whole table.
std::uint64_t table(const Reader& file, std::uint32_t offset, std::uint32_t entry, std::uint32_t count,
                    std::size_t least, const std::string& what) {
  if (count > 0 && entry < least)
    throw ElfError(what + " has entries of " + std::to_string(entry) + " bytes");
  file.need(offset, std::uint64_t{entry} * count, what);
  return offset;
}

std::vector<ElfSegment> read_segments(const Reader& file) {
  const std::uint32_t entry = file.half(42);
  const std::uint32_t count = file.half(44);
  const std::uint64_t begin =
      table(file, file.word(28), entry, count, kSegmentBytes, "the program header table");
  std::vector<ElfSegment> segments;
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::uint64_t at = begin + std::uint64_t{k} * entry;
    if (file.word(at) != kLoad) continue;
    const std::string name = "segment " + std::to_string(k);
    const std::uint32_t offset = file.word(at + 4);
    const std::uint32_t file_bytes = file.word(at + 16);
    ElfSegment segment;
    segment.address = file.word(at + 12);
    segment.memory_bytes = file.word(at + 20);
    if (segment.memory_bytes == 0 && file_bytes == 0) continue;
    if (file_bytes > segment.memory_bytes)
      throw ElfError(name + " has " + std::to_string(file_bytes) + " bytes in the file and " +
                     std::to_string(segment.memory_bytes) + " in memory");
    file.need(offset, file_bytes, name);
    if (segment.end() > 0x100000000ULL)
      throw ElfError(name + " at " + hex(segment.address) + " runs over the end of the address space");
    segment.bytes = file.slice(offset, file_bytes);
    segments.push_back(std::move(segment));
  }
  std::stable_sort(segments.begin(), segments.end(),
                   [](const ElfSegment& a, const ElfSegment& b) { return a.address < b.address; });
  for (std::size_t k = 1; k < segments.size(); ++k) {
    const ElfSegment& before = segments[k - 1];
    if (before.end() > segments[k].address)
      throw ElfError("segments overlap: " + hex(before.address) + " to " + hex(before.end() - 1) + " and " +
                     hex(segments[k].address) + " to " + hex(segments[k].end() - 1));
  }
  if (segments.empty()) throw ElfError("nothing to load: no segment has contents");
  return segments;
}

struct Section {
  std::uint32_t type, offset, bytes, link, entry;
};

void read_symbols_of(const Reader& file, const Section& symbols, const Section& names,
                     std::vector<Symbol>& all) {
  if (symbols.entry < kSymbolBytes)
    throw ElfError("the symbol table has entries of " + std::to_string(symbols.entry) + " bytes");
  file.need(symbols.offset, symbols.bytes, "the symbol table");
  file.need(names.offset, names.bytes, "the string table");
  for (std::uint64_t at = symbols.offset; at + symbols.entry <= std::uint64_t{symbols.offset} + symbols.bytes;
       at += symbols.entry) {
    const unsigned type = file.byte(at + 12) & 15U;
    const std::uint32_t section = file.half(at + 14);
    const std::uint32_t name = file.word(at);
    // Plain labels, data and functions that are defined; neither sections nor files nor absolute values.
    if (type > 2 || section == 0 || section >= 0xff00U || name >= names.bytes) continue;
    Symbol symbol;
    symbol.name = file.text(std::uint64_t{names.offset} + name, std::uint64_t{names.offset} + names.bytes);
    // "$x" and the like tell code from data, ".L..." are the compiler's own.
    if (symbol.name.empty() || symbol.name[0] == '$' || symbol.name.rfind(".L", 0) == 0) continue;
    symbol.address = file.word(at + 4);
    symbol.bytes = file.word(at + 8);
    symbol.is_function = type == 2;
    all.push_back(std::move(symbol));
  }
}

std::vector<Symbol> read_symbols(const Reader& file) {
  const std::uint32_t offset = file.word(32);
  const std::uint32_t entry = file.half(46);
  const std::uint32_t count = file.half(48);
  std::vector<Symbol> all;
  if (offset == 0 || count == 0) return all;
  const std::uint64_t begin = table(file, offset, entry, count, kSectionBytes, "the section header table");
  const auto section = [&](std::uint32_t k) {
    const std::uint64_t at = begin + std::uint64_t{k} * entry;
    return Section{file.word(at + 4), file.word(at + 16), file.word(at + 20), file.word(at + 24),
                   file.word(at + 36)};
  };
  for (std::uint32_t k = 0; k < count; ++k) {
    const Section symbols = section(k);
    if (symbols.type == kSymbolTable && symbols.link < count)
      read_symbols_of(file, symbols, section(symbols.link), all);
  }
  return all;
}

}  // namespace

ElfImage ElfImage::parse(const std::vector<std::uint8_t>& bytes) {
  const Reader file(bytes);
  check_header(file);
  ElfImage image;
  image.entry_ = file.word(24);
  image.segments_ = read_segments(file);
  image.symbols_ = SymbolTable(read_symbols(file));
  const bool inside = std::any_of(image.segments_.begin(), image.segments_.end(), [&](const ElfSegment& s) {
    return image.entry_ >= s.address && image.entry_ < s.end();
  });
  if (!inside) throw ElfError("the entry point " + hex(image.entry_) + " lies in no segment");
  if (image.entry_ % 2 != 0) throw ElfError("the entry point " + hex(image.entry_) + " is odd");
  return image;
}

ElfImage ElfImage::load(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  // A folder opens and fails to be read.
  if (!stream || (stream.peek(), stream.bad()))
    throw ElfError(std::string("cannot be read: ") + std::strerror(errno));
  stream.clear();
  // Read in pieces: what is no plain file may have no end.
  Bytes bytes;
  constexpr std::size_t kPiece = 1 << 20;
  while (stream && bytes.size() <= kMostFileBytes) {
    const std::size_t had = bytes.size();
    bytes.resize(had + kPiece);
    stream.read(reinterpret_cast<char*>(bytes.data() + had), kPiece);
    bytes.resize(had + static_cast<std::size_t>(stream.gcount()));
    if (bytes.size() < 4 || !std::equal(bytes.begin(), bytes.begin() + 4, "\x7f\x45\x4c\x46")) break;
  }
  if (bytes.size() > kMostFileBytes)
    throw ElfError("too large: a file of more than " + std::to_string(kMostFileBytes >> 20) + " MiB");
  return parse(bytes);
}

void ElfImage::copy_to(std::uint8_t* ram, std::uint32_t base, std::uint32_t bytes) const {
  const std::uint64_t end = std::uint64_t{base} + bytes;
  for (const ElfSegment& s : segments_) {
    if (s.address >= base && s.end() <= end) continue;
    throw ElfError((s.address >= base && s.address < end ? "too large: " : "does not lie in RAM: ") +
                   hex(s.address) + " to " + hex(s.end() - 1) + "; RAM is " + hex(base) + " to " +
                   hex(end - 1));
  }
  for (const ElfSegment& s : segments_) {
    std::uint8_t* to = ram + (s.address - base);
    std::copy(s.bytes.begin(), s.bytes.end(), to);
    std::fill(to + s.bytes.size(), to + s.memory_bytes, std::uint8_t{0});
  }
}

}  // namespace meshkv::riscv
