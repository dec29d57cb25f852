#include "models/controller/descriptor_controller.h"

#include <algorithm>

namespace meshkv::controller {

DescriptorController::DescriptorController(sc_core::sc_module_name name, int column,
                                           const ControllerConfig& config, ClockDomain& clock,
                                           const workload::DecodePlan& plan, LayerCoordinator& coordinator)
    : ColumnController(name),
      column_(column),
      config_(config),
      clock_(clock),
      plan_(plan),
      coordinator_(coordinator),
      clock_id_(clock.add(*this)),
      next_(static_cast<std::size_t>(plan.mesh().height), 0) {}

void DescriptorController::begin_layer(int layer, Cycle at) {
  layer_ = layer;
  begin_at_ = at;
  clock_.wake(clock_id_, at);
}

void DescriptorController::progress(Cycle now) {
  clock_.wake(clock_id_, now + 1);
}

void DescriptorController::send(int row, const Descriptor& descriptor) {
  if (!write(row, descriptor, clock_.to_time(static_cast<Cycle>(config_.descriptor_cycles))))
    SC_REPORT_FATAL(name(), ("a descriptor to row " + std::to_string(row) + " was refused").c_str());
}

void DescriptorController::start_layer(Cycle now) {
  const workload::LayerPlan& plan = plan_.layer(layer_);
  open_parts_ = 1;  // this call itself, so that an empty column arrives too
  for (int row = 0; row < plan_.mesh().height; ++row) {
    next_[static_cast<std::size_t>(row)] = 0;
    Descriptor begin;
    begin.operation = Operation::kBeginLayer;
    begin.layer = static_cast<std::uint32_t>(layer_);
    send(row, begin);
    open_parts_ += plan.items[node(row)].empty() ? 0 : 1;
    open_parts_ += plan.expected_parts[node(row)] == 0 ? 0 : 1;
  }
  prefetch_list_.clear();
  next_prefetch_ = 0;
  for (std::size_t i = 0; i < plan.segments.size(); ++i) {
    const NodeId home = plan_.home(layer_, static_cast<std::uint32_t>(plan.segments[i].slot));
    if (plan_.mesh().coord(home).x == column_) prefetch_list_.push_back(i);
  }
  hand_out(now);
  finish_part(now);
}

void DescriptorController::hand_out(Cycle) {
  const workload::LayerPlan& plan = plan_.layer(layer_);
  const std::uint32_t limit = coordinator_.slowest() + static_cast<std::uint32_t>(config_.max_lead_segments);
  // Homes prefetch one lock-step window ahead of the fetches.
  for (; next_prefetch_ < prefetch_list_.size(); ++next_prefetch_) {
    const std::size_t i = prefetch_list_[next_prefetch_];
    if (plan.sequence[i] > limit) break;
    const workload::NeededSegment& segment = plan.segments[i];
    Descriptor d;
    d.operation = Operation::kPrefetch;
    d.layer = static_cast<std::uint32_t>(layer_);
    d.segment = static_cast<std::uint32_t>(segment.slot);
    d.tokens = static_cast<std::uint32_t>(segment.tokens);
    send(plan_.mesh().coord(plan_.home(layer_, d.segment)).y, d);
  }
  for (int row = 0; row < plan_.mesh().height; ++row) {
    const auto& items = plan.items[node(row)];
    std::uint32_t& next = next_[static_cast<std::size_t>(row)];
    for (; next < items.size() && next < limit; ++next) {
      Descriptor d;
      d.operation = Operation::kFetchCompute;
      d.layer = static_cast<std::uint32_t>(layer_);
      d.segment = items[next].segment;
      d.tokens = items[next].tokens;
      send(row, d);
    }
  }
}

void DescriptorController::segment_done(NodeId tile, std::uint32_t count, Cycle now) {
  coordinator_.tile_progress(tile, count, now);
  if (count == plan_.layer(layer_).items[tile].size()) finish_part(now);
}

void DescriptorController::root_done(NodeId, Cycle now) {
  finish_part(now);
}

void DescriptorController::finish_part(Cycle now) {
  if (--open_parts_ == 0) coordinator_.column_done(column_, now);
}

void DescriptorController::tick(Cycle now) {
  if (begin_at_ <= now) {
    begin_at_ = kNever;
    start_layer(now);
    return;
  }
  if (layer_ >= 0 && begin_at_ == kNever) hand_out(now);
}

}  // namespace meshkv::controller
