// Debian's gdb-multiarch, told command after command.
#pragma once

#include <csignal>
#include <stdexcept>

#include "tests/support/child_process.h"

namespace meshkv::test {

class GdbMultiarch {
 public:
  /// `program`: with symbols, or empty. Throws if gdb-multiarch is not installed.
  explicit GdbMultiarch(const std::string& program) : process_(command(program)) {
    for (const char* c : {"set confirm off", "set pagination off", "set width 0", "set print symbol on"})
      ask(c);
  }
  /// What it says to a command, prompts cut away.
  std::string ask(const std::string& command) {
    tell(command);
    return answer();
  }
  void tell(const std::string& command) {
    const std::string mark = "[done " + std::to_string(++asked_) + "]";
    process_.write(command + "\necho " + mark + "\\n\n");
  }
  /// Of the last command that was told.
  std::string answer() {
    const std::string mark = "[done " + std::to_string(asked_) + "]";
    std::string text = process_.read_until(mark + "\n");
    text.resize(text.size() - mark.size() - 1);
    for (std::size_t at = 0; (at = text.find("(gdb) ", at)) != std::string::npos;) text.erase(at, 6);
    return text;
  }
  std::string read_until(const std::string& text) { return process_.read_until(text); }
  std::string connect(int port) { return ask("target remote 127.0.0.1:" + std::to_string(port)); }
  /// Ctrl-C.
  void interrupt() { process_.signal(SIGINT); }
  /// It vanishes without a word.
  void kill() {
    process_.signal(SIGKILL);
    process_.wait();
  }
  void quit() {
    process_.write("quit\n");
    process_.wait();
  }

 private:
  static std::vector<std::string> command(const std::string& program) {
    std::vector<std::string> words{"gdb-multiarch", "-q", "-nx", "-nh", "-iex", "set debuginfod enabled off"};
    if (!program.empty()) words.push_back(program);
    return words;
  }

  ChildProcess process_;
  int asked_ = 0;
};

}  // namespace meshkv::test
