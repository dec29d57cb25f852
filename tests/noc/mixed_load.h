// All classes at once on a small mesh, with trees, back-pressure at the endpoints, and a check that every
// copy arrives exactly once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "models/noc/mesh.h"

namespace meshkv::test {

struct MixedConfig {
  noc::NocConfig noc;
  std::uint64_t seed = 1;
  double packets_per_cycle = 0.02;  ///< per node and class
  int data_flits = 8;
  int part_flits = 4;
  int fanout = 4;               ///< destinations of a KV_DATA packet; 0: unicast
  int longest_drain_delay = 0;  ///< endpoints hold a packet back for up to so many cycles
  bool drains_at_once = false;
  Cycle stop = 2000;
};

class MixedLoad {
 public:
  MixedLoad(const std::string& name, const MixedConfig& config);
  ~MixedLoad();
  void begin();

  /// What is wrong once everything should have arrived; empty: nothing.
  std::string check() const;
  std::uint64_t delivered() const { return delivered_; }
  std::uint64_t created() const { return created_; }
  noc::Mesh& mesh() { return *mesh_; }
  ClockDomain& domain() { return *domain_; }

 private:
  class Agent;
  std::string check_routers() const;

  MixedConfig config_;
  std::unique_ptr<ClockDomain> domain_;
  std::unique_ptr<noc::Mesh> mesh_;
  std::vector<std::unique_ptr<Agent>> agents_;
  std::map<std::uint64_t, std::multiset<NodeId>> expected_;  // by packet id
  std::uint64_t created_ = 0;
  std::uint64_t delivered_ = 0;
  std::uint64_t wrong_ = 0;
};

}  // namespace meshkv::test
