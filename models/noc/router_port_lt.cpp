// Loosely-timed transport through a router port: every input leads into the same router.
#include "models/noc/router_port.h"

namespace meshkv::noc {

void RouterPort::b_transport(Packet& packet, sc_core::sc_time& delay) {
  loose_->b_transport(packet, delay);
}

}  // namespace meshkv::noc
