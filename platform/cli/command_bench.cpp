#include <iostream>
#include <map>

#include "bench/bench.h"
#include "platform/cli/cli.h"
#include "platform/scenario/input_error.h"

namespace meshkv::platform {

int command_bench(const std::vector<std::string>& arguments) {
  static const std::map<std::string, int (*)(std::ostream&)> benches{
      {"firmware", bench::bench_firmware}, {"memory", bench::bench_memory}, {"noc", bench::bench_noc}};
  std::string names;
  for (const auto& [name, run] : benches) names += (names.empty() ? "" : "|") + name;
  const std::string usage = "vp bench " + names;
  if (arguments.size() == 1 && (arguments[0] == "--help" || arguments[0] == "-h")) {
    std::cout << "usage: " << usage << "\n  measures the simulator's own speed on this machine\n";
    return 0;
  }
  if (arguments.size() != 1) throw InputError("command line", "", "bench takes one name; usage: " + usage);
  const auto bench = benches.find(arguments[0]);
  if (bench == benches.end())
    throw InputError("command line", "",
                     "bench " + arguments[0] + " is not part of this version; usage: " + usage);
  return bench->second(std::cout);
}

}  // namespace meshkv::platform
