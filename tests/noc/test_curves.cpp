// Load-latency curves against BookSim2's: below the knee the mean packet latency is within 3 % of every
// point, beyond it the accepted traffic is within 3 %.
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "models/workload/synthetic_run.h"
#include "tests/support/paths.h"

using namespace meshkv;
using namespace meshkv::workload;

namespace {

struct Point {
  std::string profile;
  std::string pattern;
  int flits = 0;
  double rate = 0;
  double latency = 0;
  double accepted = 0;
  bool stable = false;
};

std::vector<Point> read_curves() {
  std::ifstream in(test::source_dir() + "/tests/data/noc/booksim_curves.csv");
  std::vector<Point> points;
  std::string line;
  std::getline(in, line);  // config,traffic,packet_size,rate,avg_plat,avg_nlat,avg_hops,accepted,stable
  while (std::getline(in, line)) {
    std::vector<std::string> cells;
    std::stringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    if (cells.at(0) == "B3") continue;  // a router with a faster crossbar, which we do not model
    Point p;
    p.profile = cells[0] == "B1" ? "b1" : "b2";
    p.pattern = cells[1].substr(0, cells[1].find('('));
    p.flits = std::stoi(cells[2]);
    p.rate = std::stod(cells[3]);
    p.latency = std::stod(cells[4]);
    p.accepted = std::stod(cells[7]);
    p.stable = cells[8] == "1";
    points.push_back(p);
  }
  return points;
}

/// The first point of a curve is its zero load, closely enough.
double zero_load(const std::vector<Point>& points, const Point& p) {
  for (const Point& q : points)
    if (q.profile == p.profile && q.pattern == p.pattern && q.flits == p.flits) return q.latency;
  return 0;
}

bool below_knee(const std::vector<Point>& points, const Point& p) {
  return p.stable && p.latency <= 1.5 * zero_load(points, p) && p.accepted >= 0.95 * p.rate;
}

SyntheticConfig config_of(const Point& p, Cycle cycles, Cycle warmup) {
  SyntheticConfig c;
  c.noc.profile = p.profile;
  c.pattern = traffic_pattern(p.pattern);
  c.packet_flits = p.flits;
  c.injection_rate = p.rate;
  c.warmup_cycles = warmup;
  c.measure_cycles = cycles;
  c.drain_limit_cycles = 20000;
  return c;
}

std::vector<Point> knee_points(bool below) {
  const std::vector<Point> points = read_curves();
  std::vector<Point> chosen;
  for (const Point& p : points)
    if (below_knee(points, p) == below) chosen.push_back(p);
  return chosen;
}

/// One point a process: the kernel cannot be started twice, and a mesh cannot be added while it runs; so all
/// meshes of a test are made first and run side by side.
struct Curves {
  std::vector<Point> points;
  std::vector<std::unique_ptr<SyntheticRun>> runs;

  Curves(std::vector<Point> chosen, Cycle cycles, Cycle warmup) : points(std::move(chosen)) {
    for (std::size_t k = 0; k < points.size(); ++k)
      runs.push_back(
          std::make_unique<SyntheticRun>("mesh_" + std::to_string(k), config_of(points[k], cycles, warmup)));
    for (auto& run : runs) run->begin();
    // Long enough for whatever is still under way below the knee.
    sc_core::sc_start(static_cast<double>(cycles + warmup + 2000) * runs.front()->domain().period());
    for (auto& run : runs) run->finish();
  }
};

void check_latencies(const std::vector<Point>& chosen, Cycle cycles) {
  REQUIRE(!chosen.empty());
  const Curves curves(chosen, cycles, cycles / 4);
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const Point& p = chosen[k];
    const SyntheticStatistics& s = curves.runs[k]->statistics();
    INFO(p.profile << " " << p.pattern << ", packets of " << p.flits << " flits, rate " << p.rate);
    CHECK(s.arrived_packets == s.measured_packets);
    CHECK(s.avg_packet_latency == Approx(p.latency).epsilon(0.03));
  }
}

}  // namespace

TEST_CASE("Latency is BookSim2's at some points of the curves", "[noc]") {
  std::vector<Point> some;
  for (const Point& p : knee_points(true)) {
    const bool chosen = (p.pattern == "uniform" && p.rate >= 0.099 && p.rate <= 0.21) ||
                        (p.pattern == "neighbor" && p.rate == 0.4) ||
                        (p.pattern == "transpose" && p.rate == 0.1) ||
                        (p.pattern == "hotspot" && p.rate == 0.01);
    if (chosen) some.push_back(p);
  }
  REQUIRE(some.size() >= 8);
  check_latencies(some, 8000);
}

TEST_CASE("Latency is BookSim2's at every point of the curves below the knee", "[noc][.long]") {
  check_latencies(knee_points(true), 60000);
}

// What a saturated mesh accepts differs by 2 % (standard deviation) from seed to seed in both simulators:
// with packets of 16 flits at .38 five seeds give BookSim2 (28f4329) .329 to .336 and us .328 to .337, the
// mean of both being .333. So the mean of five seeds of ours is compared.
TEST_CASE("Saturation throughput is BookSim2's", "[noc][.long]") {
  constexpr std::uint64_t kSeeds = 5;
  std::vector<Point> beyond;
  for (const Point& p : knee_points(false))
    if (!p.stable) beyond.push_back(p);
  std::vector<Point> repeated;
  for (const Point& p : beyond) repeated.insert(repeated.end(), kSeeds, p);
  // From an empty mesh and for about as long as BookSim2 does before it gives up on a saturated mesh: later
  // the accepted traffic is a few per cent higher, in both.
  const Curves curves(repeated, 12000, 0);
  for (std::size_t k = 0; k < beyond.size(); ++k) {
    const Point& p = beyond[k];
    double accepted = 0;
    for (std::size_t s = 0; s < kSeeds; ++s)
      accepted += curves.runs[k * kSeeds + s]->statistics().accepted_flits_per_node_cycle / kSeeds;
    INFO(p.profile << " " << p.pattern << ", packets of " << p.flits << " flits, rate " << p.rate);
    CHECK(accepted == Approx(p.accepted).epsilon(0.03));
  }
}
