// What `vp run --trace` was asked for, and what became of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/common/types.h"

namespace meshkv::platform {

enum class TraceKind : std::uint8_t { kNone, kPerfetto, kVcd };

struct TraceConfig {
  TraceKind kind = TraceKind::kNone;
  std::string file;  ///< written while the simulation runs
  std::uint64_t limit_bytes = 64U << 20;
  Cycle from = 0, to = kNever;  ///< what begins in [from, to)
  std::string instances = "*";  ///< glob over instance names; what lies below a match is meant too

  bool covers(Cycle at) const { return at >= from && at < to; }
  /// The glob matches `name` ("chip.tile_3_4.router.port_east") or one of the instances above it.
  bool wants(const std::string& name) const;
};

/// A trace that is complete has no `cut_at`.
struct TraceOutcome {
  std::uint64_t bytes = 0;
  std::uint64_t events = 0;
  std::uint64_t left_out = 0;   ///< events (perfetto) or cycles of the run (vcd) after the limit
  std::optional<Cycle> cut_at;  ///< the limit was reached here
};

/// "16M" as bytes; K, M and G are powers of 1024. Throws std::invalid_argument with what is allowed.
std::uint64_t parse_bytes(const std::string& text);
/// "1000:2000", "1000:" or ":2000" into from and to.
void parse_window(const std::string& text, TraceConfig& config);

}  // namespace meshkv::platform
