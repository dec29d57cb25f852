#include "models/workload/synthetic_source.h"

#include <algorithm>
#include <cmath>

#include "models/common/seed.h"

namespace meshkv::workload {
namespace {

/// Random trees of a node: enough that they differ, few enough to be kept.
constexpr int kTreesPerNode = 64;

}  // namespace

SyntheticSource::SyntheticSource(const SyntheticConfig& config, SyntheticObserver& observer,
                                 noc::NocContext& context, noc::NetworkInterface& interface)
    : config_(config),
      observer_(observer),
      interface_(interface),
      state_(instance_seed(config.seed, interface.name())) {
  const double p = config.injection_rate / config.packet_flits;
  log_miss_ = p >= 1.0 ? 0.0 : std::log1p(-p);
  never_ = p <= 0.0;
  interface.set_client(*this);
  if (config.pattern != TrafficPattern::kMulticast) return;
  const auto nodes = static_cast<std::uint64_t>(config.noc.mesh.nodes());
  for (int k = 0; k < kTreesPerNode; ++k) {
    std::vector<NodeId> destinations;
    while (destinations.size() < static_cast<std::size_t>(config.multicast_fanout)) {
      const auto to = static_cast<NodeId>(below(nodes));
      if (std::find(destinations.begin(), destinations.end(), to) == destinations.end())
        destinations.push_back(to);
    }
    trees_.push_back(context.trees.get(interface.node(), destinations));
  }
}

void SyntheticSource::start() {
  switch (config_.pattern) {
    case TrafficPattern::kMulticast:
      interface_.want_refill(noc::PacketClass::kKvData);
      break;
    case TrafficPattern::kRequestReply:
      interface_.want_refill(noc::PacketClass::kKvFetch);
      break;
    default:
      interface_.want_refill(config_.packet_class);
      break;
  }
}

std::uint64_t SyntheticSource::random() {
  state_ += 0x9e3779b97f4a7c15ULL;
  return mix64(state_);
}

/// Cycles from one success of a coin that is tossed each cycle to the next, at least 1.
Cycle SyntheticSource::gap() {
  if (log_miss_ == 0.0) return 1;
  const double u = (static_cast<double>(random() >> 11) + 0.5) * 0x1.0p-53;
  return 1 + static_cast<Cycle>(std::log(u) / log_miss_);
}

NodeId SyntheticSource::destination() {
  const MeshShape& mesh = config_.noc.mesh;
  const NodeId here = interface_.node();
  const Coord c = mesh.coord(here);
  switch (config_.pattern) {
    case TrafficPattern::kTranspose:
      return mesh.node({c.y, c.x});
    case TrafficPattern::kBitcomp:
      return static_cast<NodeId>(mesh.nodes() - 1 - here);
    case TrafficPattern::kNeighbor:
      return mesh.node({(c.x + 1) % mesh.width, (c.y + 1) % mesh.height});
    case TrafficPattern::kHotspot:
      return config_.hotspot_node;
    default:
      return static_cast<NodeId>(below(static_cast<std::uint64_t>(mesh.nodes())));
  }
}

void SyntheticSource::create(noc::PacketClass c, Cycle at, NodeId to, int flits, std::uint64_t user) {
  noc::Packet* p = interface_.allocate();
  p->packet_class = c;
  p->flits = static_cast<std::uint16_t>(flits);
  p->destination = to;
  p->user = user;
  int copies = 1;
  if (config_.pattern == TrafficPattern::kMulticast) {
    p->tree = trees_[below(trees_.size())];
    copies = static_cast<int>(p->tree->destinations().size());
    p->key.index = static_cast<std::uint32_t>(p->id);
    p->key.segment = interface_.node();
  }
  observer_.created(at, config_.pattern == TrafficPattern::kRequestReply ? config_.packet_flits : flits,
                    copies);
  interface_.send(p, at);
}

void SyntheticSource::on_refill(noc::PacketClass packet_class, Cycle now) {
  if (config_.pattern == TrafficPattern::kReplay) {
    if (next_ == replay_.size()) return;
    const std::size_t index = replay_[next_++];
    const ReplayPacket& r = config_.packets[index];
    create(packet_class, r.created, r.destination, r.flits > 0 ? r.flits : config_.packet_flits, index);
  } else if (config_.pattern == TrafficPattern::kRequestReply && packet_class == noc::PacketClass::kKvData) {
    reply(now);
    return;
  } else {
    if (never_) return;
    const Cycle next = next_created_ + gap();
    if (next > stop_) return;
    next_created_ = next;
    const bool request =
        packet_class == noc::PacketClass::kKvFetch && config_.pattern == TrafficPattern::kRequestReply;
    create(packet_class, next_created_ - 1, destination(), request ? 1 : config_.packet_flits, 0);
  }
  interface_.want_refill(packet_class);
}

Cycle SyntheticSource::on_head(const noc::Packet& packet, Cycle now) {
  if (packet.packet_class != noc::PacketClass::kKvFetch || held_ < config_.home_requests) {
    if (packet.packet_class == noc::PacketClass::kKvFetch) ++held_;
    return now;
  }
  refused_.push_back(&packet);
  return kNever;
}

void SyntheticSource::on_tail(const noc::Packet& packet, Cycle now) {
  if (config_.pattern != TrafficPattern::kRequestReply) {
    observer_.arrived(packet, interface_.node(), packet.created, now);
  } else if (packet.packet_class == noc::PacketClass::kKvData) {
    observer_.arrived(packet, interface_.node(), packet.user, now);
  } else {
    requests_.push_back({packet.source, packet.created});
    serve();
  }
}

void SyntheticSource::serve() {
  if (serving_ || requests_.empty()) return;
  serving_ = true;
  interface_.want_refill(noc::PacketClass::kKvData);
}

/// The interface has room for a reply. The request's place is free once the reply has begun to leave.
void SyntheticSource::reply(Cycle now) {
  serving_ = false;
  if (requests_.empty()) return;
  const Request r = requests_.front();
  requests_.pop_front();
  noc::Packet* p = interface_.allocate();
  p->packet_class = noc::PacketClass::kKvData;
  p->flits = static_cast<std::uint16_t>(config_.packet_flits);
  p->destination = r.from;
  p->user = r.created;
  interface_.send(p, now);
  if (refused_.empty()) {
    --held_;
  } else {
    const noc::Packet* next = refused_.front();
    refused_.erase(refused_.begin());
    interface_.drain(*next, now + 1);
  }
  serve();
}

}  // namespace meshkv::workload
