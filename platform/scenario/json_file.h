// Reading JSON from people: syntax errors with line and column, duplicate keys and absurd nesting refused.
#pragma once

#include <string>

#include "platform/scenario/parameter.h"

namespace meshkv::platform {

/// The whole file. Throws std::runtime_error with a reason ("no such file", "is a directory", ...).
std::string read_text_file(const std::string& file);

/// Throws std::runtime_error: "line 3, column 5: ...", "a.b: duplicate key", "nested deeper than 64 levels".
Json parse_json(const std::string& text);

}  // namespace meshkv::platform
