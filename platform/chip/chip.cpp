#include "platform/chip/chip.h"

#include <algorithm>

#include "models/noc/mesh.h"

namespace meshkv::platform {

namespace {

sc_core::sc_time fabric_period(double clock_mhz) {
  return sc_core::sc_time(1e3 / clock_mhz, sc_core::SC_NS);
}

noc::NocConfig noc_config(const RunConfig& config) {
  noc::NocConfig noc = config.noc;
  noc.tag_filter = config.mare.multicast && config.mare.duplicate_suppression;
  noc.tags = config.mare.tags;
  noc.bloom_bits = config.mare.bloom_bits;
  noc.bloom_refresh_cycles = config.mare.bloom_refresh_cycles;
  return noc;
}

int lt_chunk_flits(const RunConfig& config) {
  if (config.lt.chunk_flits != 0) return config.lt.chunk_flits;
  return config.noc.mesh.nodes() < 64 ? 64 : 512;
}

/// In lt a home moves lt.chunk_flits at a time. Its KV SRAM keeps the number of its slots: whole chunks that
/// cannot be split would otherwise fit it worse than the real ones.
memory::MemoryConfig memory_config(const RunConfig& config) {
  memory::MemoryConfig memory = config.memory;
  constexpr int kMostPieces = 16;  // memory transactions of a chunk
  const int chunk_bytes = std::min(
      {lt_chunk_flits(config) * config.noc.flit_bits / 8, 32768, kMostPieces * config.memory.chunk_bytes});
  const bool all_lt = config.mode == TimingMode::kLt && config.phases.size() <= 1;
  if (!all_lt || chunk_bytes <= memory.chunk_bytes) return memory;
  memory.sram_bytes = memory.sram_bytes / memory.chunk_bytes * chunk_bytes;
  memory.chunk_bytes = chunk_bytes;
  return memory;
}

std::unique_ptr<data::DataPlane> make_data_plane(const RunConfig& config, const workload::DecodePlan& plan) {
  if (!config.data) return nullptr;
  const workload::DecodeConfig& d = config.decode;
  std::unique_ptr<data::ValueSource> source =
      std::make_unique<data::SeededValues>(config.seed, d.model.head_dim, d.shared_prefix_tokens);
  if (config.value_files.any())
    source = std::make_unique<data::FileValues>(config.value_files, d, std::move(source));
  return std::make_unique<data::DataPlane>(plan, std::move(source));
}

/// What the memory holds at [address, address + count) before the first step.
void fill_background(const memory::MemoryMap& map, data::KvImage& image, std::uint64_t address,
                     unsigned char* bytes, std::uint64_t count) {
  while (count > 0) {
    const std::uint64_t n = std::min(count, map.contiguous(address));
    if (const auto owner = map.owner(address))
      image.initial(owner->layer, owner->segment, owner->group, owner->byte, bytes, n);
    else
      std::fill_n(bytes, n, static_cast<unsigned char>(0));
    address += n, bytes += n, count -= n;
  }
}

/// A cardinal port of the node that leads out of the mesh; kTile if there is none.
Port unused_edge(const MeshShape& mesh, NodeId node) {
  for (Port p : {Port::kWest, Port::kEast, Port::kNorth, Port::kSouth}) {
    if (mesh.neighbour(node, p) == kNoNode) return p;
  }
  return Port::kTile;
}

}  // namespace

int kv_data_packet_flits(const RunConfig& config) {
  // A power of two, so that the chunks of the KV SRAM, which are one too, end where packets end: a packet
  // that was cut there would have the index of the one after it.
  int flits = 1;
  while (2 * flits <= config.noc.vc_depth_flits) flits *= 2;
  return flits;
}

memory::MemoryMapShape memory_map_shape(const RunConfig& config, const workload::DecodePlan& plan) {
  memory::MemoryMapShape shape;
  shape.segments_per_layer.assign(static_cast<std::size_t>(config.decode.model.layers),
                                  static_cast<std::uint32_t>(plan.slots()));
  shape.groups_per_block = plan.groups();
  shape.slice_bytes = plan.slice_layout().slice_bytes();
  shape.age_of_segment = plan.slot_ages();
  shape.columns = config.noc.mesh.width;
  shape.home_column = [&plan](int layer, std::uint32_t segment) {
    return plan.mesh().coord(plan.home(layer, segment)).x;
  };
  return shape;
}

Chip::Chip(sc_core::sc_module_name name, const RunConfig& config)
    : sc_module(name),
      clock("clock", fabric_period(config.clock_mhz)),
      noc(noc_config(config), clock),
      plan(config.noc.mesh, config.decode, config.mapping, config.placement, config.noc.flit_bits),
      memory_config_(memory_config(config)),
      map(config.memory, memory_map_shape(config, plan)),
      scoreboard(kv_data_packet_flits(config)),
      data(make_data_plane(config, plan)),
      audit(config.data || !config.faults.empty()
                ? std::make_unique<check::FabricAudit>(plan, kv_data_packet_flits(config),
                                                       [this](const noc::LinkId& l) { return link_name(l); })
                : nullptr),
      coordinator(config.noc.mesh.width, plan.layers(), config.decode.steps,
                  config.controllers.barrier_cycles) {
  build_tiles(config);
  build_memory(config);
  build_controllers(config);
  build_swaps(config);
  phases_ = config.phases.empty() ? std::vector<ModePhase>{{config.mode, 0}} : config.phases;
  set_mode(config.mode);
}

void Chip::set_mode(TimingMode mode) {
  noc.set_mode(mode);
  for (auto& tile : tiles) tile->set_mode(mode);
}

TimingMode Chip::mode_of_layer(int position) const {
  for (const ModePhase& phase : phases_) {
    if (phase.layers == 0 || position < phase.layers) return phase.mode;
    position -= phase.layers;
  }
  return phases_.back().mode;
}

void Chip::ModeSwitch::request(TimingMode mode, int step, int layer, Cycle at) {
  step_ = step;
  mode_ = mode;
  layer_ = layer;
  asked_ = at;
  chip_.clock.wake(clock_id_, at);
}

void Chip::ModeSwitch::tick(Cycle now) {
  constexpr Cycle kPatience = 1000000;
  if (!chip_.drained()) {
    const std::uint64_t moved = chip_.swaps->moved_bytes();
    if (moved != moved_) asked_ = now;
    moved_ = moved;
    if (now > asked_ + kPatience) {
      if (chip_.audit != nullptr) {  // packets may have been lost on demand: judged like any other end
        chip_.stop();
        return;
      }
      SC_REPORT_FATAL(chip_.name(),
                      ("the chip does not drain at a layer boundary\n" + chip_.describe_waits()).c_str());
    }
    chip_.clock.wake(clock_id_, now + 1);
    return;
  }
  if (step_ != chip_.step_ && swaps_before_step(now)) return;
  chip_.set_mode(mode_);
  chip_.begin_layer(step_, layer_, std::max(now + 1, chip_.swaps->free_at()));
}

/// True: they are under way, or firmware decides about them, and tick() comes again.
bool Chip::ModeSwitch::swaps_before_step(Cycle now) {
  const takv::SwapControl::State state = chip_.swaps->begin(step_, now);
  asked_ = now;
  if (state == takv::SwapControl::State::kMoves) {
    chip_.clock.wake(clock_id_, now + 1);
    for (controller::FirmwareColumn* column : chip_.firmware) column->homes_changed();
  }
  return state != takv::SwapControl::State::kDone;
}

void Chip::build_tiles(const RunConfig& config) {
  const auto central = plan.placement().central_ports();
  tile::TileConfig tile_config;
  tile_config.home.mare = config.mare;
  tile_config.home.packet_flits = kv_data_packet_flits(config);
  tile_config.home.flit_bytes = config.noc.flit_bits / 8;
  tile_config.home.chunk_flits = memory_config_.chunk_bytes / tile_config.home.flit_bytes;
  tile_config.home.piece_flits = config.memory.chunk_bytes / tile_config.home.flit_bytes;
  tile_config.home.lt_chunk_flits = std::min(lt_chunk_flits(config), tile_config.home.chunk_flits);
  tile_config.pad = config.pad;
  tile_config.sram.bytes = memory_config_.sram_bytes;
  tile_config.sram.banks = config.memory.sram_banks;
  tile_config.sram.chunk_bytes = memory_config_.chunk_bytes;
  tile_config.sram.port_bytes = tile_config.home.flit_bytes;
  tile_config.memory_port.clock_period = clock.period();
  tile_config.memory_port.mode = config.mode;
  tile_config.memory_port.outstanding = config.memory.port_outstanding;
  tile_config.home.data = tile_config.sram.keep_data = config.data;
  const tile::TileEnvironment environment{clock,      noc,        plan,        map,
                                          scoreboard, data.get(), audit.get(), &occupancy};
  const noc::LinkBinder bind = audit == nullptr ? noc::LinkBinder(noc::bind_directly) : link_binder();
  std::vector<noc::Router*> routers;
  for (int n = 0; n < config.noc.mesh.nodes(); ++n) {
    const auto node = static_cast<NodeId>(n);
    const Coord c = config.noc.mesh.coord(node);
    const std::string tile_name = "tile_" + std::to_string(c.x) + "_" + std::to_string(c.y);
    const bool is_central = std::find(central.begin(), central.end(), node) != central.end();
    tile_config.injection_ports = is_central ? config.placement.cent_flits_per_cycle : 1;
    const Port edge = unused_edge(config.noc.mesh, node);
    tile_config.injection_ports =
        is_central && edge != Port::kTile ? config.placement.cent_flits_per_cycle : 1;
    tiles.push_back(std::make_unique<tile::Tile>(tile_name.c_str(), node, tile_config, environment));
    tile::Tile& tile = *tiles.back();
    routers.push_back(&tile.router);
    noc::connect_interface(tile.network_interface, tile.router, bind);
    if (tile_config.injection_ports == 2) {
      noc::connect_second_injection(tile.network_interface, tile.router, edge, bind);
    }
  }
  noc::connect_mesh(config.noc.mesh, routers, bind);
  for (const check::Fault& fault : config.faults) inject(fault);
}

std::string Chip::link_name(const noc::LinkId& link) const {
  const tile::Tile& tile = *tiles[link.node];
  if (link.port == noc::LinkId::kInjection) return tile.network_interface.name();
  return tile.router.port(static_cast<Port>(link.port)).name();
}

noc::LinkBinder Chip::link_binder() {
  audit->on_violation = [this] { stop(); };
  return [this](const noc::LinkId& link, noc::NocInitiatorSocket& from, noc::NocTargetSocket& to) {
    const std::string name = "probe_" + std::to_string(probes_.size());
    probes_.push_back(std::make_unique<noc::LinkProbe>(name.c_str(), noc, link, *audit));
    from.bind(probes_.back()->in);
    probes_.back()->out.bind(to);
  };
}

void Chip::inject(const check::Fault& fault) {
  if (fault.kind == check::FaultKind::kLoseDescriptor) return;  // build_controllers()
  tile::Tile& broken = *tiles[fault.link.node];
  if (fault.kind == check::FaultKind::kStaleBlock) {
    broken.appends.lose_writes();
    broken.mover.lose_writes();
    return;
  }
  for (const auto& probe : probes_) {
    const noc::LinkId& link = probe->link();
    if (fault.kind != check::FaultKind::kSuppressFirst) {
      if (!(link == fault.link)) continue;
      probe->set_fault(fault.effect);
      return;
    }
    // On every way into the router: the first packet of lines that comes in is taken for a duplicate.
    const bool injection = link.port == noc::LinkId::kInjection;
    const NodeId end = injection ? link.node : plan.mesh().neighbour(link.node, static_cast<Port>(link.port));
    if (end != fault.link.node) continue;
    const auto left = std::make_shared<std::uint64_t>(fault.effect.packet);
    probe->on_head = [this, &broken, left](const noc::Packet& packet) {
      if (!mare::is_lines(packet) || *left == kNever) return;
      if ((*left)-- == 0) broken.router.core().pretend_forwarded(packet, clock.now());
    };
  }
}

void Chip::send_appends(int step, int layer, Cycle at) {
  for (const workload::AppendedRow& row : plan.appends(step, layer))
    tiles[row.tile]->pad.send_append(layer, step, row, at);
}

void Chip::build_memory(const RunConfig& config) {
  const MeshShape& mesh = config.noc.mesh;
  std::vector<int> columns;
  for (const auto& tile : tiles) columns.push_back(mesh.coord(tile->node()).x);
  memory = std::make_unique<memory::MemorySystem>(config.memory, map, mesh.width, columns);
  for (auto& tile : tiles) memory->bind(tile->memory_port);
  if (data != nullptr) {
    memory->set_background([this](std::uint64_t address, unsigned char* bytes, std::uint64_t count) {
      fill_background(map, data->image(), address, bytes, count);
    });
  }
}

void Chip::build_swaps(const RunConfig& config) {
  std::vector<takv::BlockMover*> movers;
  for (auto& tile : tiles) movers.push_back(&tile->mover);
  swaps = std::make_unique<takv::SwapControl>(config.placement, plan, map, occupancy, movers);
  takv::SwapDecision* decision = swaps->decision();
  if (decision == nullptr) return;
  decision->on_asked = [this](Cycle now) {
    for (controller::FirmwareColumn* column : firmware) column->ask_for_swaps(now);
  };
  decision->on_decided = [this](Cycle at) { mode_switch_.go_on(at + 1); };
  for (controller::FirmwareColumn* column : firmware) column->set_swap_decision(*decision);
}

void Chip::build_controllers(const RunConfig& config) {
  const MeshShape& mesh = config.noc.mesh;
  for (int x = 0; x < mesh.width; ++x) {
    const std::string suffix = "_" + std::to_string(x);
    control_buses.push_back(std::make_unique<controller::ControlBus>(("control_bus" + suffix).c_str()));
    controllers.push_back(make_controller(x, config));
    controllers.back()->control_bus.bind(control_buses.back()->from_controller);
    for (int y = 0; y < mesh.height; ++y) {
      tile::Tile& tile = *tiles[mesh.node({x, y})];
      control_buses.back()->to_tiles.bind(tile.control);
      tile.set_listener(controllers.back().get());
    }
  }
  for (const check::Fault& fault : config.faults) {
    if (fault.kind == check::FaultKind::kLoseDescriptor)
      control_buses[static_cast<std::size_t>(fault.column)]->lose_descriptor(fault.effect.packet);
  }
  connect_firmware(config);
  coordinate();
}

void Chip::coordinate() {
  controller::LayerCoordinator::Callbacks callbacks;
  callbacks.progress = [this](Cycle now) {
    for (auto& c : controllers) c->progress(now);
    report_progress(now);
  };
  callbacks.begin = [this](int step, int layer, Cycle at) {
    // The keys and values of a step's new token follow the layer that computed them, and overlap the layers
    // after it. The next step waits for them: it reads them.
    const bool next_step = layers_begun_ != 0 && step != step_;
    if (layers_begun_ != 0) send_appends(step_, ended_layer_, at);
    ended_layer_ = layer;
    const TimingMode mode = mode_of_layer(layers_begun_++);
    if (mode == noc.mode() && !next_step) {
      begin_layer(step, layer, at);
    } else {
      mode_switch_.request(mode, step, layer, at);
    }
  };
  callbacks.column_done = [this](int column, Cycle now) {
    if (on_column_done) on_column_done(column, now);
  };
  callbacks.finished = [this](Cycle now) {
    report_progress(now);
    // What is still underway (second copies, credits) may drain; nothing new begins.
  };
  coordinator.set_callbacks(std::move(callbacks));
}

void Chip::begin_layer(int step, int layer, Cycle at) {
  if (step != step_) plan.begin_step(step_ = step);
  if (audit != nullptr) audit->begin_layer(layer);
  for (auto& tile : tiles) tile->router.core().clear_tags();
  std::vector<std::uint32_t> work;
  for (const auto& items : plan.layer(layer).items) work.push_back(static_cast<std::uint32_t>(items.size()));
  coordinator.set_work(work);
  if (on_layer) on_layer(layer, at);
  for (auto& c : controllers) c->begin_layer(layer, at);
}

void Chip::start() {
  coordinator.start(0);
}

void Chip::report_progress(Cycle now) {
  if (!on_progress) return;
  const double total = coordinator.layers_total();
  const auto& items = plan.layer(coordinator.layer_times().back().layer).items;
  std::size_t most = 1;
  for (const auto& list : items) most = std::max(most, list.size());
  const double layer =
      coordinator.finished() ? 0.0 : static_cast<double>(coordinator.slowest()) / static_cast<double>(most);
  on_progress(now, (coordinator.layers_done() + layer) / total);
}

void Chip::stop() {
  if (!stopped_) sc_core::sc_stop();  // which complains when it is called twice
  stopped_ = true;
}

noc::LinkSet Chip::links() const {
  std::vector<const noc::Router*> routers;
  std::vector<const noc::NetworkInterface*> interfaces;
  for (const auto& tile : tiles) {
    routers.push_back(&tile->router);
    interfaces.push_back(&tile->network_interface);
  }
  return {plan.mesh(), routers, interfaces};
}

bool Chip::drained() const {
  return std::all_of(tiles.begin(), tiles.end(), [](const auto& t) { return t->idle(); }) &&
         noc.pool.live() == 0;
}

std::string Chip::describe_waits() const {
  std::string text;
  for (const auto& tile : tiles) text += tile->describe_waits();
  for (const auto& controller : controllers) text += controller->describe_waits();
  return text;
}

}  // namespace meshkv::platform
