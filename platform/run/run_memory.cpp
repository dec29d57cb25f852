#include "platform/run/run_memory.h"

#include <systemc>

#include "models/memory/memory_workload.h"
#include "platform/run/energy.h"

namespace meshkv::platform {

SimulationResult run_memory(const RunConfig& config, ProgressSink& progress) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  memory::MemoryWorkload workload("memory", config.memory_workload, config.mode);
  const memory::MemoryWorkloadResult r = workload.run();
  SimulationResult result;
  result.cycles = config.memory_workload.warmup_cycles + config.memory_workload.measure_cycles;
  progress.update(result.cycles, 1);
  result.metrics["memory"] = Json{{"bandwidth_fraction", r.bandwidth_fraction},
                                  {"bandwidth_gbs", r.bandwidth_gbs},
                                  {"mean_latency_ns", r.mean_latency_ns},
                                  {"p50_latency_ns", r.p50_latency_ns},
                                  {"p99_latency_ns", r.p99_latency_ns},
                                  {"slice_period_ns", r.slice_period_ns},
                                  {"row_hit_rate", r.row_hit_rate},
                                  {"refresh_share", r.refresh_share},
                                  {"queue_bursts", r.queue_bursts},
                                  {"accesses", r.accesses},
                                  {"bytes", r.bytes},
                                  {"activations", r.activations}};
  EnergyEvents events;
  const bool hbm = config.memory_workload.device == memory::MemoryDevice::kHbm;
  (hbm ? events.hbm : events.ddr) = DramEvents{r.bytes, r.activations};
  result.metrics["energy"] = energy_metrics(config.energy, config.noc.flit_bits, events);
  if (!workload.idle()) {
    result.outcome = Outcome::kProtocolError;
    result.reason = "transactions are still under way after the workload has ended";
  }
  return result;
}

}  // namespace meshkv::platform
