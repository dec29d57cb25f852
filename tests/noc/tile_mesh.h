// A mesh whose tiles note what they get, for tests of single mechanisms.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "models/noc/mesh.h"

namespace meshkv::test {

struct Delivery {
  std::uint64_t packet;
  NodeId node;
  Cycle head;
  Cycle tail;
};

class TileMesh {
 public:
  explicit TileMesh(const noc::NocConfig& config)
      : domain("clock", sc_core::sc_time(3, sc_core::SC_NS)), mesh("mesh", config, domain) {
    for (int n = 0; n < mesh.nodes(); ++n) {
      tiles_.push_back(std::make_unique<Tile>(*this, static_cast<NodeId>(n)));
      mesh.interface(static_cast<NodeId>(n)).set_client(*tiles_.back());
    }
  }

  noc::Packet* packet(NodeId from, noc::PacketClass c, int flits) {
    noc::Packet* p = mesh.interface(from).allocate();
    p->packet_class = c;
    p->flits = static_cast<std::uint16_t>(flits);
    return p;
  }
  void send(NodeId from, noc::Packet* p, Cycle at) { mesh.interface(from).send(p, at); }
  void run(Cycle cycles) { sc_core::sc_start(static_cast<double>(cycles) * domain.period()); }

  ClockDomain domain;
  noc::Mesh mesh;
  std::vector<Delivery> deliveries;
  /// When a tile drains a packet whose head it has; at once if unset.
  std::function<Cycle(NodeId, const noc::Packet&, Cycle)> drain;

 private:
  class Tile final : public noc::NetworkClient {
   public:
    Tile(TileMesh& owner, NodeId node) : owner_(owner), node_(node) {}
    Cycle on_head(const noc::Packet& p, Cycle now) override {
      head_ = now;
      return owner_.drain ? owner_.drain(node_, p, now) : now;
    }
    void on_tail(const noc::Packet& p, Cycle now) override {
      owner_.deliveries.push_back({p.id, node_, head_, now});
    }
    void on_refill(noc::PacketClass, Cycle) override {}

   private:
    TileMesh& owner_;
    NodeId node_;
    Cycle head_ = 0;
  };
  std::vector<std::unique_ptr<Tile>> tiles_;
};

}  // namespace meshkv::test
