// A program that a test talks to. What it prints is waited for; nothing depends on how fast it is.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace meshkv::test {

class ChildProcess {
 public:
  /// Found in PATH. Standard output and standard error come together. Throws std::runtime_error if it cannot
  /// be started.
  explicit ChildProcess(const std::vector<std::string>& command);
  /// Kills it if it still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  void write(const std::string& text);
  void signal(int number);
  /// Everything printed since the last call, up to and with `text`. Throws std::runtime_error with what came
  /// instead if the program ends or says nothing for a long time.
  std::string read_until(const std::string& text);
  /// Waits for the end: the exit code, or 128 + n after signal n. `rest`: what it printed until then.
  int wait(std::string* rest = nullptr);

 private:
  /// False: nothing more will come.
  bool read_more();

  std::string name_;
  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
  std::string pending_;  ///< printed, not asked for yet
};

}  // namespace meshkv::test
