// Loosely-timed sending and ejection.
#include "models/noc/network_interface_module.h"

namespace meshkv::noc {

Cycle NetworkInterface::transfer(Packet*, Cycle earliest) {
  SC_REPORT_FATAL(name(), "the loosely-timed transport is not there yet");
  return earliest;
}

void NetworkInterface::b_transport(Packet&, sc_core::sc_time&) {
  SC_REPORT_FATAL(name(), "the loosely-timed transport is not there yet");
}

}  // namespace meshkv::noc
