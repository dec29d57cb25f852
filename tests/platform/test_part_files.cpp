// What a killed call leaves behind goes away with the next one, and nothing else does.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "platform/run/part_files.h"
#include "platform/scenario/input_error.h"
#include "tests/platform/support.h"

using namespace meshkv::platform;
using namespace meshkv::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// The mark of a process that has ended.
std::string dead_mark() {
  const pid_t pid = fork();
  REQUIRE(pid >= 0);
  if (pid == 0) _exit(0);
  waitpid(pid, nullptr, 0);
  const std::string mine = part_mark();
  return mine.substr(0, mine.rfind('-') + 1) + std::to_string(pid);
}

}  // namespace

TEST_CASE("What a dead process had under way is removed, and no more", "[platform]") {
  TemporaryFolder folder;
  const std::string dead = dead_mark(), elsewhere = ".tmp-another_machine-" + std::to_string(getpid());
  folder.write("f/.a.json" + dead, "{");
  folder.write("f/.part" + dead + "-key/results.json", "{");
  const std::vector<std::string> stay{".b.json" + part_mark(), ".c.json" + elsewhere, ".d.json",
                                      "e.json" + dead};
  for (const std::string& name : stay) folder.write("f/" + name, "{}");
  remove_abandoned(folder.path("f"), ".");
  for (const std::string& name : stay) REQUIRE(fs::exists(folder.path("f/" + name)));
  REQUIRE(std::distance(fs::directory_iterator(folder.path("f")), fs::directory_iterator()) == 4);
  remove_abandoned(folder.path("nowhere"), ".");
}

TEST_CASE("vp run removes what a killed vp run left of its results and traces", "[platform][run]") {
  TemporaryFolder folder;
  const std::string file = folder.write("s.json", R"({"mesh": {"width": 2, "height": 2},
      "workload": {"kind": "synthetic", "warmup_cycles": 10, "measure_cycles": 20}})");
  const std::string dead = dead_mark();
  folder.write("out/s" + dead + "-trace.vcd", "$comment");
  folder.write("out/s" + dead + "/host.json", "{");
  folder.write("out/other" + dead + "-trace.vcd", "$comment");
  REQUIRE(run_program({"run", file, "--out", folder.path("out/s")}).exit_code == 0);
  REQUIRE_FALSE(fs::exists(folder.path("out/s" + dead + "-trace.vcd")));
  REQUIRE_FALSE(fs::exists(folder.path("out/s" + dead)));
  REQUIRE(fs::exists(folder.path("out/other" + dead + "-trace.vcd")));
  REQUIRE(fs::exists(folder.path("out/s/results.json")));
}

TEST_CASE("A file that cannot be written is an error with the reason, and leaves nothing", "[platform]") {
  TemporaryFolder folder;
  fs::create_directories(folder.path("f/taken/inside"));
  REQUIRE_THROWS_WITH(write_whole(folder.path("f/taken"), "x", "--html"),
                      Contains("--html") && Contains("cannot be written: "));
  REQUIRE(std::distance(fs::directory_iterator(folder.path("f")), fs::directory_iterator()) == 1);
  write_whole(folder.path("f/new/one.txt"), "x", "--html");
  REQUIRE(read_file(folder.path("f/new/one.txt")) == "x");
}
