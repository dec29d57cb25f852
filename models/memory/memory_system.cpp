#include "models/memory/memory_system.h"

#include <algorithm>
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
                           const std::vector<int>& port_columns) {
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
bool MemorySystem::idle() const {
  const auto is_idle = [](const auto& c) { return c->idle(); };
  return std::all_of(hbm_.begin(), hbm_.end(), is_idle) && std::all_of(ddr_.begin(), ddr_.end(), is_idle) &&
         interconnect_->idle();
}

}  // namespace meshkv::memory
