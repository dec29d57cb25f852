// The parameter table for people.
#pragma once

#include <string>

#include "platform/scenario/parameter.h"

namespace meshkv::platform {

std::string parameters_as_text();      ///< `vp params`
std::string parameters_as_markdown();  ///< docs/parameters.md

}  // namespace meshkv::platform
