// Names of scenarios and of the files that they name.
#pragma once

#include <string>

#include "platform/scenario/scenario.h"

namespace meshkv::platform {

/// The file's stem, with what a results' folder cannot be called replaced: the default of `name`.
std::string name_from(const std::string& file);

/// The file that the text at `path` names, found from the file that holds it. Needs a text there.
std::string resolved_file(const MergedValues& merged, const std::string& path);

/// resolved_parameters() as a scenario beside `scenario_file` that means the same run, wherever the program
/// was started: files are named relative to that folder. null: none, or all.
Json reusable_parameters(const RunConfig& config, const std::string& scenario_file);

}  // namespace meshkv::platform
