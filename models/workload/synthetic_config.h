// Synthetic traffic for the mesh alone, with the definitions that BookSim2 uses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/types.h"
#include "models/noc/noc_config.h"
#include "models/noc/packet.h"

namespace meshkv::workload {

enum class TrafficPattern : std::uint8_t {
  kUniform,    ///< every node is equally likely, the source included
  kTranspose,  ///< (x, y) -> (y, x); square meshes
  kBitcomp,    ///< node -> ~node; a power of two of nodes
  kNeighbor,   ///< (x, y) -> (x + 1 mod width, y + 1 mod height)
  kHotspot,    ///< everything to one node
  kReplay,     ///< a list of packets
  kMulticast,  ///< KV_DATA to random sets of nodes, on XY trees
  /// KV_FETCHes to uniform homes, each answered by a KV_DATA packet. A home holds few requests and takes no
  /// more before it has sent a reply: what a message-dependent deadlock needs. The rate is that of reply
  /// flits.
  kRequestReply
};
const char* pattern_name(TrafficPattern p);
/// Throws std::invalid_argument for an unknown name.
TrafficPattern traffic_pattern(const std::string& name);

struct ReplayPacket {
  Cycle created = 0;
  NodeId source = 0;
  NodeId destination = 0;
  int flits = 0;           ///< 0: SyntheticConfig::packet_flits
  Cycle ejected = kNever;  ///< expected; kNever: not compared
};

struct SyntheticConfig {
  noc::NocConfig noc;
  TrafficPattern pattern = TrafficPattern::kUniform;
  NodeId hotspot_node = 0;
  double injection_rate = 0.1;  ///< flits/node/cycle, Bernoulli
  int packet_flits = 5;
  noc::PacketClass packet_class = noc::PacketClass::kPart;  ///< of the unicast patterns
  int multicast_fanout = 8;                                 ///< kMulticast: destinations of a packet
  int home_requests = 4;                                    ///< kRequestReply: requests that a home holds
  Cycle warmup_cycles = 10000;
  Cycle measure_cycles = 50000;
  /// After the window traffic goes on until every packet created in it has arrived, at most so long.
  Cycle drain_limit_cycles = 200000;
  std::vector<ReplayPacket> packets;  ///< kReplay: in any order; all are measured, no warm-up
  std::uint64_t seed = 1;
  double clock_mhz = 300.0;
};

/// Everything that is wrong, one sentence each (the patterns that this mesh does not define among them).
std::vector<std::string> validate(const SyntheticConfig& config);

}  // namespace meshkv::workload
