#include <filesystem>
#include <iostream>

#include "platform/cli/cli.h"
#include "platform/cli/options.h"
#include "platform/elf/elf_run.h"
#include "platform/elf/program_files.h"
#include "platform/scenario/input_error.h"

namespace meshkv::platform {
namespace {

namespace po = boost::program_options;

po::options_description described() {
  po::options_description d("options");
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  d.add_options()("gdb", text("PORT"),
                  "wait for gdb-multiarch on 127.0.0.1:PORT (0: any free port, printed)")(
      "max-instructions", text("N"), "stop after so many (exit code 1)")(
      "max-cycles", text("N"), "stop after so many cycles (exit code 1)")(
      "ram-kib", text("N"), "RAM at 0x80000000, in KiB (default 1024)")(
      "quantum", text("N"), "cycles that the hart may run ahead of its devices' interrupts (default 1000)")(
      "trap-misaligned", "misaligned accesses to RAM trap (default: RAM does them)")(
      "trace", text("FILE"), "write every instruction, with symbols and results")(
      "trace-lines", text("N"), "at most so many (default 1000000)")(
      "profile", "print cycles and instructions by function")("statistics", "print counts at the end");
  return d;
}

}  // namespace

int command_elf(const std::vector<std::string>& arguments) {
  const std::string usage = "vp elf FILE [--gdb PORT] [--max-instructions N] [--max-cycles N] [option]...";
  const auto map = parse_options(usage, arguments, described(), "file", 1);
  if (!map) return 0;
  if (map->count("file") == 0) throw InputError("command line", "", "no ELF file is named; usage: " + usage);
  constexpr std::uint64_t kMany = 1'000'000'000'000'000;
  ElfOptions options;
  options.file = (*map)["file"].as<std::vector<std::string>>().front();
  // "hello": the program that is built beside this one, unless there is such a file here.
  if (is_program_name(options.file) && !std::filesystem::exists(options.file)) {
    const std::string built = program_file(options.file, ".elf");
    if (std::filesystem::exists(built)) options.file = built;
  }
  if (map->count("gdb")) options.gdb_port = static_cast<int>(number_of(*map, "gdb", 0, 65535));
  if (map->count("max-instructions"))
    options.max_instructions = number_of(*map, "max-instructions", 1, kMany);
  if (map->count("max-cycles")) options.max_cycles = number_of(*map, "max-cycles", 1, 1'000'000'000'000);
  if (map->count("ram-kib"))
    options.ram_bytes = static_cast<std::uint32_t>(number_of(*map, "ram-kib", 1, 65536)) * 1024;
  if (map->count("quantum")) options.quantum_cycles = number_of(*map, "quantum", 1, 1'000'000);
  options.trap_misaligned = map->count("trap-misaligned") > 0;
  if (map->count("trace")) options.trace_file = (*map)["trace"].as<std::string>();
  if (map->count("trace-lines")) options.trace_lines = number_of(*map, "trace-lines", 1, kMany);
  options.profile = map->count("profile") > 0;
  options.statistics = map->count("statistics") > 0;
  return run_elf(options, std::cout, std::cerr);
}

}  // namespace meshkv::platform
