#include "platform/run/run_synthetic.h"

#include <algorithm>
#include <optional>
#include <systemc>

#include "models/workload/synthetic_run.h"
#include "platform/run/details.h"
#include "platform/run/energy.h"
#include "platform/run/replay_file.h"
#include "platform/trace/trace.h"

namespace meshkv::platform {
namespace {

Json link_object(const noc::LinkStatistics& s) {
  return Json{{"kv_data", s.useful},
              {"duplicate", s.duplicate},
              {"control", s.control},
              {"back_pressure", s.back_pressure}};
}

/// {"3_4": {"east": {...}, ..., "tile": {...}, "injection": {...}}, ...}: the measured window, by directed
/// link.
Json link_metrics(const MeshShape& mesh, const workload::SyntheticStatistics& s) {
  Json links = Json::object();
  for (int n = 0; n < mesh.nodes(); ++n) {
    const Coord at = mesh.coord(static_cast<NodeId>(n));
    Json& node = links[std::to_string(at.x) + "_" + std::to_string(at.y)];
    for (int p = 0; p < kPorts; ++p) {
      const auto port = static_cast<Port>(p);
      if (port != Port::kTile && mesh.neighbour(static_cast<NodeId>(n), port) == kNoNode) continue;
      node[port_name(port)] = link_object(s.links[static_cast<std::size_t>(n)][static_cast<std::size_t>(p)]);
    }
    node["injection"] = link_object(s.injection_links[static_cast<std::size_t>(n)]);
  }
  return links;
}

Json noc_metrics(const RunConfig& config, const workload::SyntheticStatistics& s) {
  Json noc{{"flit_hops", s.flit_hops},
           {"avg_packet_latency_cycles", s.avg_packet_latency},
           {"avg_network_latency_cycles", s.avg_network_latency},
           {"p50_packet_latency_cycles", s.p50_packet_latency},
           {"p95_packet_latency_cycles", s.p95_packet_latency},
           {"p99_packet_latency_cycles", s.p99_packet_latency},
           {"max_packet_latency_cycles", s.max_packet_latency},
           {"avg_hops", s.avg_hops},
           {"offered_flits_per_node_cycle", s.offered_flits_per_node_cycle},
           {"accepted_flits_per_node_cycle", s.accepted_flits_per_node_cycle},
           {"created_packets", s.created_packets},
           {"ejected_packets", s.ejected_packets},
           {"measured_packets", s.measured_packets},
           {"arrived_packets", s.arrived_packets},
           {"saturated", s.outcome == workload::SyntheticOutcome::kSaturated}};
  if (config.synthetic.pattern == workload::TrafficPattern::kReplay) {
    noc["replay_compared"] = s.replay_compared;
    noc["replay_mismatches"] = s.replay_mismatches;
    noc["replay_worst_mismatch_cycles"] = s.worst_mismatch_cycles;
  }
  noc["links"] = link_metrics(config.noc.mesh, s);
  return noc;
}

LinkEvents link_events(const workload::SyntheticStatistics& s) {
  LinkEvents events;
  for (const auto& router : s.links)
    for (int p = 0; p < kPorts; ++p)
      (static_cast<Port>(p) == Port::kTile ? events.ejection_flits : events.mesh_flits) +=
          router[static_cast<std::size_t>(p)].flits();
  for (const noc::LinkStatistics& link : s.injection_links) events.injection_flits += link.flits();
  return events;
}

noc::LinkSet links_of(noc::Mesh& mesh) {
  std::vector<const noc::Router*> routers;
  std::vector<const noc::NetworkInterface*> interfaces;
  for (int n = 0; n < mesh.nodes(); ++n) {
    routers.push_back(&mesh.router(static_cast<NodeId>(n)));
    interfaces.push_back(&mesh.interface(static_cast<NodeId>(n)));
  }
  return {mesh.context().config.mesh, routers, interfaces};
}

Json details_of(noc::LinkTimeline& timeline, const workload::SyntheticRun& run) {
  timeline.finish(run.statistics().cycles);
  LogHistogram latency;
  for (std::size_t i = 0; i < run.latencies().size(); ++i) latency.add(i, run.latencies()[i]);
  return {{"links", links_object(timeline)}, {"latency", {{"packet", latency_object(latency, "cycles", 1)}}}};
}

/// The cycle of waits: each entry holds what it names and waits for the next one, the last for the first.
Json deadlock_json(const noc::DeadlockReport& report) {
  Json cycle = Json::array();
  for (const noc::DeadlockReport::Wait& w : report.cycle)
    cycle.push_back({{"class", noc::class_name(w.packet_class)},
                     {"packet", w.packet},
                     {"source", w.source},
                     {"where", w.where},
                     {"vc", w.vc},
                     {"waits_for", w.waits_for}});
  return {{"cycle", report.at},
          {"still_cycles", report.still_cycles},
          {"packets", report.packets},
          {"waits", cycle}};
}

}  // namespace

workload::SyntheticConfig synthetic_config(const RunConfig& config) {
  const SyntheticWorkload& w = config.synthetic;
  workload::SyntheticConfig s;
  s.noc = config.noc;
  s.pattern = w.pattern;
  s.hotspot_node = static_cast<NodeId>(w.hotspot_node);
  s.injection_rate = w.injection_rate;
  s.multicast_fanout = w.multicast_fanout;
  s.home_requests = w.home_requests;
  s.packet_flits = w.packet_flits;
  s.warmup_cycles = w.warmup_cycles;
  s.measure_cycles = w.measure_cycles;
  s.seed = config.seed;
  s.clock_mhz = config.clock_mhz;
  if (w.pattern == workload::TrafficPattern::kReplay)
    for (const ReplayPacket& p : read_replay_file(w.packets, config.noc.mesh.nodes()))
      s.packets.push_back({p.created, p.source, p.destination, p.flits, p.ejected.value_or(kNever)});
  return s;
}

SimulationResult run_synthetic(const RunConfig& config, ProgressSink& progress) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  workload::SyntheticRun run("mesh", synthetic_config(config));
  std::optional<noc::LinkTimeline> timeline;
  if (config.record.slices != 0) timeline.emplace(run.domain(), links_of(run.mesh()), config.record.slices);
  const std::unique_ptr<Trace> trace = trace_mesh(config.tracing, run.domain(), links_of(run.mesh()));
  run.run();
  const workload::SyntheticStatistics& s = run.statistics();
  progress.update(s.cycles, 1);
  SimulationResult result;
  result.cycles = s.cycles;
  result.host_flit_hops = s.flit_hops;
  result.metrics["noc"] = noc_metrics(config, s);
  EnergyEvents events;
  events.links = link_events(s);
  result.metrics["energy"] = energy_metrics(config.energy, config.noc.flit_bits, events);
  if (const noc::DeadlockReport* deadlock = run.deadlock()) {
    result.outcome = Outcome::kDeadlock;
    result.reason = deadlock->text();
    result.metrics["noc"]["deadlock"] = deadlock_json(*deadlock);
  }
  if (timeline) result.details = details_of(*timeline, run);
  finish_trace(trace.get(), config.tracing, result);
  if (s.outcome == workload::SyntheticOutcome::kSaturated)
    result.warnings.push_back(
        "saturated: the mesh accepts less than is offered, so latencies grow with the window");
  return result;
}

}  // namespace meshkv::platform
