#include "platform/chip/pad_log.h"

#include <fnmatch.h>

#include <algorithm>

namespace meshkv::platform {

namespace {

/// Up to `most` tiles, evenly along the mesh's diagonal.
bool on_diagonal(const MeshShape& mesh, Coord at, int most) {
  const int n = std::min({most, mesh.width, mesh.height});
  for (int k = 0; k < n; ++k) {
    const auto along = [&](int size) { return n == 1 ? 0 : k * (size - 1) / (n - 1); };
    if (at.x == along(mesh.width) && at.y == along(mesh.height)) return true;
  }
  return false;
}

}  // namespace

PadLog::PadLog(const RecordConfig& config, Chip& chip)
    : mesh_(chip.plan.mesh()),
      most_(static_cast<std::size_t>(config.segments_per_tile)),
      tiles_(chip.tiles.size()) {
  int chosen = 0;
  for (auto& tile : chip.tiles) {
    const Coord at = mesh_.coord(tile->node());
    const bool wanted = config.tiles.empty() ? on_diagonal(mesh_, at, std::min(8, config.tiles_most))
                                             : fnmatch(config.tiles.c_str(), tile->basename(), 0) == 0;
    if (!wanted) continue;
    if (chosen == config.tiles_most) {
      ++tiles_left_out_;
      continue;
    }
    ++chosen;
    tiles_[tile->node()].chosen = true;
    tile->pad.add_observer(*this);
  }
}

void PadLog::segment_done(const pad::SegmentTimes& times) {
  TileLog& log = tiles_[times.tile];
  if (log.segments.size() < most_)
    log.segments.push_back(times);
  else
    ++log.not_recorded;
}

Json PadLog::object() const {
  Json pad;
  pad["columns"] = {"layer",    "segment",  "home_x", "home_y",   "sent",  "first_data",
                    "complete", "tm_begin", "tm_end", "rd_begin", "rd_end"};
  pad["tiles_left_out"] = tiles_left_out_;
  pad["tiles"] = Json::object();
  for (std::size_t n = 0; n < tiles_.size(); ++n) {
    if (!tiles_[n].chosen) continue;
    const Coord at = mesh_.coord(static_cast<NodeId>(n));
    Json segments = Json::array();
    for (const pad::SegmentTimes& s : tiles_[n].segments) {
      const Coord home = mesh_.coord(s.home);
      segments.push_back({s.layer, s.segment, home.x, home.y, s.sent, s.first_data, s.complete, s.tm_begin,
                          s.tm_end, s.rd_begin, s.rd_end});
    }
    pad["tiles"][std::to_string(at.x) + "_" + std::to_string(at.y)] = {
        {"segments", segments}, {"not_recorded", tiles_[n].not_recorded}};
  }
  return pad;
}

}  // namespace meshkv::platform
