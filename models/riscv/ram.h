// RAM of a hart: a TLM-2.0 target that grants direct memory access to all of it.
#pragma once

#include <tlm_utils/simple_target_socket.h>
#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

namespace meshkv::riscv {

/// Addresses are offsets from its begin. Accesses of any length and alignment, byte enables included, take
/// no time; those that do not fit are address errors. Contents begin as zeros.
class Ram : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Ram> port;

  Ram(sc_core::sc_module_name name, std::uint32_t bytes);

  std::uint8_t* data() { return bytes_.data(); }
  std::uint32_t size() const { return static_cast<std::uint32_t>(bytes_.size()); }
  /// Takes back the direct access that was granted; it can be asked for again, and the answer may differ.
  void revoke_dmi();

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);

  std::vector<std::uint8_t> bytes_;
};

}  // namespace meshkv::riscv
