// What RouterCore::watch() says of all VCs at once is what the view of each one says.
#include <catch2/catch.hpp>
#include <memory>
#include <set>

#include "tests/noc/mixed_load.h"

using namespace meshkv;
using namespace meshkv::noc;
using meshkv::test::MixedConfig;
using meshkv::test::MixedLoad;

namespace {

VcState state_of(const RouterCore::VcView& view) {
  if (view.front == nullptr) return VcState::kIdle;
  if (view.branches.empty()) return VcState::kRouting;
  bool sends = false, waits = false;
  for (const RouterCore::BranchView& b : view.branches) {
    sends = sends || (b.out_vc >= 0 && b.credit);
    waits = waits || b.out_vc < 0;
  }
  return sends ? VcState::kSends : waits ? VcState::kWaitsVc : VcState::kNoCredit;
}

/// Compares in every cycle that has work; counts what it has seen.
class Comparison final : public ClockObserver {
 public:
  Comparison(Mesh& mesh, ClockDomain& domain, int depth) : mesh_(mesh), depth_(depth) {
    domain.add_observer(*this, 0);
  }
  Cycle observe(Cycle now) override {
    for (int n = 0; n < mesh_.context().config.mesh.nodes(); ++n)
      compare(mesh_.router(static_cast<NodeId>(n)).core(), now);
    return now + 1;
  }
  std::set<VcState> states;
  bool full = false;

 private:
  void compare(const RouterCore& core, Cycle now) {
    RouterWatch w;
    core.watch(now, w);
    bool same = true;
    for (unsigned p = 0; p < kPorts; ++p) {
      const auto port = static_cast<Port>(p);
      for (int vc = 0; vc < core.vcs(); ++vc) {
        const unsigned i = p * RouterCore::kStride + static_cast<unsigned>(vc);
        const RouterCore::VcView view = core.view(port, vc);
        same = same && RouterWatch::at(w.level, i) == static_cast<unsigned>(view.occupancy);
        same = same && RouterWatch::at(w.state, i) == static_cast<unsigned>(state_of(view));
        same = same && w.credits[i] == core.credits(port, vc);
        same = same && (w.free_outputs >> i & 1U) == (core.output_free(port, vc) ? 1U : 0U);
        states.insert(state_of(view));
        full = full || view.occupancy == depth_;
      }
      same = same && w.flits[p] == core.link(port, now).flits();
      same = same && w.back_pressure[p] == core.link(port, now).back_pressure;
    }
    INFO("router " << core.node() << ", cycle " << now);
    REQUIRE(same);
  }
  Mesh& mesh_;
  int depth_;
};

}  // namespace

TEST_CASE("A router's VCs watched at once are those viewed one by one", "[noc]") {
  std::vector<std::unique_ptr<MixedLoad>> loads;
  std::vector<std::unique_ptr<Comparison>> comparisons;
  int number = 0;
  for (const char* profile : {"b1", "b2", "fpga"})
    for (const int depth : {4, 20}) {
      MixedConfig c;
      c.noc.mesh = {4, 3};
      c.noc.profile = profile;
      c.noc.vc_depth_flits = depth;
      c.noc.tag_filter = depth == 4;
      c.data_flits = depth;
      c.part_flits = 6;
      c.packets_per_cycle = 0.04;
      c.longest_drain_delay = 40;
      c.stop = 600;
      loads.push_back(std::make_unique<MixedLoad>("mesh_" + std::to_string(number++), c));
      comparisons.push_back(
          std::make_unique<Comparison>(loads.back()->mesh(), loads.back()->domain(), depth));
      loads.back()->begin();
    }
  sc_core::sc_start();
  for (std::size_t k = 0; k < loads.size(); ++k) {
    REQUIRE(loads[k]->check().empty());
    REQUIRE(comparisons[k]->states.size() == 5);
    REQUIRE(comparisons[k]->full);
  }
}
