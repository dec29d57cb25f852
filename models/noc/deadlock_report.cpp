#include "models/noc/deadlock_report.h"

#include <unordered_map>
#include <utility>

namespace meshkv::noc {
namespace {

using Place = DeadlockReport::Place;

/// A place that can hold packets.
struct Spot {
  Place place;
  NodeId node;
  unsigned port;  // kInjection: packet class
  unsigned vc;
  std::uint64_t key() const {
    return (static_cast<std::uint64_t>(place) << 40) | (std::uint64_t{node} << 16) | (port << 8) | vc;
  }
};

struct Edge {
  Spot to;
  std::string why;
};

std::string vc_text(int vc) {
  return "VC " + std::to_string(vc);
}

/// The graph of waits, built as it is walked.
class WaitGraph {
 public:
  WaitGraph(const MeshShape& mesh, const std::vector<const Router*>& routers,
            const std::vector<const NetworkInterface*>& interfaces)
      : mesh_(mesh), routers_(routers), interfaces_(interfaces) {}

  const Packet* packet(const Spot& s) const {
    switch (s.place) {
      case Place::kRouterVc:
        return routers_[s.node]->core().view(static_cast<Port>(s.port), static_cast<int>(s.vc)).front;
      case Place::kInjection:
        return pending(s);
      case Place::kEjection:
        return interfaces_[s.node]->ejection_view(static_cast<int>(s.vc)).front;
    }
    return nullptr;
  }

  std::string where(const Spot& s) const {
    if (s.place == Place::kRouterVc) return routers_[s.node]->port(static_cast<Port>(s.port)).name();
    return interfaces_[s.node]->name();
  }

  std::vector<Edge> edges(const Spot& s) const {
    std::vector<Edge> out;
    if (packet(s) == nullptr) return out;
    if (s.place == Place::kRouterVc) router_edges(s, out);
    if (s.place == Place::kInjection) injection_edges(s, out);
    if (s.place == Place::kEjection) ejection_edges(s, out);
    return out;
  }

  std::vector<Spot> all() const {
    std::vector<Spot> spots;
    for (unsigned n = 0; n < routers_.size(); ++n) {
      const auto node = static_cast<NodeId>(n);
      for (unsigned p = 0; p < kPorts; ++p)
        for (unsigned vc = 0; vc < RouterCore::kStride; ++vc)
          spots.push_back({Place::kRouterVc, node, p, vc});
      for (unsigned c = 0; c < kPacketClasses; ++c) spots.push_back({Place::kInjection, node, c, 0});
      for (unsigned vc = 0; vc < static_cast<unsigned>(routers_[n]->core().vcs()); ++vc)
        spots.push_back({Place::kEjection, node, 0, vc});
    }
    return spots;
  }

 private:
  const Packet* pending(const Spot& s) const {
    const auto c = static_cast<PacketClass>(s.port);
    for (int k = 0; k < interfaces_[s.node]->injection_ports(); ++k)
      if (const Packet* p = interfaces_[s.node]->injection_link(k).current(c)) return p;
    return interfaces_[s.node]->queue_front(c);
  }

  /// The output VC `vc` of `port` has no room: whoever is at the front of the FIFO behind it.
  void downstream(const Spot& s, unsigned port, unsigned vc, std::vector<Edge>& out) const {
    if (port == static_cast<unsigned>(Port::kTile)) {
      out.push_back({{Place::kEjection, s.node, 0, vc},
                     "room in the ejection buffer of " + vc_text(static_cast<int>(vc))});
      return;
    }
    const NodeId next = mesh_.neighbour(s.node, static_cast<Port>(port));
    if (next == kNoNode) return;
    out.push_back({{Place::kRouterVc, next, static_cast<unsigned>(opposite(static_cast<Port>(port))), vc},
                   std::string("room in ") + vc_text(static_cast<int>(vc)) + " of the router behind port " +
                       port_name(static_cast<Port>(port))});
  }

