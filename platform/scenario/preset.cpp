#include "platform/run_config.h"

namespace meshkv::platform {

const std::vector<std::string>& preset_names() {
  static const std::vector<std::string> names{"cent", "shared", "takv_only", "meshkv"};
  return names;
}

void apply_preset(RunConfig& config, const std::string& name) {
  config.preset = name;
  const bool full = name == "meshkv";
  if (name == "cent")
    config.placement.kind = takv::PlacementKind::kCent;
  else if (name == "shared")
    config.placement.kind = takv::PlacementKind::kShared;
  else
    config.placement.kind = takv::PlacementKind::kTakv;
  config.placement.swaps = full;
  config.mare.multicast = full;
  config.mare.duplicate_suppression = full;
  // The study of the paper's figures has Pad in all four configurations.
  config.pad.enabled = true;
}

}  // namespace meshkv::platform
