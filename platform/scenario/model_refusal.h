// Models whose attention state is not a plain KV cache, refused by the name of what they are.
#pragma once

#include "platform/scenario/parameter.h"

namespace meshkv::platform {

/// Throws std::runtime_error where a Hugging Face configuration describes something else than a decoder with
/// standard, grouped or multi-query attention.
void refuse_unsupported(const Json& config);

}  // namespace meshkv::platform
