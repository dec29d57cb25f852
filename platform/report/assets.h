// Files that are embedded into the program at build time (embed.cmake).
#pragma once

#include <string>
#include <string_view>

namespace meshkv::platform {

/// The content of a file of platform/report by its name without folder. Throws std::logic_error for others.
std::string_view report_asset(const std::string& name);

}  // namespace meshkv::platform
