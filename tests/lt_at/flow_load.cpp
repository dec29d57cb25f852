#include "tests/lt_at/flow_load.h"

#include <algorithm>
#include <chrono>

namespace meshkv::test {

class FlowMesh::Node final : public noc::NetworkClient, public Clocked {
 public:
  Node(FlowMesh& owner, NodeId node) : owner_(owner), id_(owner.domain_.add(*this)) {
    for (std::uint32_t f = 0; f < owner.load_.flows.size(); ++f)
      if (owner.load_.flows[f].source == node) streams_.push_back({f, 0, nullptr});
    for (Stream& s : streams_) {
      const auto& to = owner.load_.flows[s.flow].destinations;
      if (to.size() > 1) s.tree = owner.context_->trees.get(node, to);
    }
  }
  noc::NetworkInterface* interface = nullptr;

  void start() {
    if (streams_.empty()) return;
    if (owner_.mode_ == TimingMode::kAt)
      interface->want_refill(noc::PacketClass::kKvData);
    else
      owner_.domain_.wake(id_, owner_.begin_ + 1);
  }
  void tick(Cycle now) override {
    const Cycle again = interface->transfer(packet(owner_.load_.chunk_flits), now);
    if (!streams_.empty()) owner_.domain_.wake(id_, std::max(again, now + 1));
  }
  void on_refill(noc::PacketClass, Cycle now) override {
    interface->send(packet(8), now);
    if (!streams_.empty()) interface->want_refill(noc::PacketClass::kKvData);
  }
  Cycle on_head(const noc::Packet&, Cycle now) override { return now; }
  void on_tail(const noc::Packet& p, Cycle now) override {
    FlowResult& r = owner_.result_;
    r.received += p.flits;
    r.cycles = std::max(r.cycles, now - owner_.begin_);
    r.finished[p.user] = std::max(r.finished[p.user], now - owner_.begin_);
  }
  bool drains_at_once() const override { return true; }

 private:
  struct Stream {
    std::uint32_t flow;
    std::uint32_t sent;
    const noc::MulticastTree* tree;
  };
  noc::Packet* packet(std::uint32_t most) {
    turn_ %= streams_.size();
    Stream& s = streams_[turn_];
    const Flow& flow = owner_.load_.flows[s.flow];
    noc::Packet* p = interface->allocate();
    p->packet_class = noc::PacketClass::kKvData;
    p->flits = static_cast<std::uint16_t>(std::min(most, flow.flits - s.sent));
    p->key.segment = s.flow;
    p->key.index = s.sent / 8;
    p->user = s.flow;
    p->tree = s.tree;
    p->destination = flow.destinations.front();
    s.sent += p->flits;
    if (s.sent == flow.flits)
      streams_.erase(streams_.begin() + static_cast<std::ptrdiff_t>(turn_));
    else
      ++turn_;
    return p;
  }

  FlowMesh& owner_;
  int id_;
  std::vector<Stream> streams_;
  std::size_t turn_ = 0;
};

FlowMesh::FlowMesh(const std::string& name, TimingMode mode, const FlowLoad& load)
    : mode_(mode), load_(load), domain_(("clock_" + name).c_str(), sc_core::sc_time(3, sc_core::SC_NS)) {
  context_ = std::make_unique<noc::NocContext>(load.noc, domain_);
  context_->set_mode(mode);
  const MeshShape& mesh = load.noc.mesh;
  result_.finished.assign(load.flows.size(), 0);
  std::vector<noc::Router*> routers;
  for (int n = 0; n < mesh.nodes(); ++n) {
    const auto node = static_cast<NodeId>(n);
    const std::string tag = name + "_" + std::to_string(n);
    nodes_.push_back(std::make_unique<Node>(*this, node));
    routers_.push_back(std::make_unique<noc::Router>(("router_" + tag).c_str(), *context_, node));
    routers.push_back(routers_.back().get());
    const bool two = std::find(load.two_ports.begin(), load.two_ports.end(), node) != load.two_ports.end();
    interfaces_.push_back(std::make_unique<noc::NetworkInterface>(("interface_" + tag).c_str(), *context_,
                                                                  node, nodes_.back().get(), two ? 2 : 1));
    nodes_.back()->interface = interfaces_.back().get();
    noc::connect_interface(*interfaces_.back(), *routers_.back());
    for (const Port p : {Port::kWest, Port::kEast, Port::kNorth, Port::kSouth}) {
      if (!two || mesh.neighbour(node, p) != kNoNode) continue;
      noc::connect_second_injection(*interfaces_.back(), *routers_.back(), p);
      break;
    }
  }
  noc::connect_mesh(mesh, routers);
}

FlowMesh::~FlowMesh() = default;

void FlowMesh::start() {
  begin_ = domain_.now();
  for (auto& node : nodes_) node->start();
}

FlowResult FlowMesh::result() const {
  FlowResult r = result_;
  for (const auto& router : routers_)
    for (unsigned p = 0; p < kPorts; ++p)
      r.links += router->port(static_cast<Port>(p)).statistics(begin_ + r.cycles);
  for (const auto& interface : interfaces_)
    for (int k = 0; k < interface->injection_ports(); ++k)
      r.links += interface->injection_statistics(k, begin_ + r.cycles);
  r.live = context_->pool.live();
  return r;
}

double FlowResult::mean_finish() const {
  double sum = 0;
  for (const Cycle c : finished) sum += static_cast<double>(c);
  return sum / static_cast<double>(finished.size());
}

std::vector<Compared> compare(const std::vector<FlowLoad>& loads) {
  std::vector<std::unique_ptr<FlowMesh>> meshes;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    meshes.push_back(std::make_unique<FlowMesh>("at" + std::to_string(i), TimingMode::kAt, loads[i]));
    meshes.push_back(std::make_unique<FlowMesh>("lt" + std::to_string(i), TimingMode::kLt, loads[i]));
  }
  std::vector<FlowResult> results;
  for (auto& mesh : meshes) {
    const auto begin = std::chrono::steady_clock::now();
    mesh->start();
    sc_core::sc_start();
    results.push_back(mesh->result());
    results.back().host_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  std::vector<Compared> compared;
  for (std::size_t i = 0; i < loads.size(); ++i) compared.push_back({results[2 * i], results[2 * i + 1]});
  return compared;
}

}  // namespace meshkv::test
