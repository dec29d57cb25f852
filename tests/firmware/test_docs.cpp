// The commands of docs/firmware.md print what the page shows, lines between "..." aside.
#include <catch2/catch.hpp>
#include <regex>

#include "tests/platform/support.h"

using namespace meshkv::test;

TEST_CASE("Firmware: the commands of docs/firmware.md print what it shows", "[firmware][readme]") {
  std::istringstream in(read_file(source_dir() + "/docs/firmware.md"));
  const TemporaryFolder folder;
  const std::string binary = program_path();
  const std::string build = binary.substr(0, binary.rfind("/platform/"));
  std::string printed;
  int commands = 0;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line == "```console" || line == "```") inside = line == "```console";
    if (!inside || line == "```console" || line == "...") continue;
    if (line.rfind("$ ./vp ", 0) == 0) {
      std::string command =
          quoted(binary) + std::regex_replace(line.substr(6), std::regex("build/release"), build);
      if (line.rfind("$ ./vp run", 0) == 0) command += " --out " + quoted(folder.path("out"));
      const ProgramResult r = run_shell(command, source_dir());
      printed = r.out + r.err;
      ++commands;
      continue;
    }
    CAPTURE(line, printed);
    REQUIRE(printed.find(line + "\n") != std::string::npos);
  }
  REQUIRE(commands >= 4);
}
