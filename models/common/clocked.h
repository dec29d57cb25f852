// Something that acts in chosen cycles of a clock domain. Free of SystemC, so that plain cores can be it.
#pragma once

#include "models/common/types.h"

namespace meshkv {

/// Members of a domain affect one another at the earliest in the NEXT cycle, so the order of calls within a
/// cycle cannot matter.
class Clocked {
 public:
  virtual ~Clocked() = default;
  virtual void tick(Cycle now) = 0;
};

}  // namespace meshkv
