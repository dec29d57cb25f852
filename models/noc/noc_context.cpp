#include "models/noc/noc_context.h"

#include <stdexcept>

namespace meshkv::noc {
namespace {

/// From here on the routers' state is far beyond a second-level cache.
constexpr int kManyNodes = 128;

const NocConfig& checked(const NocConfig& config) {
  std::string all;
  for (const std::string& e : validate(config)) all += (all.empty() ? "" : "; ") + e;
  if (!all.empty()) throw std::invalid_argument(all);
  return config;
}

}  // namespace

NocContext::NocContext(const NocConfig& c, ClockDomain& d)
    : config(checked(c)),
      profile(pipeline_profile(c.profile)),
      domain(d),
      arena(c.mesh.nodes() >= kManyNodes),
      trees(c.mesh),
      loose(d.period()),
      first_id_(d.reserve(2 * c.mesh.nodes())) {
  for (int n = 0; n < config.mesh.nodes(); ++n) {
    const Coord at = config.mesh.coord(static_cast<NodeId>(n));
    coords_.push_back({static_cast<std::uint8_t>(at.x), static_cast<std::uint8_t>(at.y)});
  }
  for (unsigned k = 0; k < delay_times_.size(); ++k) delay_times_[k] = domain.period() * k;
  for (int k = 0; k < kPacketClasses; ++k)
    class_vcs_[static_cast<unsigned>(k)] = config.class_vcs(static_cast<PacketClass>(k));
}

void NocContext::set_mode(TimingMode mode) {
  if (mode == mode_) return;
  if (pool.live() != 0)
    SC_REPORT_FATAL(domain.name(), ("the mesh cannot change its timing mode with " +
                                    std::to_string(pool.live()) + " packets in flight")
                                       .c_str());
  mode_ = mode;
}

}  // namespace meshkv::noc
