#include "models/memory/memory_system.h"

#include <algorithm>
#include <iomanip>
#include <sstream>
#include <string>

namespace meshkv::memory {

DramControllerConfig hbm_controller_config(const MemoryConfig& config, const MemoryMap& map, int index) {
  const int controllers = hbm_controllers(config);
  DramControllerConfig c;
  c.timing = DramTiming::hbm2();
  c.channels = config.hbm_pseudo_channels / controllers;
  // memory.hbm_gbs scales the clock; the timing in clocks stays.
  c.timing.clock_ns *= c.timing.peak_gbs() * config.hbm_pseudo_channels / config.hbm_gbs;
  c.size_bytes = map.hbm_span();
  c.base_address = static_cast<std::uint64_t>(index) * map.hbm_span();
  c.interleave_bytes = config.interleave == Interleave::kBlock  ? 0
                       : config.interleave == Interleave::k128B ? 128
                                                                : chunk_granule(config);
  c.front_end_ns = config.hbm_front_end_ns;
  c.queue_requests = config.queue_requests;
  return c;
}

DramControllerConfig ddr_controller_config(const MemoryConfig& config, const MemoryMap& map, int index) {
  DramControllerConfig c;
  c.timing = DramTiming::ddr4();
  c.timing.clock_ns *= c.timing.peak_gbs() * config.ddr_channels / config.ddr_gbs;
  c.size_bytes = map.ddr_span();
  c.base_address = kDdrBase + static_cast<std::uint64_t>(index) * map.ddr_span();
  c.interleave_bytes = 0;
  c.front_end_ns = config.ddr_front_end_ns;
  c.queue_requests = config.queue_requests;
  return c;
}

double switch_latency_ns(const MemoryConfig& config, int column, int columns, int controller) {
  if (config.hbm_reach == HbmReach::kColumn) return 0.0;
  const int controllers = hbm_controllers(config);
  const ControllerRange own = controllers_of_column(column, columns, controllers);
  const int below = own.first - controller, above = controller - (own.first + own.count - 1);
  const int distance = std::max({below, above, 0});
  const double farthest = std::max(1, controllers - 1);
  return config.switch_ns + config.switch_farthest_ns * distance / farthest;
}

MemorySystem::MemorySystem(const MemoryConfig& config, const MemoryMap& map, int columns,
                           const std::vector<int>& port_columns)
    : config_(config) {
  MemoryInterconnectConfig wiring;
  for (int i = 0; i < map.hbm_controllers(); ++i) {
    const DramControllerConfig c = hbm_controller_config(config, map, i);
    hbm_.push_back(std::make_unique<HbmController>(("hbm_" + std::to_string(i)).c_str(), c));
    wiring.windows.push_back({c.base_address, c.size_bytes, i});
  }
  for (int i = 0; i < config.ddr_channels; ++i) {
    const DramControllerConfig c = ddr_controller_config(config, map, i);
    ddr_.push_back(std::make_unique<DdrController>(("ddr_" + std::to_string(i)).c_str(), c));
    wiring.windows.push_back({c.base_address, c.size_bytes, map.hbm_controllers() + i});
  }
  for (const int column : port_columns) {
    std::vector<double> latency(wiring.windows.size(), 0.0);
    for (int i = 0; i < map.hbm_controllers(); ++i)
      latency[static_cast<std::size_t>(i)] = switch_latency_ns(config, column, columns, i);
    wiring.switch_ns.push_back(std::move(latency));
  }
  interconnect_ = std::make_unique<MemoryInterconnect>("memory_interconnect", wiring);
  for (auto& controller : hbm_) interconnect_->to_controllers.bind(controller->socket);
  for (auto& controller : ddr_) interconnect_->to_controllers.bind(controller->socket);
}

std::uint64_t MemorySystem::hbm_bytes_moved() const {
  std::uint64_t sum = 0;
  for (const auto& c : hbm_) sum += c->statistics().bytes();
  return sum;
}
std::uint64_t MemorySystem::ddr_bytes_moved() const {
  std::uint64_t sum = 0;
  for (const auto& c : ddr_) sum += c->statistics().bytes();
  return sum;
}
double MemorySystem::hbm_peak_gbs() const {
  double sum = 0;
  for (const auto& c : hbm_) sum += c->peak_gbs();
  return sum;
}
double MemorySystem::ddr_peak_gbs() const {
  double sum = 0;
  for (const auto& c : ddr_) sum += c->peak_gbs();
  return sum;
}
void MemorySystem::set_background(const SparseMemory::Background& background) {
  for (auto& c : hbm_) c->set_background(background);
  for (auto& c : ddr_) c->set_background(background);
}

bool MemorySystem::idle() const {
  const auto is_idle = [](const auto& c) { return c->idle(); };
  return std::all_of(hbm_.begin(), hbm_.end(), is_idle) && std::all_of(ddr_.begin(), ddr_.end(), is_idle) &&
         interconnect_->idle();
}

namespace {

template <typename Controllers>
TierReport report_of(const Controllers& controllers, const sc_core::sc_time& elapsed) {
  TierReport r;
  DramController::DramStatistics dram;
  double channels = 0;
  for (const auto& c : controllers) {
    r.bytes += c->statistics().bytes();
    r.peak_gbs += c->peak_gbs();
    r.latency.add(c->statistics().dram);
    dram += c->dram_statistics();
    channels += c->config().channels;
    r.clock_ns = c->config().timing.clock_ns;
    r.refresh_share = static_cast<double>(c->config().timing.rfc) / c->config().timing.refi;
  }
  const double ns = elapsed.to_seconds() * 1e9;
  if (ns > 0) {
    r.wall_gbs = static_cast<double>(r.bytes) / ns;
    r.queue_bursts = dram.queue_clocks * r.clock_ns / (ns * channels);
  }
  if (dram.busy_clocks != 0)
    r.busy_gbs =
        static_cast<double>(r.bytes) / (static_cast<double>(dram.busy_clocks) * r.clock_ns) * channels;
  r.activations = dram.activations;
  r.row_hit_rate = dram.row_hit_rate();
  return r;
}

const char* interleave_text(Interleave interleave) {
  switch (interleave) {
    case Interleave::k4KiB:
      return "4 KiB per pseudo-channel";
    case Interleave::k128B:
      return "128 B per pseudo-channel";
    case Interleave::kBlock:
      return "a slice per pseudo-channel";
  }
  return "";
}

}  // namespace

TierReport MemorySystem::report(Tier tier, const sc_core::sc_time& elapsed) const {
  return tier == Tier::kHbm ? report_of(hbm_, elapsed) : report_of(ddr_, elapsed);
}

std::string MemorySystem::report_line(Tier tier, const sc_core::sc_time& elapsed) const {
  const TierReport r = report(tier, elapsed);
  if (r.bytes == 0) return "";
  std::ostringstream line;
  line << std::fixed << std::setprecision(1);
  if (tier == Tier::kHbm)
    line << "HBM2, " << interleave_text(config_.interleave) << ": ";
  else
    line << "DDR4: ";
  line << r.wall_gbs << " GB/s of " << r.peak_gbs << " (" << 100 * r.wall_gbs / r.peak_gbs << " %)";
  if (r.busy_gbs > 0) line << ", " << r.busy_gbs << " GB/s while busy";
  line << ", " << 100 * r.row_hit_rate << " % row hits, refresh takes " << 100 * r.refresh_share
       << " %, latency mean " << r.latency.mean() * r.clock_ns << " ns, 99 % below "
       << static_cast<double>(r.latency.percentile(0.99)) * r.clock_ns << " ns";
  return line.str();
}

}  // namespace meshkv::memory
