#include "models/workload/synthetic_run.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

namespace meshkv::workload {
namespace {

/// Latencies from here on share the last bin of the histogram (sums stay exact).
constexpr std::size_t kLongestLatency = 1U << 20;

}  // namespace

SyntheticRun::SyntheticRun(const std::string& name, const SyntheticConfig& config) : config_(config) {
  std::string all;
  for (const std::string& e : validate(config)) all += (all.empty() ? "" : "; ") + e;
  if (!all.empty()) throw std::invalid_argument(all);
  domain_ = std::make_unique<ClockDomain>((name + "_clock").c_str(),
                                          sc_core::sc_time(1.0 / config.clock_mhz, sc_core::SC_US));
  mesh_ = std::make_unique<noc::Mesh>(name.c_str(), config.noc, *domain_);
  SyntheticObserver& observer = *this;
  for (int n = 0; n < mesh_->nodes(); ++n)
    sources_.push_back(std::make_unique<SyntheticSource>(config_, observer, mesh_->context(),
                                                         mesh_->interface(static_cast<NodeId>(n))));
  window_from_ = config.warmup_cycles;
  window_to_ = config.warmup_cycles + config.measure_cycles;
  if (config.pattern != TrafficPattern::kReplay) return;
  window_from_ = 0;
  window_to_ = kNever;
  std::vector<std::size_t> order(config.packets.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(), [&config](std::size_t a, std::size_t b) {
    return config.packets[a].created < config.packets[b].created;
  });
  for (const std::size_t k : order) sources_[config.packets[k].source]->add_replay(k);
}

SyntheticRun::~SyntheticRun() = default;

void SyntheticRun::begin() {
  for (auto& source : sources_) source->start();
}

void SyntheticRun::stop_at(Cycle cycle) {
  for (auto& source : sources_) source->stop_at(cycle);
}

const noc::DeadlockReport* SyntheticRun::deadlock() const {
  const auto& found = static_cast<const noc::Mesh&>(*mesh_).watchdog().deadlock();
  return found ? &*found : nullptr;
}

void SyntheticRun::created(Cycle at, int flits, int copies) {
  ++statistics_.created_packets;
  if (at < window_from_ || at >= window_to_) return;
  statistics_.measured_packets += static_cast<std::uint64_t>(copies);
  window_created_flits_ += static_cast<std::uint64_t>(flits) * static_cast<std::uint64_t>(copies);
}

void SyntheticRun::arrived(const noc::Packet& packet, NodeId here, Cycle since, Cycle at) {
  const Coord a = mesh_->context().coord(packet.source);
  const Coord b = mesh_->context().coord(here);
  const auto routers = static_cast<std::uint64_t>(std::abs(a.x - b.x) + std::abs(a.y - b.y) + 1);
  ++statistics_.ejected_packets;
  statistics_.flit_hops += routers * packet.flits;
  if (at >= window_from_ && at < window_to_) window_ejected_flits_ += packet.flits;
  if (since < window_from_ || since >= window_to_) return;
  ++statistics_.arrived_packets;
  if (waiting_ && all_arrived()) sc_core::sc_pause();
  const Cycle latency = at - since;
  packet_latency_sum_ += latency;
  network_latency_sum_ += at - packet.injected;
  hops_sum_ += routers;
  const std::size_t bin = std::min<std::size_t>(latency, kLongestLatency);
  if (bin >= latencies_.size()) latencies_.resize(bin + 1 + bin / 2, 0);
  ++latencies_[bin];
  statistics_.max_packet_latency = std::max(statistics_.max_packet_latency, static_cast<double>(latency));
  if (config_.pattern == TrafficPattern::kReplay) compare(packet, at);
}

void SyntheticRun::compare(const noc::Packet& packet, Cycle at) {
  const Cycle expected = config_.packets[packet.user].ejected;
  if (expected == kNever) return;
  ++statistics_.replay_compared;
  if (expected == at) return;
  ++statistics_.replay_mismatches;
  statistics_.worst_mismatch_cycles =
      std::max(statistics_.worst_mismatch_cycles, expected > at ? expected - at : at - expected);
}

/// Simulates all cycles before `to_cycle`, or fewer if a deadlock is found or nothing is left to wait for.
void SyntheticRun::advance(Cycle to_cycle) {
  if (to_cycle == 0) return;
  // Half a cycle early: the edge of `to_cycle` itself is not reached.
  const sc_core::sc_time until = domain_->to_time(to_cycle) - domain_->period() / 2;
  if (until > sc_core::sc_time_stamp()) sc_core::sc_start(until - sc_core::sc_time_stamp());
  now_ = sc_core::sc_time_stamp() >= until ? to_cycle : domain_->now() + 1;
}

/// Turns the link totals into differences to what they were at the last call.
void SyntheticRun::snapshot(Cycle now) {
  const auto nodes = static_cast<std::size_t>(mesh_->nodes());
  statistics_.links.resize(nodes);
  statistics_.injection_links.resize(nodes);
  for (std::size_t n = 0; n < nodes; ++n) {
    const auto node = static_cast<NodeId>(n);
    for (unsigned p = 0; p < kPorts; ++p)
      statistics_.links[n][p] =
          mesh_->router(node).core().link(static_cast<Port>(p), now) - statistics_.links[n][p];
    statistics_.injection_links[n] =
        mesh_->interface(node).injection_statistics(0, now) - statistics_.injection_links[n];
  }
}

/// Simulates until every measured packet has arrived; false if that was not so by `limit`.
bool SyntheticRun::wait_for_all(Cycle limit) {
  waiting_ = true;
  while (!all_arrived() && now_ < limit && deadlock() == nullptr) advance(limit);
  waiting_ = false;
  return all_arrived();
}

void SyntheticRun::run() {
  mesh_->watchdog().on_deadlock = [](const noc::DeadlockReport&) { sc_core::sc_pause(); };
  begin();
  if (config_.pattern == TrafficPattern::kReplay) {
    snapshot(0);
    Cycle last = 0;
    for (const ReplayPacket& p : config_.packets) last = std::max(last, p.created);
    wait_for_all(last + config_.drain_limit_cycles);
    statistics_.window_cycles = now_;
    snapshot(now_);
  } else {
    advance(window_from_);
    snapshot(now_);
    if (deadlock() == nullptr) advance(window_to_);
    statistics_.window_cycles = now_ - std::min(now_, window_from_);
    snapshot(now_);
    wait_for_all(window_to_ + config_.drain_limit_cycles);
  }
  finish();
}

double SyntheticRun::percentile(double fraction) const {
  const auto rank =
      static_cast<std::uint64_t>(std::ceil(fraction * static_cast<double>(statistics_.arrived_packets)));
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < latencies_.size(); ++k) {
    sum += latencies_[k];
    if (sum >= rank) return static_cast<double>(k);
  }
  return 0;
}

