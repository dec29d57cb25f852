#include "platform/run/bounds.h"

namespace meshkv::platform {

Json estimate_bounds(const RunConfig&) {
  return Json::object();
}

}  // namespace meshkv::platform
