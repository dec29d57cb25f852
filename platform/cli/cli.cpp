#include "platform/cli/cli.h"

#include <algorithm>
#include <iostream>
#include <map>

#include "platform/run/compare.h"
#include "platform/run/run_report.h"
#include "platform/scenario/input_error.h"
#include "platform/scenario/parameter.h"
#include "platform/scenario/printable.h"

namespace meshkv::platform {
namespace {

constexpr const char* kHelp =
    "usage: vp COMMAND ...\n"
    "  run SCENARIO.json [--mode lt|at] [--set path=value]... [--out DIR] [--jobs N] [--quiet]\n"
    "                            simulate; exit code 0 only if every check of the scenario holds\n"
    "  check SCENARIO.json       validate, capacities and bounds, no simulation\n"
    "  regress DIR|FILE... [--jobs N] [--timeout S] [--filter GLOB] [--force] [--update] [--junit FILE]\n"
    "                            every scenario in a process of its own; results are kept by content\n"
    "  sweep SWEEP.json [--jobs N] [--executor local|slurm]\n"
    "                            every combination of some keys' values: a table\n"
    "  report RESULT... --html FILE [--svg FILE]\n"
    "                            pictures of one run or several side by side\n"
    "  params [--json-schema]    every parameter: path, type, unit, default, meaning\n"
    "  registers [--c-header]    what firmware sees of its column\n"
    "  elf FILE                  one ELF file on one controller, fabric idle; the exit code is the "
    "program's\n"
    "  bench memory|noc          measure the simulator's own speed\n"
    "  test [--long] [--sanitize] [--format]\n"
    "                            everything that CI runs\n"
    "  COMMAND --help            options of a command\n"
    "\n"
    "exit codes: 0 all checks hold; 1 a check fails; 2 bad input; 3 the simulation found a deadlock,\n"
    "lost data or a protocol error; 4 a defect of ours; 5 packages are missing\n";

using Command = int (*)(const std::vector<std::string>&);

int dispatch(const std::vector<std::string>& arguments) {
  static const std::map<std::string, Command> commands{
      {"run", command_run},         {"check", command_check}, {"params", command_params},
      {"bench", command_bench},     {"elf", command_elf},     {"report", command_report},
      {"regress", command_regress}, {"sweep", command_sweep}, {"registers", command_registers}};
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help") {
    std::cout << kHelp;
    return arguments.empty() ? static_cast<int>(ExitCode::kBadInput) : 0;
  }
  const std::string& name = arguments[0];
  const auto command = commands.find(name);
  if (command != commands.end()) return command->second({arguments.begin() + 1, arguments.end()});
  std::vector<std::string> names{"test"};
  for (const auto& [known, function] : commands) names.push_back(known);
  const std::string near = nearest_name(name, names);
  throw InputError("command line", "",
                   "unknown command " + shown(name) +
                       (near.empty() ? "; `vp --help` lists all" : "; did you mean " + near + "?"));
}

}  // namespace

int run_cli(const std::vector<std::string>& arguments) {
  try {
    return dispatch(arguments);
  } catch (const InputError& e) {
    for (const Problem& problem : e.problems()) std::cerr << "error: " << printable(problem.line()) << '\n';
    return static_cast<int>(ExitCode::kBadInput);
  } catch (const std::exception& e) {
    std::cerr << "internal error: " << printable(e.what()) << '\n';
    return static_cast<int>(ExitCode::kDefect);
  }
}

}  // namespace meshkv::platform
