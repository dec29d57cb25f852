// A JSON Schema (draft 2020-12) of scenario files, for editors and other validators, generated from the
// declarations that validate.
#pragma once

#include "platform/scenario/parameter.h"

namespace meshkv::platform {

/// What it refuses, `vp check` refuses. The reverse holds except where a value depends on another file, on
/// arithmetic between values, or on what a file extends: a file that extends another is judged by what it
/// says.
Json scenario_schema();

}  // namespace meshkv::platform
