// Packets to replay: CSV or CSV.gz with a header line, the columns created, src, dst and optionally flits,
// ejected, in any order; other columns are ignored.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/common/types.h"

namespace meshkv::platform {

struct ReplayPacket {
  Cycle created = 0;
  NodeId source = 0;
  NodeId destination = 0;
  int flits = 0;                 ///< 0: workload.packet_flits
  std::optional<Cycle> ejected;  ///< cycle in which the tail should be ejected; blank: not compared
};

/// In the file's order. Throws std::runtime_error with the line and what is wrong with it.
std::vector<ReplayPacket> read_replay_file(const std::string& file, int nodes);

}  // namespace meshkv::platform
