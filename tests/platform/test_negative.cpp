// Every scenario in scenarios/negative is wrong in the way that its .expected file says: exit code and lines.
#include <catch2/catch.hpp>

#include "tests/platform/support.h"
#include "tests/support/paths.h"

using namespace meshkv::test;
namespace fs = std::filesystem;

TEST_CASE("Negative scenarios fail with exactly the message and code that they promise",
          "[platform][negative]") {
  TemporaryFolder folder;
  int tested = 0;
  for (const auto& entry : fs::directory_iterator(meshkv::test::source_dir() + "/scenarios/negative")) {
    if (entry.path().extension() != ".expected") continue;
    const std::string name = entry.path().stem().string();
    const std::string out = folder.path(name);
    for (const char* command : {"run", "check"}) {
      std::vector<std::string> arguments{command, "scenarios/negative/" + name + ".json"};
      if (arguments[0] == "run") arguments.insert(arguments.end(), {"--out", out});
      const ProgramResult result = run_program(arguments);
      CAPTURE(name, command);
      REQUIRE("exit " + std::to_string(result.exit_code) + "\n" + result.err ==
              read_file(entry.path().string()));
      REQUIRE(result.out.empty());
      REQUIRE_FALSE(fs::exists(out));
    }
    ++tested;
  }
  REQUIRE(tested >= 30);
  REQUIRE(fs::is_empty(folder.path()));
}
