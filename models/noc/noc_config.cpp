#include "models/noc/noc_config.h"

#include <stdexcept>

namespace meshkv::noc {

PipelineProfile pipeline_profile(const std::string& name) {
  PipelineProfile p;
  p.name = name;
  if (name == "fpga") return p;
  if (name == "b1") {
    p.routing_cycles = 1;
    p.speculative = false;
    p.flit_cycles = 3;
    p.credit_cycles = 3;
    return p;
  }
  if (name == "b2") {
    p.flit_cycles = 3;
    return p;
  }
  throw std::invalid_argument("unknown router profile \"" + name + "\" (known: fpga, b1, b2)");
}

std::uint8_t NocConfig::class_vcs(PacketClass c) const {
  const unsigned all = (1U << vcs_per_vn) - 1U;
  unsigned mask = all;
  if (virtual_network(c) == 1) {
    mask = all << vcs_per_vn;
    if (vn1_vc_policy == Vn1VcPolicy::kPerClass && vcs_per_vn > 1) {
      const unsigned first = 1U << vcs_per_vn;
      mask = c == PacketClass::kKvFetch ? first : mask & ~first;
    }
  }
  return static_cast<std::uint8_t>(mask);
}

std::vector<std::string> validate(const NocConfig& config) {
  std::vector<std::string> errors;
  const auto range = [&errors](const char* what, int value, int low, int high) {
    if (value < low || value > high)
      errors.push_back(std::string(what) + " is " + std::to_string(value) + "; it must be " +
                       std::to_string(low) + " to " + std::to_string(high));
  };
  range("mesh.width", config.mesh.width, 2, 32);
  range("mesh.height", config.mesh.height, 2, 32);
  range("noc.vcs_per_vn", config.vcs_per_vn, 1, 4);
  range("noc.vc_depth_flits", config.vc_depth_flits, 1, 64);
  try {
    pipeline_profile(config.profile);
  } catch (const std::invalid_argument& e) {
    errors.emplace_back(std::string("noc.profile: ") + e.what());
  }
  if (config.vcs_per_vn == 1 && config.vn1_vc_policy == Vn1VcPolicy::kPerClass)
    errors.emplace_back(
        "noc.vn1_vc_policy \"per_class\" needs noc.vcs_per_vn of at least 2: KV_FETCH and KV_DATA have a VC "
        "each");
  return errors;
}

}  // namespace meshkv::noc
