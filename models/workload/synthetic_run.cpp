#include "models/workload/synthetic_run.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "models/common/seed.h"

namespace meshkv::workload {
namespace {

/// Latencies from here on share the last bin of the histogram (sums stay exact).
constexpr std::size_t kLongestLatency = 1U << 20;

ClockDomain* make_domain(const std::string& name, double mhz) {
  return new ClockDomain((name + "_clock").c_str(), sc_core::sc_time(1.0 / mhz, sc_core::SC_US));
}

}  // namespace

/// Creates the packets of one node, each when the one before has begun to leave: a source queue without bound
/// that holds one packet. Creation times do not depend on that.
class SyntheticRun::Source final : public noc::NetworkClient {
 public:
  Source(SyntheticRun& run, noc::NetworkInterface& interface)
      : run_(run), interface_(interface), state_(instance_seed(run.config_.seed, interface.name())) {
    const double p = run.config_.injection_rate / run.config_.packet_flits;
    log_miss_ = p >= 1.0 ? 0.0 : std::log1p(-p);
    never_ = p <= 0.0;
    interface.set_client(*this);
  }

  void add(std::size_t packet) { replay_.push_back(packet); }
  void start() { interface_.want_refill(run_.config_.packet_class); }
  bool drains_at_once() const override { return true; }
  Cycle on_head(const noc::Packet&, Cycle now) override { return now; }
  void on_tail(const noc::Packet& packet, Cycle now) override { run_.arrived(packet, now); }

  void on_refill(noc::PacketClass packet_class, Cycle) override {
    if (run_.config_.pattern == TrafficPattern::kReplay) {
      if (next_ == replay_.size()) return;
      const std::size_t index = replay_[next_++];
      const ReplayPacket& r = run_.config_.packets[index];
      create(r.created, r.destination, r.flits > 0 ? r.flits : run_.config_.packet_flits, index);
    } else {
      if (never_) return;
      next_created_ += gap();
      create(next_created_ - 1, destination(), run_.config_.packet_flits, 0);
    }
    interface_.want_refill(packet_class);
  }

 private:
  std::uint64_t random() {
    state_ += 0x9e3779b97f4a7c15ULL;
    return mix64(state_);
  }

  /// Cycles from one success of a coin tossed each cycle to the next, at least 1.
  Cycle gap() {
    if (log_miss_ == 0.0) return 1;
    const double u = (static_cast<double>(random() >> 11) + 0.5) * 0x1.0p-53;
    return 1 + static_cast<Cycle>(std::log(u) / log_miss_);
  }

  NodeId destination() {
    const MeshShape& mesh = run_.config_.noc.mesh;
    const NodeId here = interface_.node();
    const Coord c = mesh.coord(here);
    switch (run_.config_.pattern) {
      case TrafficPattern::kTranspose:
        return mesh.node({c.y, c.x});
      case TrafficPattern::kBitcomp:
        return static_cast<NodeId>(mesh.nodes() - 1 - here);
      case TrafficPattern::kNeighbor:
        return mesh.node({(c.x + 1) % mesh.width, (c.y + 1) % mesh.height});
      case TrafficPattern::kHotspot:
        return run_.config_.hotspot_node;
      default:
        return static_cast<NodeId>(((random() >> 32) * static_cast<std::uint64_t>(mesh.nodes())) >> 32);
    }
  }

  void create(Cycle at, NodeId to, int flits, std::size_t index) {
    noc::Packet* p = interface_.allocate();
    p->packet_class = run_.config_.packet_class;
    p->flits = static_cast<std::uint16_t>(flits);
    p->destination = to;
    p->user = index;
    interface_.send(p, at);
    if (at >= run_.window_from_ && at < run_.window_to_) {
      ++run_.statistics_.measured_packets;
      run_.window_created_flits_ += static_cast<std::uint64_t>(flits);
    }
  }

