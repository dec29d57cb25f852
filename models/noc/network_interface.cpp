#include <algorithm>
#include <string>

#include "models/noc/network_interface_module.h"

namespace meshkv::noc {

NetworkInterface::NetworkInterface(sc_core::sc_module_name name, NocContext& context, NodeId node,
                                   NetworkClient* client, int injection_links)
    : sc_module(name),
      id_(context.interface_id(node)),
      context_(context),
      client_(client),
      ejection("ejection"),
      node_(node),
      credit_time_(context.domain.period() * context.profile.credit_cycles) {
  context.domain.place(id_, *this);
  ejection.bind(static_cast<NocForwardIf&>(*this));
  if (injection_links < 1 || injection_links > 2)
    SC_REPORT_FATAL(this->name(), "a network interface has one or two injection links");
  for (int k = 0; k < injection_links; ++k)
    links_.push_back(
        std::make_unique<InjectionLink>(("injection_" + std::to_string(k)).c_str(), context, id_));
  unsigned size = 1;
  while (size < static_cast<unsigned>(context.config.vc_depth_flits)) size *= 2;
  ring_mask_ = size - 1;
  vcs_.resize(static_cast<unsigned>(context.config.vcs()));
  for (EjectionVc& v : vcs_) {
    v.packets.resize(size);
    v.heads.resize(size);
    v.flits.resize(size);
    v.credits.resize(size);
  }
  if (client != nullptr) set_client(*client);
}

void NetworkInterface::set_client(NetworkClient& client) {
  client_ = &client;
  drains_at_once_ = client.drains_at_once();
}

void NetworkInterface::end_of_elaboration() {
  for (auto& link : links_) link->cache_interface();
  if (ejection.get_base_port().size() > 0) router_ = ejection.get_base_port()[0];
}

void NetworkInterface::send(Packet* packet, Cycle now) {
  if (context_.mode() == TimingMode::kLt) {
    transfer(packet, now);
    return;
  }
  const auto c = static_cast<unsigned>(packet->packet_class);
  packet->source = node_;
  packet->created = now;
  packet->live_copies = 1;
  ++statistics_.sent_packets[c];
  statistics_.sent_flits[c] += packet->flits;
  if (context_.config.multicast_allocation == MulticastAllocation::kCutThrough && packet->tree != nullptr &&
      packet->flits > context_.config.vc_depth_flits)
    SC_REPORT_FATAL(name(), "cut-through multicast of a packet that is longer than a VC FIFO");
  // In a cycle that is being processed the interface may have had its turn: the next one is the earliest.
  const Cycle present = context_.domain.now();
  packet->injected = std::max(now, context_.domain.processing() ? present + 1 : present);
  queues_.push(packet);
  context_.arm_watchdog(packet->injected);
  if (queues_.of[c].size() == 1) wake_at(packet->injected);
}

void NetworkInterface::want_refill(PacketClass packet_class) {
  const unsigned c = static_cast<unsigned>(packet_class);
  refill_wanted_ |= 1U << c;
  if (queues_.of[c].size() > 0) return;
  refill_wanted_ &= ~(1U << c);
  client_->on_refill(packet_class, context_.domain.now());
}

void NetworkInterface::wake_at(Cycle at) {
  const Cycle present = context_.domain.now();
  context_.domain.wake(id_, context_.domain.processing() ? std::max(at, present + 1) : at);
}

void NetworkInterface::inject(Cycle now) {
  unsigned popped = 0;
  Cycle next = kNever;
  // A credit can come at any time, so a starved link is looked at whenever the interface is awake.
  for (auto& link : links_) next = std::min(next, link->step(queues_, now, popped));
  if (next != kNever) context_.domain.wake(id_, next);
  for (unsigned m = popped & refill_wanted_ & ~queues_.waiting; m != 0; m &= m - 1) {
    const auto c = static_cast<unsigned>(__builtin_ctz(m));
    refill_wanted_ &= ~(1U << c);
    client_->on_refill(static_cast<PacketClass>(c), now);
  }
}

void NetworkInterface::tick(Cycle now) {
  if (!drains_at_once_) eject(now);
  inject(now);
}

}  // namespace meshkv::noc
