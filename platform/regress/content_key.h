// What a result depends on, as one name: equal keys, equal results.
#pragma once

#include <string>

#include "platform/scenario/scenario_paths.h"

namespace meshkv::platform {

/// SHA-1 of some bytes, 40 hexadecimal digits.
std::string content_hash(const std::string& bytes);

/// SHA-1 of this program's own file and of the controllers' programs beside it. A rebuilt program that is the
/// same, byte for byte, has the same.
const std::string& program_identity();

/// Of `program`, `name`, all values after `extends` and --set, and the content of every file that they name.
/// `expect`, `abstract` and `$schema` do not count: no result depends on them.
std::string content_key(const MergedValues& merged, const std::string& name, const std::string& program);

/// The name of the scenario's results: `name`, or the file's.
std::string scenario_name(const MergedValues& merged, const std::string& file);

}  // namespace meshkv::platform
