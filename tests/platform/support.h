// What the platform's tests share: a folder that goes away, and the program as a user runs it.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "platform/scenario/scenario.h"
#include "tests/support/paths.h"

namespace meshkv::test {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "meshkv-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("mkdtemp");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(const std::string& name = "") const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_file(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

struct ProgramResult {
  int exit_code = -1;  ///< 128 + n after signal n
  std::string out;
  std::string err;
};

inline std::string quoted(const std::string& argument) {
  std::string text = "'";
  for (char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// A shell command, started in `folder`.
inline ProgramResult run_shell(const std::string& command, const std::string& folder) {
  TemporaryFolder logs;
  const std::string line = "cd " + quoted(folder) + " && ( " + command + "\n) >" + quoted(logs.path("out")) +
                           " 2>" + quoted(logs.path("err")) + " </dev/null";
  const int status = std::system(line.c_str());
  ProgramResult result;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = read_file(logs.path("out"));
  result.err = read_file(logs.path("err"));
  return result;
}

/// The program with these arguments, started in the project's root.
inline ProgramResult run_program(const std::vector<std::string>& arguments,
                                 const std::string& folder = test::source_dir()) {
  std::string command = quoted(test::program_path());
  for (const std::string& a : arguments) command += " " + quoted(a);
  return run_shell(command, folder);
}

inline std::string llama_path() {
  return test::source_dir() + "/scenarios/models/llama-2-7b.json";
}

/// The lines that loading a scenario complains with; empty if it is valid.
inline std::vector<std::string> problems_of(const std::string& file,
                                            const std::vector<std::string>& settings = {}) {
  try {
    platform::load_scenario(file, settings);
  } catch (const platform::InputError& e) {
    std::vector<std::string> lines;
    for (const auto& p : e.problems()) lines.push_back(p.line());
    return lines;
  }
  return {};
}

}  // namespace meshkv::test
