#include "platform/run/simulate.h"

#include <stdexcept>

#include "platform/chip/run_decode.h"
#include "platform/run/run_memory.h"
#include "platform/run/run_synthetic.h"

namespace meshkv::platform {

SimulationResult simulate(const RunConfig& config, ProgressSink& progress) {
  switch (config.workload_kind) {
    case WorkloadKind::kDecode:
      return run_decode(config, progress);
    case WorkloadKind::kSynthetic:
      return run_synthetic(config, progress);
    case WorkloadKind::kMemory:
      return run_memory(config, progress);
  }
  throw std::logic_error("unknown workload.kind");
}

}  // namespace meshkv::platform
