#include "platform/run/simulate.h"

#include <stdexcept>

namespace meshkv::platform {

SimulationResult simulate(const RunConfig&, ProgressSink&) {
  throw std::runtime_error("the simulation is not available in this build");
}

}  // namespace meshkv::platform
