// Loosely-timed transport through a router port.
#include "models/noc/router_port.h"

namespace meshkv::noc {

void RouterPort::b_transport(Packet&, sc_core::sc_time&) {
  SC_REPORT_FATAL(name(), "the loosely-timed transport is not there yet");
}

}  // namespace meshkv::noc
