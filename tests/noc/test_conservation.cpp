// Nothing is lost, doubled or left behind, whatever the configuration: flits that are injected are ejected,
// once at each destination, and all credits come home.
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "models/common/seed.h"
#include "tests/noc/mixed_load.h"

using namespace meshkv;
using namespace meshkv::noc;
using meshkv::test::MixedConfig;
using meshkv::test::MixedLoad;

namespace {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  int operator()(int low, int high) {
    state_ += 0x9e3779b97f4a7c15ULL;
    return low + static_cast<int>(mix64(state_) % static_cast<std::uint64_t>(high - low + 1));
  }

 private:
  std::uint64_t state_;
};

/// A small mesh that must not deadlock: independent or cut-through branches, packets of at most a VC FIFO.
MixedConfig random_config(std::uint64_t seed) {
  Dice dice(seed);
  MixedConfig c;
  c.seed = seed;
  c.noc.mesh = {dice(2, 4), dice(2, 4)};
  const char* profiles[] = {"b1", "b2", "fpga"};
  c.noc.profile = profiles[dice(0, 2)];
  c.noc.vcs_per_vn = dice(1, 4);
  c.noc.vc_depth_flits = dice(1, 12);
  const bool per_class = c.noc.vcs_per_vn > 1 && dice(0, 2) != 0;
  c.noc.vn1_vc_policy = per_class ? Vn1VcPolicy::kPerClass : Vn1VcPolicy::kShared;
  c.noc.multicast_allocation =
      dice(0, 2) == 0 ? MulticastAllocation::kCutThrough : MulticastAllocation::kIndependent;
  c.noc.tag_filter = dice(0, 3) == 0;
  c.data_flits = dice(1, c.noc.vc_depth_flits);
  c.part_flits = dice(1, 20);  // longer than the FIFO: wormhole
  c.fanout = dice(0, 8);
  c.packets_per_cycle = dice(1, 40) / 1000.0;
  c.longest_drain_delay = dice(0, 1) * dice(0, 60);
  c.drains_at_once = c.longest_drain_delay == 0 && dice(0, 1) == 0;
  c.stop = static_cast<Cycle>(dice(100, 800));
  return c;
}

void check_random(int count, std::uint64_t first_seed) {
  std::vector<std::unique_ptr<MixedLoad>> loads;
  for (int k = 0; k < count; ++k) {
    const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(k);
    loads.push_back(std::make_unique<MixedLoad>("mesh_" + std::to_string(seed), random_config(seed)));
  }
  for (auto& load : loads) load->begin();
  sc_core::sc_start(sc_core::sc_time(600, sc_core::SC_US));
  for (int k = 0; k < count; ++k) {
    INFO("random_config(" << first_seed + static_cast<std::uint64_t>(k) << ")");
    CHECK(loads[static_cast<std::size_t>(k)]->created() > 0);
    CHECK(loads[static_cast<std::size_t>(k)]->check() == "");
  }
}

}  // namespace

TEST_CASE("Random small meshes lose nothing", "[noc]") {
  check_random(100, 1);
}

TEST_CASE("A thousand random small meshes lose nothing", "[noc][.long]") {
  check_random(1000, 1000);
}
