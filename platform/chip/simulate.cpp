#include "platform/run/simulate.h"

#include <stdexcept>

#include "platform/chip/run_decode.h"

namespace meshkv::platform {

SimulationResult simulate(const RunConfig& config, ProgressSink& progress) {
  switch (config.workload_kind) {
    case WorkloadKind::kDecode:
      return run_decode(config, progress);
    case WorkloadKind::kSynthetic:
    case WorkloadKind::kMemory:
      break;
  }
  throw std::runtime_error("this workload is not available in this build");
}

}  // namespace meshkv::platform
