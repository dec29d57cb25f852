#include <array>
#include <catch2/catch.hpp>

#include "models/controller/layer_coordinator.h"

using namespace meshkv;
using controller::LayerCoordinator;

namespace {
struct Log {
  std::vector<std::array<Cycle, 3>> begun;
  int progress = 0;
  Cycle finished = 0;
  LayerCoordinator::Callbacks callbacks() {
    LayerCoordinator::Callbacks c;
    c.progress = [this](Cycle) { ++progress; };
    c.begin = [this](int step, int layer, Cycle at) {
      begun.push_back({static_cast<Cycle>(step), static_cast<Cycle>(layer), at});
    };
    c.finished = [this](Cycle at) { finished = at; };
    return c;
  }
};
}  // namespace

TEST_CASE("The barrier waits for the last column, and steps follow steps", "[controller]") {
  Log log;
  LayerCoordinator coordinator(2, {0, 5}, 2, 16);
  coordinator.set_callbacks(log.callbacks());
  coordinator.start(0);
  for (Cycle at : {100, 300, 500, 700}) {
    coordinator.column_done(0, at);
    coordinator.column_done(0, at + 1);  // again: counts once
    coordinator.column_done(1, at + 50);
  }
  using Row = std::array<Cycle, 3>;
  REQUIRE(log.begun == std::vector<Row>{Row{0, 0, 0}, Row{0, 5, 166}, Row{1, 0, 366}, Row{1, 5, 566}});
  REQUIRE(log.finished == 750);
  REQUIRE(coordinator.finished());
  REQUIRE(coordinator.layer_times()[1].end == 350);
}

TEST_CASE("The slowest tile counts only while it has work", "[controller]") {
  Log log;
  LayerCoordinator coordinator(1, {0}, 1, 16);
  coordinator.set_callbacks(log.callbacks());
  coordinator.set_work({2, 0, 3});
  coordinator.tile_progress(2, 1, 10);
  coordinator.tile_progress(2, 2, 20);
  REQUIRE(coordinator.slowest() == 0);
  REQUIRE(log.progress == 0);
  coordinator.tile_progress(0, 1, 30);
  REQUIRE(coordinator.slowest() == 1);
  coordinator.tile_progress(0, 2, 40);  // tile 0 is through: tile 2 with two segments is the slowest
  REQUIRE(coordinator.slowest() == 2);
  REQUIRE(log.progress == 2);
}