  void router_edges(const Spot& s, std::vector<Edge>& out) const {
    const RouterCore& core = routers_[s.node]->core();
    const RouterCore::VcView view = core.view(static_cast<Port>(s.port), static_cast<int>(s.vc));
    for (const RouterCore::BranchView& b : view.branches) {
      const auto port = static_cast<unsigned>(b.out);
      if (b.out_vc >= 0) {
        if (!b.credit) downstream(s, port, static_cast<unsigned>(b.out_vc), out);
        continue;
      }
      for (int vc = 0; vc < core.vcs(); ++vc) {
        if ((core.class_vcs(*view.front) >> vc & 1U) == 0) continue;
        if (core.output_free(b.out, vc)) {
          downstream(s, port, static_cast<unsigned>(vc), out);
          continue;
        }
        const unsigned holder = core.holder(b.out, vc);
        out.push_back({{Place::kRouterVc, s.node, holder / RouterCore::kStride, holder % RouterCore::kStride},
                       std::string("output ") + vc_text(vc) + " of port " + port_name(b.out)});
      }
    }
    if (out.empty() && view.front != nullptr) upstream(s, out);
  }

  /// Everything here has gone on: the rest of the packet is still behind.
  void upstream(const Spot& s, std::vector<Edge>& out) const {
    const auto port = static_cast<Port>(s.port);
    if (port == Port::kTile) return;
    const NodeId before = mesh_.neighbour(s.node, port);
    if (before == kNoNode) return;
    const RouterCore& core = routers_[before]->core();
    if (core.output_free(opposite(port), static_cast<int>(s.vc))) return;
    const unsigned holder = core.holder(opposite(port), static_cast<int>(s.vc));
    out.push_back({{Place::kRouterVc, before, holder / RouterCore::kStride, holder % RouterCore::kStride},
                   "the rest of its flits"});
  }

  void injection_edges(const Spot& s, std::vector<Edge>& out) const {
    const auto c = static_cast<PacketClass>(s.port);
    const RouterCore& core = routers_[s.node]->core();
    const unsigned vcs = core.class_vcs(*packet(s));
    for (int vc = 0; vc < core.vcs(); ++vc) {
      if ((vcs >> vc & 1U) == 0) continue;
      out.push_back(
          {{Place::kRouterVc, s.node, static_cast<unsigned>(Port::kTile), static_cast<unsigned>(vc)},
           std::string("room for a ") + class_name(c) + " in " + vc_text(vc) + " of its router"});
    }
  }

  /// An endpoint that does not drain: it waits to send something of its own, first of all what answers.
  void ejection_edges(const Spot& s, std::vector<Edge>& out) const {
    for (const PacketClass c : {PacketClass::kKvData, PacketClass::kPart, PacketClass::kKvFetch}) {
      const Spot injection{Place::kInjection, s.node, static_cast<unsigned>(c), 0};
      if (pending(injection) == nullptr) continue;
      out.push_back({injection, std::string("its tile, which waits to send a ") + class_name(c)});
      return;
    }
  }

