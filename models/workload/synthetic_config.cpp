#include "models/workload/synthetic_config.h"

#include <stdexcept>

namespace meshkv::workload {
namespace {

constexpr const char* kPatternNames[] = {"uniform", "transpose", "bitcomp",   "neighbor",
                                         "hotspot", "replay",    "multicast", "request_reply"};

void check_pattern(const SyntheticConfig& c, std::vector<std::string>& errors) {
  const int nodes = c.noc.mesh.nodes();
  const std::string shape = std::to_string(c.noc.mesh.width) + "x" + std::to_string(c.noc.mesh.height);
  switch (c.pattern) {
    case TrafficPattern::kTranspose:
      if (c.noc.mesh.width != c.noc.mesh.height)
        errors.push_back("pattern \"transpose\" sends (x, y) to (y, x), which a mesh of " + shape +
                         " does not have for every node; use a square mesh");
      break;
    case TrafficPattern::kBitcomp:
      if ((nodes & (nodes - 1)) != 0)
        errors.push_back(
            "pattern \"bitcomp\" complements the bits of the node number, which needs a power of "
            "two of nodes; a mesh of " +
            shape + " has " + std::to_string(nodes));
      break;
    case TrafficPattern::kHotspot:
      if (c.hotspot_node >= nodes)
        errors.push_back("hotspot_node " + std::to_string(c.hotspot_node) + " is not in a mesh of " + shape);
      break;
    case TrafficPattern::kReplay: {
      if (c.packets.empty()) errors.emplace_back("pattern \"replay\" without packets");
      std::size_t outside = 0;
      for (const ReplayPacket& p : c.packets)
        outside += p.source >= nodes || p.destination >= nodes || p.flits < 0 ? 1U : 0U;
      if (outside != 0)
        errors.push_back(std::to_string(outside) + " packets of the replay name nodes that a mesh of " +
                         shape + " does not have, or a negative length");
      break;
    }
    case TrafficPattern::kMulticast:
      if (c.multicast_fanout < 1 || c.multicast_fanout > nodes)
        errors.push_back("multicast_fanout is " + std::to_string(c.multicast_fanout) + "; a mesh of " +
                         shape + " has 1 to " + std::to_string(nodes) + " destinations");
      break;
    case TrafficPattern::kRequestReply:
      if (c.home_requests < 1) errors.emplace_back("home_requests must be at least 1");
      break;
    case TrafficPattern::kUniform:
    case TrafficPattern::kNeighbor:
      break;
  }
}

}  // namespace

const char* pattern_name(TrafficPattern p) {
  return kPatternNames[static_cast<unsigned>(p)];
}

TrafficPattern traffic_pattern(const std::string& name) {
  for (unsigned k = 0; k < std::size(kPatternNames); ++k)
    if (name == kPatternNames[k]) return static_cast<TrafficPattern>(k);
  throw std::invalid_argument("unknown traffic pattern \"" + name +
                              "\" (known: uniform, transpose, bitcomp, neighbor, hotspot, replay, multicast, "
                              "request_reply)");
}

std::vector<std::string> validate(const SyntheticConfig& config) {
  std::vector<std::string> errors = noc::validate(config.noc);
  if (config.packet_flits < 1 || config.packet_flits > 65535)
    errors.push_back("packet_flits is " + std::to_string(config.packet_flits) + "; it must be 1 to 65535");
  if (config.pattern != TrafficPattern::kReplay) {
    const double highest = config.packet_flits;
    if (!(config.injection_rate >= 0.0) || config.injection_rate > highest)
      errors.push_back("injection_rate is " + std::to_string(config.injection_rate) +
                       " flits/node/cycle; a node creates at most one packet a cycle, here " +
                       std::to_string(config.packet_flits) + " flits");
    if (config.measure_cycles == 0) errors.emplace_back("measure_cycles is 0: nothing would be measured");
  }
  check_pattern(config, errors);
  return errors;
}

}  // namespace meshkv::workload
