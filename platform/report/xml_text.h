// Text within XML, HTML and SVG.
#pragma once

#include <string>

namespace meshkv::platform {

/// & < > " escaped.
std::string xml_text(const std::string& text);

}  // namespace meshkv::platform
