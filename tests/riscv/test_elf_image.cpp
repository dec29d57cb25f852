#include <catch2/catch.hpp>
#include <random>

#include "models/riscv/elf_image.h"
#include "tests/riscv/elf_builder.h"

using namespace meshkv;
using namespace meshkv::test;
using riscv::ElfError;
using riscv::ElfImage;

namespace {

ElfBuilder two_segments() {
  ElfBuilder b;
  b.segments = {{0x80000000, {1, 2, 3, 4, 5, 6, 7, 8}, 0}, {0x80000100, {9, 10}, 16}};
  b.symbols = {{"_start", 0x80000000, 4, 2}, {"main", 0x80000004, 4, 2}, {"loop", 0x80000006, 0, 0},
               {"table", 0x80000100, 16, 1}, {"missing", 0, 0, 0, 0},    {"$x", 0x80000004, 0, 0}};
  return b;
}

std::string error_of(const std::vector<std::uint8_t>& file) {
  try {
    ElfImage::parse(file);
  } catch (const ElfError& e) {
    return e.what();
  }
  return "no error";
}

std::string load_error(const ElfBuilder& b) {
  std::vector<std::uint8_t> ram(4096, 0xee);
  try {
    ElfImage::parse(b.build()).copy_to(ram.data(), 0x80000000, 4096);
  } catch (const ElfError& e) {
    REQUIRE(ram == std::vector<std::uint8_t>(4096, 0xee));  // nothing half-loaded
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("Segments are loaded at their physical addresses and filled with zeros", "[riscv][elf]") {
  ElfBuilder b = two_segments();
  b.segments[1].virtual_address = 0x90000000;
  b.segments.push_back({0x80000004, {}, 0});            // takes no memory
  b.segments.push_back({0x80000000, {1, 2}, 4096, 4});  // a note, not to be loaded
  const ElfImage image = ElfImage::parse(b.build());
  REQUIRE(image.entry() == 0x80000000);
  REQUIRE(image.segments().size() == 2);
  std::vector<std::uint8_t> ram(4096, 0xee);
  image.copy_to(ram.data(), 0x80000000, 4096);
  REQUIRE(ram[0] == 1);
  REQUIRE(ram[7] == 8);
  REQUIRE(ram[8] == 0xee);
  REQUIRE(ram[0x101] == 10);
  for (std::size_t k = 0x102; k < 0x110; ++k) REQUIRE(ram[k] == 0);
  REQUIRE(ram[0x110] == 0xee);
}

TEST_CASE("Symbols name addresses; a file without any is fine", "[riscv][elf]") {
  ElfBuilder b = two_segments();
  const riscv::SymbolTable symbols = ElfImage::parse(b.build()).symbols();
  REQUIRE(symbols.symbols().size() == 4);
  REQUIRE(symbols.describe(0x80000000) == "_start");
  REQUIRE(symbols.describe(0x80000006) == "main+0x2");  // the label inside does not hide it
  REQUIRE(symbols.describe(0x8000010c) == "table+0xc");
  REQUIRE(symbols.describe(0x7fffffff).empty());
  REQUIRE(symbols.address_of("table") == 0x80000100);
  REQUIRE_FALSE(symbols.address_of("missing"));
  REQUIRE(riscv::address_text(0x80000006, symbols) == "0x80000006 (main+0x2)");
  b.symbols.clear();
  const ElfImage stripped = ElfImage::parse(b.build());
  REQUIRE(stripped.symbols().empty());
  REQUIRE(riscv::address_text(0x80000006, stripped.symbols()) == "0x80000006");
}

TEST_CASE("Files for something else say what they are for", "[riscv][elf]") {
  ElfBuilder b = two_segments();
  const auto with = [&](auto change) {
    ElfBuilder changed = two_segments();
    change(changed);
    return error_of(changed.build());
  };
  using Catch::Matchers::Contains;
  REQUIRE_THAT(with([](ElfBuilder& e) { e.machine = 62; }), Contains("another architecture: x86-64"));
  REQUIRE_THAT(with([](ElfBuilder& e) { e.machine = 40; }), Contains("ARM"));
  REQUIRE_THAT(with([](ElfBuilder& e) { e.elf_class = 2; }), Contains("RV64"));
  REQUIRE_THAT(with([](ElfBuilder& e) { e.byte_order = 2; }), Contains("big-endian"));
  REQUIRE_THAT(with([](ElfBuilder& e) { e.flags = 5; }), Contains("hardware floating point"));
  REQUIRE_THAT(with([](ElfBuilder& e) { e.type = 1; }), Contains("not been linked"));
  REQUIRE_THAT(with([](ElfBuilder& e) { e.type = 3; }), Contains("position-independent"));
  REQUIRE_THAT(with([](ElfBuilder& e) { e.entry = 0x80000200; }),
               Contains("entry point 0x80000200 lies in no segment"));
  REQUIRE_THAT(with([](ElfBuilder& e) { e.segments.clear(); }), Contains("nothing to load"));
  REQUIRE_THAT(error_of({}), Contains("not an ELF file"));
  REQUIRE_THAT(error_of({'#', '!', '/', 'b', 'i', 'n'}), Contains("not an ELF file"));
}

TEST_CASE("Segments that overlap or do not fit are refused by their addresses", "[riscv][elf]") {
  using Catch::Matchers::Contains;
  ElfBuilder b = two_segments();
  b.segments[0].memory_bytes = 0x101;
  REQUIRE_THAT(error_of(b.build()),
               Contains("segments overlap: 0x80000000 to 0x80000100 and 0x80000100 to 0x8000010f"));
  b = two_segments();
  b.segments[1].memory_bytes = 4096;
  REQUIRE_THAT(load_error(b),
               Contains("too large: 0x80000100 to 0x800010ff; RAM is 0x80000000 to 0x80000fff"));
  b = two_segments();
  b.segments[1].address = 0x10000;
  REQUIRE_THAT(load_error(b), Contains("does not lie in RAM: 0x10000 to 0x1000f"));
  b = two_segments();
  b.segments[1].address = 0xfffffff8;
  REQUIRE_THAT(error_of(b.build()), Contains("end of the address space"));
  b = two_segments();
  b.segments[0].memory_bytes = 4;
  REQUIRE_THAT(error_of(b.build()), Contains("8 bytes in the file and 4 in memory"));
}

TEST_CASE("A file that ends early is refused wherever it was cut", "[riscv][elf]") {
  const std::vector<std::uint8_t> whole = two_segments().build();
  REQUIRE(error_of(whole) == "no error");
  for (std::size_t length = 4; length < whole.size(); ++length) {
    INFO("length " << length);
    REQUIRE_THAT(error_of({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)}),
                 Catch::Matchers::Contains("truncated"));
  }
}

TEST_CASE("Broken files are errors or images, nothing else", "[riscv][elf]") {
  const std::vector<std::uint8_t> whole = two_segments().build();
  std::mt19937 random(3);
  int refused = 0;
  for (int round = 0; round < 5000; ++round) {
    std::vector<std::uint8_t> file = whole;
    for (int k = 0; k < 3; ++k) file[random() % file.size()] = static_cast<std::uint8_t>(random());
    std::vector<std::uint8_t> ram(4096);
    try {
      ElfImage::parse(file).copy_to(ram.data(), 0x80000000, 4096);
    } catch (const ElfError&) {
      ++refused;
    }
  }
  REQUIRE(refused > 1000);
}

TEST_CASE("Files that cannot be read", "[riscv][elf]") {
  using Catch::Matchers::Contains;
  REQUIRE_THROWS_WITH(ElfImage::load("/nowhere/program.elf"), Contains("No such file"));
  REQUIRE_THROWS_WITH(ElfImage::load("/"), Contains("cannot be read"));
}