  const MeshShape& mesh_;
  const std::vector<const Router*>& routers_;
  const std::vector<const NetworkInterface*>& interfaces_;
};

struct Step {
  Spot spot;
  std::vector<Edge> edges;
  std::size_t next = 0;  // edge to follow; the one being followed is next - 1
};

DeadlockReport::Wait describe(const WaitGraph& graph, const Spot& spot, const std::string& why) {
  const Packet& p = *graph.packet(spot);
  DeadlockReport::Wait w;
  w.place = spot.place;
  w.where = graph.where(spot);
  w.node = spot.node;
  w.port = spot.place == Place::kRouterVc ? static_cast<Port>(spot.port) : Port::kTile;
  w.vc = static_cast<int>(spot.vc);
  w.packet = p.id;
  w.packet_class = p.packet_class;
  w.source = p.source;
  w.destination = p.tree == nullptr ? p.destination : kNoNode;
  w.waits_for = why;
  return w;
}

/// Depth first from `start`; the spots of a cycle, or nothing. Notes an endpoint that waits for nobody.
std::vector<Spot> walk(const WaitGraph& graph, const Spot& start,
                       std::unordered_map<std::uint64_t, bool>& open, std::string& endpoint) {
  std::vector<Step> path;
  path.push_back({start, graph.edges(start)});
  open[start.key()] = true;
  while (!path.empty()) {
    Step& top = path.back();
    if (top.next == top.edges.size()) {
      if (top.edges.empty() && top.spot.place == Place::kEjection && endpoint.empty() &&
          graph.packet(top.spot) != nullptr)
        endpoint = graph.where(top.spot) + " does not drain VC " + std::to_string(top.spot.vc);
      open[top.spot.key()] = false;
      path.pop_back();
      continue;
    }
    const Spot to = top.edges[top.next++].to;
    const auto seen = open.find(to.key());
    if (seen == open.end()) {
      path.push_back({to, graph.edges(to)});
      open[to.key()] = true;
    } else if (seen->second) {
      std::vector<Spot> cycle;
      for (std::size_t k = path.size(); k-- > 0;) {
        cycle.push_back(path[k].spot);
        if (path[k].spot.key() == to.key()) break;
      }
      return cycle;
    }
  }
  return {};
}

/// The shortest cycle of waits through `start`, breadth first; what people want to read.
std::vector<DeadlockReport::Wait> shortest(const WaitGraph& graph, const Spot& start) {
  struct Reached {
    Spot spot;
    std::size_t from;
    std::string why;  // why `from` waits for this one
  };
  std::vector<Reached> reached{{start, 0, ""}};
  std::unordered_map<std::uint64_t, bool> seen{{start.key(), true}};
  for (std::size_t k = 0; k < reached.size(); ++k) {
    for (const Edge& e : graph.edges(reached[k].spot)) {
      if (e.to.key() == start.key()) {
        std::vector<DeadlockReport::Wait> cycle;
        std::string why = e.why;
        for (std::size_t at = k;; at = reached[at].from) {
          cycle.insert(cycle.begin(), describe(graph, reached[at].spot, why));
          if (at == 0) return cycle;
          why = reached[at].why;
        }
      }
      if (seen.emplace(e.to.key(), true).second) reached.push_back({e.to, k, e.why});
    }
  }
  return {};
}

}  // namespace

DeadlockReport find_deadlock(const MeshShape& mesh, const std::vector<const Router*>& routers,
                             const std::vector<const NetworkInterface*>& interfaces) {
  DeadlockReport report;
  const WaitGraph graph(mesh, routers, interfaces);
  std::unordered_map<std::uint64_t, bool> open;  // visited; true: on the present path
  for (const Spot& spot : graph.all()) {
    if (open.count(spot.key()) != 0 || graph.packet(spot) == nullptr) continue;
    const std::vector<Spot> cycle = walk(graph, spot, open, report.endpoint);
    if (cycle.empty()) continue;
    for (const Spot& on_it : cycle) {
      auto shorter = shortest(graph, on_it);
      if (report.cycle.empty() || shorter.size() < report.cycle.size()) report.cycle = std::move(shorter);
    }
    break;
  }
  return report;
}

std::string DeadlockReport::text() const {
  std::string s = "deadlock: nothing has moved for " + std::to_string(still_cycles) + " cycles at cycle " +
                  std::to_string(at) + ", with " + std::to_string(packets) + " packets under way\n";
  if (cycle.empty()) {
    return s + (endpoint.empty() ? std::string("no cycle of waits was found\n")
                                 : "no cycle of waits: " + endpoint + "\n");
  }
  for (const Wait& w : cycle) {
    s += std::string("  ") + class_name(w.packet_class) + " packet " + std::to_string(w.packet) +
         " from tile " + std::to_string(w.source) +
         (w.destination == kNoNode ? std::string(" on a tree") : " to tile " + std::to_string(w.destination));
    switch (w.place) {
      case Place::kRouterVc:
        s += " holds VC " + std::to_string(w.vc) + " of " + w.where;
        break;
      case Place::kInjection:
        s += " is being sent by " + w.where;
        break;
      case Place::kEjection:
        s += " is not drained from VC " + std::to_string(w.vc) + " by " + w.where;
        break;
    }
    s += " and waits for " + w.waits_for + ", held by\n";
  }
  return s + "  the first of these\n";
}

}  // namespace meshkv::noc
