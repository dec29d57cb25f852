// Text from files and command lines as a terminal or an XML reader can take it.
#pragma once

#include <string>

namespace meshkv::platform {

/// Valid UTF-8 without control characters: each byte that is not, but for tab and line feed, becomes U+FFFD.
std::string printable(const std::string& text);
/// The same without tab and line feed: for names, which stand in a line.
std::string printable_name(const std::string& name);

}  // namespace meshkv::platform