void SyntheticRun::finish() {
  SyntheticStatistics& s = statistics_;
  if (now_ == 0)
    now_ = domain_->to_cycle(sc_core::sc_time_stamp());  // run by somebody else: begin(), finish()
  s.cycles = now_;
  if (s.window_cycles == 0 && now_ > window_from_)
    s.window_cycles = std::min(now_, window_to_) - window_from_;
  if (s.arrived_packets != 0) {
    const auto n = static_cast<double>(s.arrived_packets);
    s.avg_packet_latency = static_cast<double>(packet_latency_sum_) / n;
    s.avg_network_latency = static_cast<double>(network_latency_sum_) / n;
    s.avg_hops = static_cast<double>(hops_sum_) / n;
    s.p50_packet_latency = percentile(0.50);
    s.p95_packet_latency = percentile(0.95);
    s.p99_packet_latency = percentile(0.99);
  }
  if (config_.pattern == TrafficPattern::kMulticast || config_.pattern == TrafficPattern::kRequestReply) {
    s.flit_hops = 0;
    for (int n = 0; n < mesh_->nodes(); ++n)
      s.flit_hops += mesh_->router(static_cast<NodeId>(n)).core().flits_sent();
  }
  if (s.window_cycles != 0) {
    const double slots = static_cast<double>(s.window_cycles) * mesh_->nodes();
    s.offered_flits_per_node_cycle = static_cast<double>(window_created_flits_) / slots;
    // A source that lags behind has not drawn all the packets of the window yet: the nominal rate counts.
    if (!all_arrived() && config_.pattern != TrafficPattern::kReplay) {
      const int copies = config_.pattern == TrafficPattern::kMulticast ? config_.multicast_fanout : 1;
      s.offered_flits_per_node_cycle =
          std::max(s.offered_flits_per_node_cycle, config_.injection_rate * copies);
    }
    s.accepted_flits_per_node_cycle = static_cast<double>(window_ejected_flits_) / slots;
  }
  if (deadlock() != nullptr) {
    s.outcome = SyntheticOutcome::kDeadlocked;
  } else if (!all_arrived() || s.accepted_flits_per_node_cycle < 0.95 * s.offered_flits_per_node_cycle) {
    s.outcome = SyntheticOutcome::kSaturated;
  }
}

}  // namespace meshkv::workload
