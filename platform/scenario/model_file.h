// From a Hugging Face config.json to what the fabric needs to know of a decoder.
#pragma once

#include <string>

#include "models/workload/model_shape.h"
#include "platform/scenario/parameter.h"

namespace meshkv::platform {

/// Throws std::runtime_error with the reason (no such file, not JSON, a field is missing, or the name of what
/// we cannot model: encoder-decoder, latent attention, state spaces, ...).
workload::ModelShape read_model_file(const std::string& file);

/// The same from parsed JSON. `name` becomes ModelShape::name.
workload::ModelShape read_model(const Json& config, const std::string& name);

/// Name and geometry as stored in results.json; `window_tokens` is one number where all layers agree.
Json model_summary(const workload::ModelShape& model);

}  // namespace meshkv::platform
