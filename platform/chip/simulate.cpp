#include "platform/run/simulate.h"

#include <stdexcept>

#include "platform/chip/run_decode.h"
#include "platform/run/run_synthetic.h"

namespace meshkv::platform {

SimulationResult simulate(const RunConfig& config, ProgressSink& progress) {
  switch (config.workload_kind) {
    case WorkloadKind::kDecode:
      return run_decode(config, progress);
    case WorkloadKind::kSynthetic:
      return run_synthetic(config, progress);
    case WorkloadKind::kMemory:
      break;
  }
  throw std::runtime_error("this workload is not available in this build");
}

}  // namespace meshkv::platform
