#include "platform/trace/trace.h"

#include "platform/trace/perfetto_trace.h"
#include "platform/trace/vcd_trace.h"

namespace meshkv::platform {

namespace {

/// Routers of which at least a port is wanted.
std::vector<const noc::Router*> wanted(const TraceConfig& config,
                                       const std::vector<const noc::Router*>& all) {
  std::vector<const noc::Router*> routers;
  for (const noc::Router* router : all) {
    bool any = false;
    for (int p = 0; p < kPorts; ++p) any = any || config.wants(router->port(static_cast<Port>(p)).name());
    if (any) routers.push_back(router);
  }
  return routers;
}

}  // namespace

void finish_trace(Trace* trace, const TraceConfig& config, SimulationResult& result) {
  if (trace == nullptr) return;
  const TraceOutcome outcome = trace->finish(result.cycles);
  result.trace = {{"bytes", outcome.bytes}, {"events", outcome.events}, {"left_out", outcome.left_out}};
  if (const std::string reason = trace->failure(); !reason.empty()) result.trace["failure"] = reason;
  if (!outcome.cut_at) return;
  result.trace["cut_at"] = *outcome.cut_at;
  result.warnings.push_back("the trace is cut: it reached its limit of " +
                            std::to_string(config.limit_bytes) + " bytes in cycle " +
                            std::to_string(*outcome.cut_at) + ", and " + std::to_string(outcome.left_out) +
                            (config.kind == TraceKind::kVcd ? " cycles" : " events") +
                            " after that are missing (--trace-limit, --trace-window, --trace-instances)");
}

std::unique_ptr<Trace> trace_chip(const TraceConfig& config, Chip& chip) {
  if (config.kind == TraceKind::kNone) return nullptr;
  if (config.kind == TraceKind::kVcd) {
    std::vector<const noc::Router*> routers;
    for (const auto& tile : chip.tiles) routers.push_back(&tile->router);
    return std::make_unique<VcdTrace>(config, chip.clock, wanted(config, routers));
  }
  return std::make_unique<PerfettoChipTrace>(config, chip);
}

std::unique_ptr<Trace> trace_mesh(const TraceConfig& config, ClockDomain& clock, const noc::LinkSet& links) {
  if (config.kind == TraceKind::kNone) return nullptr;
  if (config.kind == TraceKind::kVcd)
    return std::make_unique<VcdTrace>(config, clock, wanted(config, links.routers()));
  return std::make_unique<PerfettoMeshTrace>(config, clock, links);
}

}  // namespace meshkv::platform
