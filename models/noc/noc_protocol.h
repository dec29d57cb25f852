// The protocol of the mesh's TLM-2.0 sockets. A socket pair is one directed link of 512 data bits.
//
// at: nb_transport_fw carries one flit of a packet, in the cycle in which the sender's switch grants it;
//     nb_transport_bw returns one credit, in the cycle in which the flit leaves the receiver's buffer. Both
//     are annotated with the delay after which the other side may use them; `phase.delay_cycles` is that
//     delay in cycles of the fabric's clock and the sc_time argument says the same. The call answers
//     TLM_ACCEPTED, or TLM_UPDATED with a kCredit phase where the receiver already knows when the flit's slot
//     is free again (an endpoint that drains at once): then no backward call follows for that flit.
// lt: b_transport carries a whole packet (or a chunk of one KV_DATA slice). The delay says when its head is
// at
//     the receiver; on return it says when the receiver has taken in the last flit, until when the sender
//     keeps the link.
#pragma once

#include <cstdint>
#include <tlm>

#include "models/noc/packet.h"

namespace meshkv::noc {

struct NocPhase {
  enum Kind : std::uint8_t { kFlit, kCredit };
  Cycle at = 0;  ///< cycle from which the other side may use it: 1 to 7 after the present one
  Kind kind = kFlit;
  std::uint8_t vc = 0;  ///< kFlit: VC of the receiver's FIFO; kCredit: VC whose slot is free
  bool head = false;    ///< kFlit: first flit of the packet
  bool tail = false;    ///< kFlit: last flit of the packet
};

struct NocProtocolTypes {
  using tlm_payload_type = Packet;
  using tlm_phase_type = NocPhase;
};

constexpr unsigned kLinkBits = 512;

/// Unbound sockets are allowed: the ports at the mesh's edges lead nowhere.
using NocInitiatorSocket =
    tlm::tlm_initiator_socket<kLinkBits, NocProtocolTypes, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;
using NocTargetSocket =
    tlm::tlm_target_socket<kLinkBits, NocProtocolTypes, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;
using NocForwardIf = tlm::tlm_fw_transport_if<NocProtocolTypes>;
using NocBackwardIf = tlm::tlm_bw_transport_if<NocProtocolTypes>;
/// The parts that carry flits and credits: what is cached after elaboration.
using NocFlitIf = tlm::tlm_fw_nonblocking_transport_if<Packet, NocPhase>;
using NocCreditIf = tlm::tlm_bw_nonblocking_transport_if<Packet, NocPhase>;
using NocBlockingIf = tlm::tlm_blocking_transport_if<Packet>;

}  // namespace meshkv::noc
