// Somebody who looks at a clock domain between its cycles: samplers and traces. Free of SystemC.
#pragma once

#include "models/common/types.h"

namespace meshkv {

/// An observer changes nothing and does not keep the simulation alive: it is told of cycles that have work
/// anyway.
class ClockObserver {
 public:
  virtual ~ClockObserver() = default;
  /// Called before the members of cycle `now`: the first one with work at or after the cycle that the
  /// observer asked for. Nothing has acted since the last cycle with work, so what it sees holds for all
  /// cycles since. Returns the cycle that it asks for next (kNever: none).
  virtual Cycle observe(Cycle now) = 0;
};

}  // namespace meshkv
