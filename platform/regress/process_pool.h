// Runs commands as processes, some at a time: their ends are told as they come.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace meshkv::platform {

/// How a process ended.
struct ProcessEnd {
  std::size_t index = 0;  ///< of the command
  int exit_code = -1;     ///< -1: no exit, see `signal`
  int signal = 0;
  bool timed_out = false;  ///< then it was killed
  std::string err;         ///< what it wrote to stderr, the first 64 KiB
  double cpu_s = 0;        ///< user and system time, of its children too
  double wall_s = 0;
};

/// Each of `commands` is a program and its arguments; stdin and stdout are /dev/null. At most `jobs` run at a
/// time; one that takes longer than `timeout_s` (0: no limit) is killed with its children. No process
/// outlives the caller, however that ends. `ended` is called in the order in which they end. Throws
/// std::runtime_error where the system cannot start a process.
void run_processes(const std::vector<std::vector<std::string>>& commands, int jobs, double timeout_s,
                   const std::function<void(const ProcessEnd&)>& ended);

}  // namespace meshkv::platform