  SyntheticRun& run_;
  noc::NetworkInterface& interface_;
  std::uint64_t state_;
  double log_miss_;
  bool never_;
  Cycle next_created_ = 0;
  std::vector<std::size_t> replay_;
  std::size_t next_ = 0;
};

SyntheticRun::SyntheticRun(const std::string& name, const SyntheticConfig& config) : config_(config) {
  std::string all;
  for (const std::string& e : validate(config)) all += (all.empty() ? "" : "; ") + e;
  if (!all.empty()) throw std::invalid_argument(all);
  domain_.reset(make_domain(name, config.clock_mhz));
  mesh_ = std::make_unique<noc::Mesh>(name.c_str(), config.noc, *domain_);
  for (int n = 0; n < mesh_->nodes(); ++n)
    sources_.push_back(std::make_unique<Source>(*this, mesh_->interface(static_cast<NodeId>(n))));
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
  for (const std::size_t k : order) sources_[config.packets[k].source]->add(k);
}

SyntheticRun::~SyntheticRun() = default;

void SyntheticRun::begin() {
  for (auto& source : sources_) source->start();
}

void SyntheticRun::arrived(const noc::Packet& packet, Cycle at) {
  const MeshShape& mesh = config_.noc.mesh;
  const Coord a = mesh_->context().coord(packet.source);
  const Coord b = mesh_->context().coord(packet.destination);
  (void)mesh;
  const auto routers = static_cast<std::uint64_t>(std::abs(a.x - b.x) + std::abs(a.y - b.y) + 1);
  ++statistics_.ejected_packets;
  statistics_.flit_hops += routers * packet.flits;
  if (at >= window_from_ && at < window_to_) window_ejected_flits_ += packet.flits;
  if (packet.created < window_from_ || packet.created >= window_to_) return;
  ++statistics_.arrived_packets;
  const Cycle latency = at - packet.created;
  packet_latency_sum_ += latency;
  network_latency_sum_ += at - packet.injected;
  hops_sum_ += routers;
  const std::size_t bin = std::min<std::size_t>(latency, kLongestLatency);
  if (bin >= latencies_.size()) latencies_.resize(bin + 1 + bin / 2, 0);
  ++latencies_[bin];
  statistics_.max_packet_latency = std::max(statistics_.max_packet_latency, static_cast<double>(latency));
  if (config_.pattern != TrafficPattern::kReplay) return;
  const Cycle expected = config_.packets[packet.user].ejected;
  if (expected == kNever) return;
  ++statistics_.replay_compared;
  if (expected == at) return;
  ++statistics_.replay_mismatches;
  statistics_.worst_mismatch_cycles =
      std::max(statistics_.worst_mismatch_cycles, expected > at ? expected - at : at - expected);
}

/// Simulates all cycles before `to_cycle`.
Cycle SyntheticRun::advance(Cycle to_cycle) {
  // Half a cycle early: the edge of `to_cycle` itself is not reached.
  const sc_core::sc_time until = domain_->to_time(to_cycle) - domain_->period() / 2;
  if (until > sc_core::sc_time_stamp()) sc_core::sc_start(until - sc_core::sc_time_stamp());
  return to_cycle;
}

void SyntheticRun::snapshot(std::vector<std::array<noc::LinkStatistics, kPorts>>& links,
                            std::vector<noc::LinkStatistics>& injection, Cycle now) {
  const auto nodes = static_cast<std::size_t>(mesh_->nodes());
  links.resize(nodes);
  injection.resize(nodes);
  for (std::size_t n = 0; n < nodes; ++n) {
    const auto node = static_cast<NodeId>(n);
    for (unsigned p = 0; p < kPorts; ++p)
      links[n][p] = mesh_->router(node).core().link(static_cast<Port>(p), now) - links[n][p];
    injection[n] = mesh_->interface(node).injection_statistics(0, now) - injection[n];
  }
}

void SyntheticRun::open_window() {
  snapshot(statistics_.links, statistics_.injection_links, window_from_);
}

void SyntheticRun::close_window() {
  snapshot(statistics_.links, statistics_.injection_links, domain_->now() + 1);
}

bool SyntheticRun::all_arrived() const {
  return statistics_.arrived_packets == statistics_.measured_packets;
}

void SyntheticRun::run() {
  begin();
  constexpr Cycle kStep = 1000;
  if (config_.pattern == TrafficPattern::kReplay) {
    open_window();
    Cycle now = 0;
    std::uint64_t before = 0;
    Cycle still = 0;
    while (mesh_->context().pool.live() != 0 && still < config_.drain_limit_cycles) {
      now = advance(now + kStep);
      still = statistics_.ejected_packets == before ? still + kStep : 0;
      before = statistics_.ejected_packets;
    }
    statistics_.cycles = now;
    close_window();
    finish();
    return;
  }
  if (window_from_ > 0) advance(window_from_);
  open_window();
  Cycle now = advance(window_to_);
  close_window();
  const Cycle limit = window_to_ + config_.drain_limit_cycles;
  while (!all_arrived() && now < limit) now = advance(std::min(now + kStep, limit));
  statistics_.cycles = now;
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
  s.created_packets = mesh_->context().pool.allocated();
  s.drained = all_arrived();
  if (s.arrived_packets != 0) {
    const auto n = static_cast<double>(s.arrived_packets);
    s.avg_packet_latency = static_cast<double>(packet_latency_sum_) / n;
    s.avg_network_latency = static_cast<double>(network_latency_sum_) / n;
    s.avg_hops = static_cast<double>(hops_sum_) / n;
    s.p50_packet_latency = percentile(0.50);
    s.p95_packet_latency = percentile(0.95);
    s.p99_packet_latency = percentile(0.99);
  }
  const Cycle window = window_to_ == kNever ? s.cycles : window_to_ - window_from_;
  if (window != 0) {
    const double slots = static_cast<double>(window) * mesh_->nodes();
    s.offered_flits_per_node_cycle = static_cast<double>(window_created_flits_) / slots;
    s.accepted_flits_per_node_cycle = static_cast<double>(window_ejected_flits_) / slots;
  }
  s.saturated = !s.drained || s.accepted_flits_per_node_cycle < 0.95 * s.offered_flits_per_node_cycle;
}

}  // namespace meshkv::workload
