// Control bus of a column: routes the controller's memory-mapped accesses to the tiles of the column.
#pragma once

#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "models/controller/descriptor.h"

namespace meshkv::controller {

/// Tile of row y at [y * kTileWindow, (y + 1) * kTileWindow). Everything else is answered with an address
/// error.
class ControlBus : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<ControlBus> from_controller;
  tlm_utils::multi_passthrough_initiator_socket<ControlBus> to_tiles;  ///< bound in the order of rows

  explicit ControlBus(sc_core::sc_module_name name);

  /// Fault: the number-th FETCH_COMPUTE descriptor, from 0, is acknowledged and lost.
  void lose_descriptor(std::uint64_t number) { lose_ = number; }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  /// Row of the window that holds all of the access, or -1.
  int decode(const tlm::tlm_generic_payload& payload);
  bool is_lost(const tlm::tlm_generic_payload& payload);

  std::uint64_t lose_ = ~std::uint64_t{0};
};

}  // namespace meshkv::controller
