#include <iostream>

#include "bench/bench.h"
#include "platform/cli/cli.h"
#include "platform/scenario/input_error.h"

namespace meshkv::platform {

int command_bench(const std::vector<std::string>& arguments) {
  const std::string what = arguments.empty() ? "bench" : "bench " + arguments.front();
  if (what == "bench memory") return bench::bench_memory(std::cout);
  throw InputError("command line", "", what + " is not part of this version");
}

}  // namespace meshkv::platform
