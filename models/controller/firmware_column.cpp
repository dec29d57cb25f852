#include "models/controller/firmware_column.h"

#include <cstring>

namespace meshkv::controller {
namespace {

ColumnDevicesConfig devices_config(const ControllerConfig& config, const ClockDomain& clock) {
  ColumnDevicesConfig devices;
  devices.bus.period = clock.period();
  devices.bus.access_cycles = static_cast<Cycle>(config.register_cycles);
  devices.mailbox_cycles = static_cast<Cycle>((config.barrier_cycles + 1) / 2);
  return devices;
}

ColumnIdentity identity_of(int column, const ControllerConfig& config, const ClockDomain& clock,
                           const MeshShape& mesh) {
  ColumnIdentity identity;
  identity.column = static_cast<std::uint32_t>(column);
  identity.columns = static_cast<std::uint32_t>(mesh.width);
  identity.rows = static_cast<std::uint32_t>(mesh.height);
  identity.clock_khz = static_cast<std::uint32_t>(1e-3 / clock.period().to_seconds() + 0.5);
  identity.max_lead = static_cast<std::uint32_t>(config.max_lead_segments);
  identity.timeout_cycles = static_cast<std::uint32_t>(config.timeout_cycles);
  return identity;
}

}  // namespace

FirmwareColumn::FirmwareColumn(sc_core::sc_module_name name, int column, const ControllerConfig& config,
                               ClockDomain& clock, const workload::DecodePlan& plan,
                               LayerCoordinator& coordinator, const MakeCore& make_core)
    : ColumnController(name),
      column_(column),
      config_(config),
      clock_(clock),
      plan_(plan),
      coordinator_(coordinator),
      clock_id_(clock.add(*this)),
      identity_(identity_of(column, config, clock, plan.mesh())),
      told_to_begin_(rows(), false),
      devices_("devices", devices_config(config, clock), *this, *this),
      core_(make_core(devices_.bus, *this)) {}

// ---- from the chip

void FirmwareColumn::begin_layer(int layer, Cycle at) {
  devices_.schedule.about_to_change();  // SCHEDULE_SLOWEST begins anew
  next_layer_ = layer;
  begin_at_ = at;
  clock_.wake(clock_id_, at);
}

void FirmwareColumn::progress(Cycle now) {
  devices_.schedule.about_to_change();
  window_grew_ = true;
  clock_.wake(clock_id_, now + 1);
}

void FirmwareColumn::tick(Cycle now) {
  if (begin_at_ <= now) {
    begin_at_ = kNever;
    start_layer(now);
  }
  if (!window_grew_) return;
  window_grew_ = false;
  devices_.interrupts.raise(Source::kWindow, now);
}

void FirmwareColumn::start_layer(Cycle now) {
  layer_ = next_layer_;
  const workload::LayerPlan& plan = plan_.layer(layer_);
  open_parts_ = 0;
  for (std::uint32_t row = 0; row < rows(); ++row) {
    told_to_begin_[row] = false;
    open_parts_ += plan.items[node(row)].empty() ? 0 : 1;
    open_parts_ += plan.expected_parts[node(row)] == 0 ? 0 : 1;
  }
  devices_.schedule.about_to_change();
  list_prefetches();
  completed_ = false;
  ++begun_;
  ++moves_;
  devices_.interrupts.raise(Source::kLayer, now);
}

void FirmwareColumn::list_prefetches() {
  const workload::LayerPlan& plan = plan_.layer(layer_);
  prefetches_.clear();
  for (std::size_t i = 0; i < plan.segments.size(); ++i) {
    const auto segment = static_cast<std::uint32_t>(plan.segments[i].slot);
    const Coord home = plan_.mesh().coord(plan_.home(layer_, segment));
    if (home.x == column_)
      prefetches_.push_back({plan.sequence[i], segment, static_cast<std::uint32_t>(plan.segments[i].tokens),
                             static_cast<std::uint32_t>(home.y)});
  }
}

void FirmwareColumn::segment_done(NodeId tile, std::uint32_t count, Cycle now) {
  ++moves_;
  devices_.tiles.about_to_change();
  devices_.counters.about_to_change();
  coordinator_.tile_progress(tile, count, now);
  if (count == plan_.layer(layer_).items[tile].size()) --open_parts_;
  devices_.interrupts.raise(Source::kProgress, now);
}

void FirmwareColumn::part_done(NodeId) {
  devices_.tiles.about_to_change();
}

void FirmwareColumn::root_done(NodeId, Cycle now) {
  ++moves_;
  devices_.tiles.about_to_change();
  --open_parts_;
  devices_.interrupts.raise(Source::kRoot, now);
}

// ---- from the registers

std::uint32_t FirmwareColumn::layer_number(std::uint32_t position) const {
  return position < layers() ? static_cast<std::uint32_t>(plan_.layers()[position]) : 0;
}

std::uint32_t FirmwareColumn::items(std::uint32_t row) const {
  if (!in_layer() || row >= rows()) return 0;
  return static_cast<std::uint32_t>(plan_.layer(layer_).items[node(row)].size());
}

ScheduledItem FirmwareColumn::item(std::uint32_t row, std::uint32_t index) const {
  if (index >= items(row)) return {};
  const workload::WorkItem& work = plan_.layer(layer_).items[node(row)][index];
  return {work.segment, work.tokens};
}

std::uint32_t FirmwareColumn::parts(std::uint32_t row) const {
  return in_layer() && row < rows() ? plan_.layer(layer_).expected_parts[node(row)] : 0;
}

ScheduledPrefetch FirmwareColumn::prefetch(std::uint32_t index) const {
  return index < prefetches_.size() ? prefetches_[index] : ScheduledPrefetch{};
}

std::string FirmwareColumn::first_open_part() const {
  for (std::uint32_t row = 0; row < rows(); ++row) {
    const TileState state = tile(row);
    const std::string of = "the tile in row " + std::to_string(row);
    if (!told_to_begin_[row] && (items(row) != 0 || parts(row) != 0))
      return of + " has not been told to begin layer " + std::to_string(layer_);
    if (state.segments_done != items(row) && items(row) != 0)
      return of + " has computed " + std::to_string(state.segments_done) + " of " +
             std::to_string(items(row)) + " segments of layer " + std::to_string(layer_) + ", of " +
             std::to_string(state.accepted) + " descriptors";
    if (parts(row) != 0 && state.parts_missing != 0)
      return of + " waits for " + std::to_string(state.parts_missing) + " PART packets of layer " +
             std::to_string(layer_);
  }
  return "a tile is not done";
}

std::string FirmwareColumn::complete(Cycle now) {
  if (!in_layer()) return "there is no layer that the column could complete";
  if (open_parts_ != 0) return first_open_part();
  completed_ = true;
  ++moves_;
  coordinator_.column_done(column_, now);
  return {};
}

std::uint32_t FirmwareColumn::tile_register(std::uint32_t row, std::uint64_t offset) const {
  std::uint32_t value = 0;
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address(row * kTileWindow + offset);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(sizeof value);
  payload.set_streaming_width(sizeof value);
  const_cast<FirmwareColumn*>(this)->control_bus->transport_dbg(payload);
  return value;
}

TileState FirmwareColumn::tile(std::uint32_t row) const {
  return {tile_register(row, kRegLayer), tile_register(row, kRegAccepted),
          tile_register(row, kRegSegmentsDone), tile_register(row, kRegPartsMissing)};
}

/// Whether the descriptor names a block that the layer needs, with its length, and in the right tile.
bool FirmwareColumn::is_block_of(std::uint32_t row, const Descriptor& descriptor) const {
  const workload::LayerPlan& plan = plan_.layer(layer_);
  if (descriptor.segment >= plan.index_of_slot.size() || plan.index_of_slot[descriptor.segment] < 0)
    return false;
  if (static_cast<std::uint32_t>(plan.needed(descriptor.segment).tokens) != descriptor.tokens) return false;
  return descriptor.operation != Operation::kPrefetch || plan_.home(layer_, descriptor.segment) == node(row);
}

bool FirmwareColumn::send(std::uint32_t row, const Descriptor& descriptor, Cycle now) {
  if (!in_layer() || descriptor.layer != static_cast<std::uint32_t>(layer_)) return false;
  const bool begins = descriptor.operation == Operation::kBeginLayer;
  if (begins && told_to_begin_[row]) return true;
  if (descriptor.operation == Operation::kFetchCompute && !told_to_begin_[row]) return false;
  if (!begins && !is_block_of(row, descriptor)) return false;
  devices_.tiles.about_to_change();
  devices_.counters.about_to_change();
  const Cycle acts = now + static_cast<Cycle>(config_.descriptor_cycles);
  if (!write(static_cast<int>(row), descriptor, clock_.to_time(acts) - sc_core::sc_time_stamp()))
    return false;
  if (begins) told_to_begin_[row] = true;
  ++moves_;
  return true;
}

bool FirmwareColumn::home(std::uint32_t layer, std::uint32_t segment, Coord& at) const {
  if (layer >= static_cast<std::uint32_t>(plan_.decode().model.layers) ||
      segment >= static_cast<std::uint32_t>(plan_.slots()))
    return false;
  at = plan_.mesh().coord(plan_.home(static_cast<int>(layer), segment));
  return true;
}

ColumnCounters FirmwareColumn::counters() const {
  ColumnCounters counters = tile_counters ? tile_counters() : ColumnCounters{};
  counters.descriptors = statistics_.descriptors;
  return counters;
}

// ---- swaps

void FirmwareColumn::ask_for_swaps(Cycle now) {
  devices_.swaps.about_to_change();
  devices_.interrupts.raise(Source::kSwaps, now);
}

std::string FirmwareColumn::propose_swap(std::uint32_t layer, std::uint32_t a, std::uint32_t b) {
  if (swap_decision_ == nullptr) return "the hardware decides on swaps (takv.swaps_by)";
  std::string why = swap_decision_->propose(column_, layer, a, b);
  if (why.empty()) ++moves_;
  return why;
}

std::string FirmwareColumn::decide_swaps(Cycle now) {
  if (swap_decision_ == nullptr) return "the hardware decides on swaps (takv.swaps_by)";
  std::string why = swap_decision_->decide(column_, now);
  if (why.empty()) ++moves_;
  return why;
}

// ---- the program

void FirmwareColumn::console_line(const std::string& line) {
  if (on_console) on_console(column_, line);
}

void FirmwareColumn::finish(End end) {
  if (end_) return;
  end_ = std::move(end);
  devices_.console.flush();
  if (on_end) on_end(*this);
}

void FirmwareColumn::program_ended(const ExitDevice::End& end) {
  core_->stop();
  std::string report;
  if (end.fault) {
    report = core_->crash_report();
    if (devices_.bus.errors() != 0) report += "  bus      " + devices_.bus.last_error() + "\n";
  }
  finish({end.fault, end.code, end.at, report});
}

void FirmwareColumn::core_crashed(const std::string& why) {
  std::string report = why;
  if (devices_.bus.errors() != 0) report += "  bus      " + devices_.bus.last_error() + "\n";
  finish({true, 0, clock_.now(), report});
}

std::string FirmwareColumn::describe_waits() const {
  const std::string who = std::string(name()) + ": ";
  if (end_ && !end_->crashed)
    return who + "its program ended with code " + std::to_string(end_->code) + " in cycle " +
           std::to_string(end_->at) + "\n";
  if (end_) return who + "its program has crashed\n";
  std::string text = who + core_->describe() + "\n";
  if (devices_.mailbox.waits_for() != 0) {
    text += who + "is at barrier " + std::to_string(devices_.mailbox.barrier()) + " and waits for column";
    for (std::uint32_t c = 0; c < 32; ++c)
      if ((devices_.mailbox.waits_for() >> c & 1U) != 0) text += " " + std::to_string(c);
    text += "\n";
  }
  if (swap_decision_ != nullptr && swap_decision_->waits_for(column_))
    text += who + "has not decided on swaps (SWAPS_DECIDED), of decision " +
            std::to_string(swap_decision_->asked()) + "\n";
  if (in_layer() && open_parts_ != 0) text += who + first_open_part() + "\n";
  return text + who + devices_.interrupts.describe() + "\n";
}

}  // namespace meshkv::controller
