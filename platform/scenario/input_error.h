// What is wrong with the user's input: everything at once, one line each.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace meshkv::platform {

struct Problem {
  std::string where;  ///< the file that holds the value, or the option ("--set")
  std::string path;   ///< JSON path, may be empty
  std::string text;   ///< what was found and what is allowed
  std::string line() const { return where + ": " + (path.empty() ? "" : path + ": ") + text; }
};

/// Exit code 2. Nothing has been written.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Problem> problems);
  InputError(std::string where, std::string path, std::string text);
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

}  // namespace meshkv::platform
