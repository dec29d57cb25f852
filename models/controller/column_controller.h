// What drives the tiles of a column: a hardware sequencer (DescriptorController), or a processor with
// firmware (FirmwareColumn).
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <string>
#include <systemc>
#include <tlm>

#include "models/common/clocked.h"
#include "models/controller/completion.h"
#include "models/controller/descriptor.h"

namespace meshkv::controller {

struct ControllerStatistics {
  std::uint64_t descriptors = 0;  ///< FETCH_COMPUTE
  std::uint64_t prefetches = 0;
};

class ColumnController : public sc_core::sc_module, public Clocked, public CompletionListener {
 public:
  tlm_utils::simple_initiator_socket<ColumnController> control_bus;

  /// The coordinator lets the layer begin at `at`.
  virtual void begin_layer(int layer, Cycle at) = 0;
  /// The slowest tile has advanced: more descriptors may be handed out.
  virtual void progress(Cycle now) = 0;
  /// What it waits for, in lines; empty: nothing that it could say.
  virtual std::string describe_waits() const { return {}; }

  const ControllerStatistics& statistics() const { return statistics_; }

 protected:
  explicit ColumnController(sc_core::sc_module_name name) : sc_module(name), control_bus("control_bus") {}
  /// Over the control bus to the tile of a row, which may act on it at `at`. False: refused.
  bool write(int row, const Descriptor& descriptor, const sc_core::sc_time& delay);

  ControllerStatistics statistics_;

 private:
  tlm::tlm_generic_payload payload_;
};

}  // namespace meshkv::controller
