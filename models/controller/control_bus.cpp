#include "models/controller/control_bus.h"

#include <cstring>

namespace meshkv::controller {

ControlBus::ControlBus(sc_core::sc_module_name name)
    : sc_module(name), from_controller("from_controller"), to_tiles("to_tiles") {
  from_controller.register_b_transport(this, &ControlBus::b_transport);
  from_controller.register_transport_dbg(this, &ControlBus::transport_dbg);
}

int ControlBus::decode(const tlm::tlm_generic_payload& payload) {
  const std::uint64_t row = payload.get_address() / kTileWindow;
  const std::uint64_t offset = payload.get_address() % kTileWindow;
  if (row >= to_tiles.size() || offset + payload.get_data_length() > kTileWindow) return -1;
  return static_cast<int>(row);
}

bool ControlBus::is_lost(const tlm::tlm_generic_payload& payload) {
  if (lose_ == ~std::uint64_t{0} || !payload.is_write() || payload.get_data_length() != sizeof(Descriptor))
    return false;
  Descriptor descriptor;
  std::memcpy(&descriptor, payload.get_data_ptr(), sizeof descriptor);
  return descriptor.operation == Operation::kFetchCompute && lose_-- == 0;
}

void ControlBus::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const int row = decode(payload);
  if (row < 0) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  if (is_lost(payload)) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return;
  }
  const std::uint64_t address = payload.get_address();
  payload.set_address(address % kTileWindow);
  to_tiles[row]->b_transport(payload, delay);
  payload.set_address(address);  // an interconnect gives the address back as it found it
}

unsigned ControlBus::transport_dbg(tlm::tlm_generic_payload& payload) {
  const int row = decode(payload);
  if (row < 0) return 0;
  const std::uint64_t address = payload.get_address();
  payload.set_address(address % kTileWindow);
  const unsigned n = to_tiles[row]->transport_dbg(payload);
  payload.set_address(address);
  return n;
}

}  // namespace meshkv::controller
