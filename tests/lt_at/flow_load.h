// A load of streams on a bare mesh that runs in either timing mode: what lt is compared with at on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/noc/mesh.h"

namespace meshkv::test {

struct Flow {
  NodeId source;
  std::vector<NodeId> destinations;  ///< one: unicast; several: a tree
  std::uint32_t flits;
};

struct FlowLoad {
  noc::NocConfig noc;
  std::vector<Flow> flows;
  std::vector<NodeId> two_ports;  ///< nodes with a second injection link
  std::uint32_t chunk_flits = 64;
};

struct FlowResult {
  Cycle cycles = 0;             ///< last flit of all
  std::vector<Cycle> finished;  ///< by flow
  noc::LinkStatistics links;    ///< sum over all links
  std::uint64_t received = 0;   ///< flits, copies counted
  std::uint64_t live = 0;
  double host_seconds = 0;
  double mean_finish() const;
};

/// A mesh whose nodes stream their flows, round robin packet by packet in at and chunk by chunk in lt.
class FlowMesh final {
 public:
  FlowMesh(const std::string& name, TimingMode mode, const FlowLoad& load);
  ~FlowMesh();
  void start();
  /// After the simulation.
  FlowResult result() const;

 private:
  class Node;
  TimingMode mode_;
  Cycle begin_ = 0;
  FlowLoad load_;
  ClockDomain domain_;
  std::unique_ptr<noc::NocContext> context_;
  std::vector<std::unique_ptr<noc::Router>> routers_;
  std::vector<std::unique_ptr<noc::NetworkInterface>> interfaces_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::uint64_t> missing_;  // by flow
  FlowResult result_;
};

struct Compared {
  FlowResult at, lt;
  /// lt's cycles over at's.
  double ratio() const { return static_cast<double>(lt.cycles) / static_cast<double>(at.cycles); }
};
/// Runs loads in both modes, one after the other. Once a process: SystemC does not elaborate twice.
std::vector<Compared> compare(const std::vector<FlowLoad>& loads);

}  // namespace meshkv::test
