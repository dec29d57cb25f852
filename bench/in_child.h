// A measurement in a process of its own: SystemC's kernel starts once in a process.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <exception>
#include <iostream>
#include <type_traits>

namespace meshkv::bench {

/// Runs `work`, which returns a Sample, in a child, and copies what it returns. False if that failed; `title`
/// then stands before the child's reason on stderr.
template <typename Sample, typename Work>
bool in_child(const char* title, const Work& work, Sample& sample) {
  static_assert(std::is_trivially_copyable_v<Sample>, "it travels through a pipe");
  std::cout.flush();  // or the child has it too
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return false;
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    close(ends[0]);
    Sample s;
    try {
      s = work();
    } catch (const std::exception& error) {
      std::cerr << title << ": " << error.what() << '\n';
      _exit(1);
    }
    _exit(write(ends[1], &s, sizeof s) == static_cast<ssize_t>(sizeof s) ? 0 : 1);
  }
  close(ends[1]);
  const bool got = read(ends[0], &sample, sizeof sample) == static_cast<ssize_t>(sizeof sample);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return got && status == 0;
}

}  // namespace meshkv::bench
