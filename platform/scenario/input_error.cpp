#include "platform/scenario/input_error.h"

namespace meshkv::platform {
namespace {

std::string joined(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& p : problems) text += (text.empty() ? "" : "\n") + p.line();
  return text;
}

}  // namespace

InputError::InputError(std::vector<Problem> problems)
    : std::runtime_error(joined(problems)), problems_(std::move(problems)) {}

InputError::InputError(std::string where, std::string path, std::string text)
    : InputError(std::vector<Problem>{{std::move(where), std::move(path), std::move(text)}}) {}

}  // namespace meshkv::platform
