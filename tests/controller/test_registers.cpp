#include <catch2/catch.hpp>
#include <set>

#include "models/controller/registers/register_documents.h"
#include "models/controller/registers/register_map.h"
#include "tests/platform/support.h"

using namespace meshkv;
using namespace meshkv::controller;

TEST_CASE("docs/registers.md and the C header are what the description says", "[controller][registers]") {
  // After a change: ./vp registers > docs/registers.md
  //                 ./vp registers --c-header > firmware/include/meshkv_registers.h
  const bool page = test::read_file(test::source_dir() + "/docs/registers.md") == register_markdown();
  REQUIRE(page);
  const bool header =
      test::read_file(test::source_dir() + "/firmware/include/meshkv_registers.h") == register_c_header();
  REQUIRE(header);
  REQUIRE(test::run_program({"registers"}).out == register_markdown());
  REQUIRE(test::run_program({"registers", "--c-header"}).out == register_c_header());
}

TEST_CASE("The register description is sound", "[controller][registers]") {
  std::set<std::string> names;
  for (const BlockInfo& block : register_map()) {
    CAPTURE(block.name);
    REQUIRE(block.count >= 1);
    REQUIRE(block.base % 4 == 0);
    REQUIRE_FALSE(block.registers.empty());
    std::set<std::uint32_t> offsets;
    for (const RegisterInfo& r : block.registers) {
      CAPTURE(r.name);
      REQUIRE(names.insert(register_name(block, r)).second);
      REQUIRE(offsets.insert(r.offset).second);
      REQUIRE(r.offset % 4 == 0);
      REQUIRE(r.offset < block.stride);
    }
  }
  for (const NamedNumber& constant : register_constants())
    REQUIRE(names.insert(upper_case(constant.name)).second);
  std::set<std::uint32_t> bits;
  for (const NamedNumber& source : interrupt_sources())
    REQUIRE((source.value < 32 && bits.insert(source.value).second));
  REQUIRE(upper_case("SegmentsDone") == "SEGMENTS_DONE");
  REQUIRE_THROWS_AS(block_info("Nothing"), std::logic_error);
}

TEST_CASE("The C header compiles, and its addresses are the table's", "[controller][registers]") {
  const test::TemporaryFolder folder;
  std::string program = "#include \"meshkv_registers.h\"\n";
  for (const BlockInfo& block : register_map())
    for (const RegisterInfo& r : block.registers) {
      const std::string use = register_name(block, r) + (block.count > 1 ? "(3)" : "");
      const std::uint32_t address = block.base + r.offset + (block.count > 1 ? 3 * block.stride : 0);
      program += "_Static_assert(" + use + " == " + std::to_string(address) + "u, \"\");\n";
    }
  const std::string file = folder.write("use.c", program);
  const test::ProgramResult r =
      test::run_shell("gcc -std=c11 -Wall -Wextra -Werror -fsyntax-only -I" +
                          test::quoted(test::source_dir() + "/firmware/include") + " " + test::quoted(file),
                      folder.path());
  CAPTURE(r.err);
  REQUIRE(r.exit_code == 0);
}
