// results.json and host.json, written so that a reader never sees half a file.
#pragma once

#include <string>

#include "platform/scenario/parameter.h"

namespace meshkv::platform {

/// Throws InputError naming --out where the folder cannot be written, without making anything.
void check_results_folder(const std::string& folder);

/// A new folder appears with both files in it; in an old one each file is replaced at once, results.json
/// last.
void write_results(const std::string& folder, const Json& results, const Json& host);

}  // namespace meshkv::platform
