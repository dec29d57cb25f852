// The Pad pipelines of chosen tiles, segment by segment, for details.json.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/pad/pad_observer.h"
#include "platform/chip/chip.h"
#include "platform/run_config.h"
#include "platform/scenario/parameter.h"

namespace meshkv::platform {

class PadLog : public pad::PadObserver {
 public:
  /// Registers with the tiles that it chooses.
  PadLog(const RecordConfig& config, Chip& chip);
  void segment_done(const pad::SegmentTimes& times) override;
  /// {"columns": [...], "tiles": {"3_4": {"segments": [[...]...], "not_recorded": 0}}}
  Json object() const;

 private:
  struct TileLog {
    bool chosen = false;
    std::vector<pad::SegmentTimes> segments;
    std::uint64_t not_recorded = 0;
  };
  MeshShape mesh_;
  std::size_t most_;
  std::vector<TileLog> tiles_;  ///< by node
  std::uint64_t tiles_left_out_ = 0;
};

}  // namespace meshkv::platform
