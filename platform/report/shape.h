// What a page relies on in the files that it is made of. Both throw std::runtime_error with the JSON path,
// what was found there and what is expected.
#pragma once

#include <string>

#include "platform/scenario/parameter.h"

namespace meshkv::platform {

/// One run of a results.json; `path`: where it stands there.
void require_run(const Json& run, const std::string& path);

/// What details.json says of one run.
void require_details(const Json& details, const std::string& path);

}  // namespace meshkv::platform
