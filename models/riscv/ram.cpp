#include "models/riscv/ram.h"

#include <algorithm>
#include <cstring>

namespace meshkv::riscv {

Ram::Ram(sc_core::sc_module_name name, std::uint32_t bytes)
    : sc_module(name), port("port"), bytes_(bytes, 0) {
  port.register_b_transport(this, &Ram::b_transport);
  port.register_transport_dbg(this, &Ram::transport_dbg);
  port.register_get_direct_mem_ptr(this, &Ram::get_direct_mem_ptr);
}

void Ram::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  const std::uint64_t at = payload.get_address();
  const unsigned length = payload.get_data_length();
  if (at > bytes_.size() || length > bytes_.size() - at) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  if (payload.get_streaming_width() < length) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  const unsigned char* enables = payload.get_byte_enable_ptr();
  const unsigned enables_length = payload.get_byte_enable_length();
  unsigned char* data = payload.get_data_ptr();
  for (unsigned k = 0; k < length; ++k) {
    if (enables != nullptr && enables[k % enables_length] == TLM_BYTE_DISABLED) continue;
    if (payload.is_read())
      data[k] = bytes_[at + k];
    else if (payload.is_write())
      bytes_[at + k] = data[k];
  }
  payload.set_dmi_allowed(true);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned Ram::transport_dbg(tlm::tlm_generic_payload& payload) {
  const std::uint64_t at = payload.get_address();
  if (at >= bytes_.size()) return 0;
  const auto n =
      static_cast<unsigned>(std::min<std::uint64_t>(payload.get_data_length(), bytes_.size() - at));
  if (payload.is_read())
    std::memcpy(payload.get_data_ptr(), bytes_.data() + at, n);
  else if (payload.is_write())
    std::memcpy(bytes_.data() + at, payload.get_data_ptr(), n);
  return n;
}

bool Ram::get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  dmi.init();
  dmi.set_start_address(0);
  dmi.set_end_address(bytes_.size() - 1);  // the standard's ranges include their end
  if (payload.get_address() >= bytes_.size()) return false;
  dmi.set_dmi_ptr(bytes_.data());
  dmi.allow_read_write();
  return true;
}

void Ram::revoke_dmi() {
  port->invalidate_direct_mem_ptr(0, bytes_.size() - 1);
}

}  // namespace meshkv::riscv
