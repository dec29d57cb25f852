#include "tests/noc/mixed_load.h"

#include "models/common/seed.h"

namespace meshkv::test {

using namespace meshkv::noc;

class MixedLoad::Agent final : public NetworkClient {
 public:
  Agent(MixedLoad& load, NetworkInterface& interface)
      : load_(load), interface_(interface), state_(instance_seed(load.config_.seed, interface.name())) {
    interface.set_client(*this);
  }

  void begin() {
    for (int c = 0; c < kPacketClasses; ++c) interface_.want_refill(static_cast<PacketClass>(c));
  }
  bool drains_at_once() const override { return load_.config_.drains_at_once; }

  Cycle on_head(const Packet&, Cycle now) override {
    const int longest = load_.config_.longest_drain_delay;
    return longest == 0 ? now : now + random() % static_cast<std::uint64_t>(longest + 1);
  }

  void on_tail(const Packet& p, Cycle) override {
    const auto it = load_.expected_.find(p.id);
    if (it == load_.expected_.end() || it->second.erase(interface_.node()) != 1) {
      ++load_.wrong_;
      return;
    }
    if (it->second.empty()) load_.expected_.erase(it);
    ++load_.delivered_;
  }

  void on_refill(PacketClass c, Cycle) override {
    const MixedConfig& config = load_.config_;
    Cycle& next = next_[static_cast<unsigned>(c)];
    while (random() % 1000000 >= static_cast<std::uint64_t>(config.packets_per_cycle * 1e6)) ++next;
    if (++next > config.stop) return;
    Packet* p = interface_.allocate();
    p->packet_class = c;
    p->flits = static_cast<std::uint16_t>(c == PacketClass::kKvFetch  ? 1
                                          : c == PacketClass::kKvData ? config.data_flits
                                                                      : config.part_flits);
    p->key.index = static_cast<std::uint32_t>(p->id);  // payloads differ: the tag filter may drop nothing
    auto& expected = load_.expected_[p->id];
    if (c == PacketClass::kKvData && config.fanout > 0) {
      std::vector<NodeId> to;
      for (int k = 0; k < config.fanout; ++k) to.push_back(any_node());
      p->tree = load_.mesh_->context().trees.get(interface_.node(), to);
      expected.insert(p->tree->destinations().begin(), p->tree->destinations().end());
    } else {
      p->destination = any_node();
      expected.insert(p->destination);
    }
    load_.created_ += expected.size();
    interface_.send(p, next - 1);
    interface_.want_refill(c);
  }

 private:
  std::uint64_t random() { return mix64(state_ += 0x9e3779b97f4a7c15ULL); }
  NodeId any_node() {
    return static_cast<NodeId>(random() % static_cast<std::uint64_t>(load_.mesh_->nodes()));
  }

  MixedLoad& load_;
  NetworkInterface& interface_;
  std::uint64_t state_;
  Cycle next_[kPacketClasses] = {};
};

MixedLoad::MixedLoad(const std::string& name, const MixedConfig& config) : config_(config) {
  domain_ = std::make_unique<ClockDomain>((name + "_clock").c_str(), sc_core::sc_time(3, sc_core::SC_NS));
  mesh_ = std::make_unique<Mesh>(name.c_str(), config.noc, *domain_);
  for (int n = 0; n < mesh_->nodes(); ++n)
    agents_.push_back(std::make_unique<Agent>(*this, mesh_->interface(static_cast<NodeId>(n))));
}

MixedLoad::~MixedLoad() = default;

void MixedLoad::begin() {
  for (auto& agent : agents_) agent->begin();
}

std::string MixedLoad::check_routers() const {
  const NocConfig& noc = mesh_->context().config;
  for (int n = 0; n < mesh_->nodes(); ++n) {
    const RouterCore& core = mesh_->router(static_cast<NodeId>(n)).core();
    const NetworkInterface& interface = mesh_->interface(static_cast<NodeId>(n));
    for (int vc = 0; vc < noc.vcs(); ++vc) {
      if (interface.injection_link(0).credits(vc) != noc.vc_depth_flits)
        return std::string(interface.name()) + " misses credits";
      if (interface.ejection_view(vc).packets != 0) return std::string(interface.name()) + " has not drained";
      for (unsigned p = 0; p < kPorts; ++p) {
        const auto port = static_cast<Port>(p);
        if (core.view(port, vc).packets != 0 || core.view(port, vc).occupancy != 0)
          return std::string("flits are left in router ") + std::to_string(n);
        if (!core.connected(port)) continue;
        if (core.credits(port, vc) != noc.vc_depth_flits)
          return std::string("credits of router ") + std::to_string(n) + ", port " + port_name(port) +
                 " are not home";
        if (!core.output_free(port, vc))
          return std::string("router ") + std::to_string(n) + " holds an output VC";
      }
    }
  }
  return "";
}

std::string MixedLoad::check() const {
  if (wrong_ != 0) return std::to_string(wrong_) + " copies arrived twice or at the wrong tile";
  if (delivered_ != created_)
    return std::to_string(created_ - delivered_) + " of " + std::to_string(created_) +
           " copies did not arrive";
  if (mesh_->context().pool.live() != 0)
    return std::to_string(mesh_->context().pool.live()) + " packets are still live";
  if (mesh_->watchdog().deadlock()) return "a deadlock was reported";
  return check_routers();
}

}  // namespace meshkv::test
