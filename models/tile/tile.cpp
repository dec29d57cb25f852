#include "models/tile/tile.h"

#include <cstring>

namespace meshkv::tile {

Tile::Tile(sc_core::sc_module_name name, NodeId node, const TileConfig& config,
           const TileEnvironment& environment)
    : sc_module(name),
      control("control"),
      router("router", environment.noc, node),
      network_interface("network_interface", environment.noc, node, this, config.injection_ports),
      memory_port("memory_port", config.memory_port),
      kv_sram("kv_sram", config.sram, memory_port),
      home("home", node, config.home, environment.clock, environment.plan, environment.noc.trees,
           environment.map, kv_sram, network_interface),
      appends(environment.plan, environment.map, memory_port,
              environment.data == nullptr ? nullptr : &environment.data->codec(), environment.clock),
      mover(environment.plan, environment.map, memory_port, network_interface, environment.clock,
            config.home.packet_flits, environment.data != nullptr),
      pad("pad", node, config.pad, config.home.packet_flits, environment.clock, environment.plan,
          environment.scoreboard, network_interface, environment.data, environment.audit),
      reduce_root("reduce_root", node, environment.clock, environment.plan, environment.data),
      node_(node),
      clock_(environment.clock) {
  control.register_b_transport(this, &Tile::b_transport);
  control.register_transport_dbg(this, &Tile::transport_dbg);
  kv_sram.set_client(&home);
  home.set_occupancy(environment.occupancy);
}

void Tile::set_listener(controller::CompletionListener* listener) {
  pad.set_listener(listener);
  reduce_root.set_listener(listener);
}

void Tile::set_mode(TimingMode mode) {
  home.set_mode(mode);
  pad.set_mode(mode);
  memory_port.set_mode(mode);
}

// ---- network
// -----------------------------------------------------------------------------------------------------

Cycle Tile::on_head(const noc::Packet& packet, Cycle now) {
  return mare::is_lines(packet) ? pad.on_head(packet, now) : now;
}

void Tile::on_tail(const noc::Packet& packet, Cycle now) {
  switch (packet.packet_class) {
    case noc::PacketClass::kKvFetch:
      home.on_fetch(packet, now);
      break;
    case noc::PacketClass::kKvData:
      if (mare::is_append(packet))
        appends.on_append(packet, now);
      else if (mare::is_move(packet))
        mover.on_packet(packet, now);
      else
        pad.on_data(packet, now);
      break;
    case noc::PacketClass::kPart:
      reduce_root.on_part(packet, now);
      break;
  }
}

void Tile::on_refill(noc::PacketClass packet_class, Cycle now) {
  if (packet_class == noc::PacketClass::kKvData) home.on_refill(now);
}

// ---- control block
// -----------------------------------------------------------------------------------------------

tlm::tlm_response_status Tile::execute(const controller::Descriptor& descriptor, Cycle at) {
  using controller::Operation;
  const auto layer = static_cast<int>(descriptor.layer);
  switch (descriptor.operation) {
    case Operation::kBeginLayer:
      pad.begin_layer(layer);
      reduce_root.begin_layer(layer);
      return tlm::TLM_OK_RESPONSE;
    case Operation::kFetchCompute:
      if (layer != pad.layer() || !pad.descriptor(descriptor.segment, at))
        return tlm::TLM_GENERIC_ERROR_RESPONSE;
      return tlm::TLM_OK_RESPONSE;
    case Operation::kPrefetch:
      home.prefetch(layer, descriptor.segment, static_cast<int>(descriptor.tokens), at);
      return tlm::TLM_OK_RESPONSE;
  }
  return tlm::TLM_GENERIC_ERROR_RESPONSE;
}

std::uint32_t Tile::read_register(std::uint64_t address, bool& known) const {
  known = true;
  switch (address) {
    case controller::kRegLayer:
      return static_cast<std::uint32_t>(pad.layer());
    case controller::kRegSegmentsDone:
      return pad.segments_done();
    case controller::kRegPartsMissing:
      return reduce_root.open_parts();
    case controller::kRegAccepted:
      return pad.accepted();
    default:
      known = false;
      return 0;
  }
}

void Tile::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const unsigned length = payload.get_data_length();
  if (payload.get_byte_enable_ptr() != nullptr) {
    payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    return;
  }
  if (payload.get_streaming_width() < length) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  if (payload.is_write() && payload.get_address() == controller::kRegDescriptor) {
    if (length != sizeof(controller::Descriptor)) {
      payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
      return;
    }
    controller::Descriptor descriptor;
    std::memcpy(&descriptor, payload.get_data_ptr(), sizeof descriptor);
    payload.set_response_status(execute(descriptor, clock_.to_cycle(sc_core::sc_time_stamp() + delay)));
    return;
  }
  bool known = false;
  const std::uint32_t value = read_register(payload.get_address(), known);
  if (!known || !payload.is_read()) {
    payload.set_response_status(known ? tlm::TLM_COMMAND_ERROR_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  if (length != sizeof value) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  std::memcpy(payload.get_data_ptr(), &value, sizeof value);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned Tile::transport_dbg(tlm::tlm_generic_payload& payload) {
  bool known = false;
  const std::uint32_t value = read_register(payload.get_address(), known);
  if (!known || !payload.is_read() || payload.get_data_length() != sizeof value) return 0;
  std::memcpy(payload.get_data_ptr(), &value, sizeof value);
  return sizeof value;
}

std::string Tile::describe_waits() const {
  std::string text;
  for (const std::string& line :
       {pad.describe_waits(), home.describe_waits(), mover.describe_waits(), reduce_root.describe_waits()}) {
    if (!line.empty()) text += line + "\n";
  }
  return text;
}

}  // namespace meshkv::tile
