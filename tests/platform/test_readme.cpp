// Every ```console block of README.md is run, and prints what the README shows, numbers aside.
//
// To refresh the README after a change of the output: run the failing command and paste what it prints.
#include <catch2/catch.hpp>
#include <regex>

#include "tests/platform/support.h"
#include "tests/support/paths.h"

using namespace meshkv::test;

namespace {

struct Block {
  std::string command;
  std::string output;
};

std::vector<Block> console_blocks(const std::string& text) {
  std::vector<Block> blocks;
  std::istringstream in(text);
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line == "```console")
      inside = true;
    else if (line == "```")
      inside = false;
    else if (inside && line.rfind("$ ", 0) == 0)
      blocks.push_back({line.substr(2), ""});
    else if (inside)
      blocks.back().output += line + "\n";
  }
  return blocks;
}

/// The same for any numbers, their units, the resource that is tightest, and whatever widths make of the
/// spaces.
std::string shape(std::string text) {
  text = std::regex_replace(text, std::regex("[0-9][0-9,.]*( ([KMGT]iB|bytes))?"), "#");
  text = std::regex_replace(text, std::regex("\\b(injection|ejection|link|bisection|mac|hbm|ddr)\\b"), "@");
  return std::regex_replace(text, std::regex("[ ]+"), " ");
}

}  // namespace

TEST_CASE("The README's commands print what the README shows", "[platform][readme]") {
  const auto blocks = console_blocks(read_file(meshkv::test::source_dir() + "/README.md"));
  REQUIRE(blocks.size() >= 4);
  TemporaryFolder folder;
  for (const Block& block : blocks) {
    CAPTURE(block.command);
    REQUIRE(block.command.rfind("./vp ", 0) == 0);
    if (block.command.rfind("./vp test", 0) == 0) continue;  // this is part of it
#ifdef __SANITIZE_ADDRESS__
    if (block.command.rfind("./vp run", 0) == 0 || block.command.rfind("./vp report", 0) == 0)
      continue;  // minutes
#endif
    // The launcher would build again; results go where they are thrown away.
    std::string command = quoted(meshkv::test::program_path()) + block.command.substr(4);
    const std::string out = folder.path("out");
    if (block.command.rfind("./vp run", 0) == 0) command += " --out " + quoted(out);
    for (std::size_t at = 0; (at = command.find("out/quickstart", at)) != std::string::npos; at += out.size())
      command.replace(at, 14, out);
    const ProgramResult result = run_shell(command, meshkv::test::source_dir());
    CAPTURE(result.err);
    std::string shown = result.err + result.out;
    for (std::size_t at; (at = shown.find(out)) != std::string::npos;)
      shown.replace(at, out.size(), "out/quickstart");
    REQUIRE(shape(shown) == shape(block.output));
  }
}
