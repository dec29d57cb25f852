// The bus between a column's processor and its devices: a TLM-2.0 target that decodes, checks each access
// against the register description, and says why it refuses one.
#pragma once

#include <tlm_utils/simple_target_socket.h>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/common/types.h"
#include "models/controller/devices/device.h"
#include "models/controller/registers/register_map.h"

namespace meshkv::controller {

struct ColumnBusConfig {
  sc_core::sc_time period{10, sc_core::SC_NS};  ///< of the fabric's clock
  Cycle access_cycles = 2;                      ///< that an access takes
};

/// Whole aligned words only. A register that changes with notice (Device::constant) is granted for reading by
/// DMI until the notice, so that a processor need not ask for it again and again. Everything refused is
/// answered with a TLM error status and kept as last_error().
class ColumnBus : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<ColumnBus> from_core;

  ColumnBus(sc_core::sc_module_name name, const ColumnBusConfig& config);

  /// Puts `instances` of a block on the bus. The device outlives it. Throws std::logic_error, naming both,
  /// where the block overlaps another.
  void map(const BlockInfo& block, std::uint32_t instances, Device& device);

  /// "write of 0x00000001 to 0x10000004 (IDENTITY_COLUMN): the register is read-only"; "" so far.
  const std::string& last_error() const { return last_error_; }
  std::uint64_t errors() const { return errors_; }
  std::uint64_t accesses() const { return accesses_; }

 private:
  struct Window {
    std::uint32_t begin;
    std::uint32_t end;  ///< behind the last byte
    const BlockInfo* block;
    std::uint32_t instances;
    Device* device;
    std::vector<const RegisterInfo*> registers;  ///< by word of an instance; null: none
    bool granted = false;                        ///< some register by DMI
  };

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  void withdraw(std::uint32_t begin);
  /// Null and a reason, or the window and the register.
  const Window* decode(const tlm::tlm_generic_payload& payload, const RegisterInfo*& info, std::string& why);
  void access(tlm::tlm_generic_payload& payload, Cycle now, std::string& why);
  std::string describe(const tlm::tlm_generic_payload& payload, const std::string& why) const;

  ColumnBusConfig config_;
  std::vector<Window> windows_;  ///< by address
  std::uint32_t granted_ = 0;    ///< value of the register granted last
  std::string last_error_;
  std::uint64_t errors_ = 0;
  std::uint64_t accesses_ = 0;
};

}  // namespace meshkv::controller
