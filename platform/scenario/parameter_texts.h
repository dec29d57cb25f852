// The parameter table for people and for editors.
#pragma once

#include <string>

#include "platform/scenario/parameter.h"

namespace meshkv::platform {

std::string parameters_as_text();      ///< `vp params`
std::string parameters_as_markdown();  ///< docs/parameters.md
Json parameters_as_schema();           ///< `vp params --json-schema`: JSON Schema, draft 2020-12

}  // namespace meshkv::platform
