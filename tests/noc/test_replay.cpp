// Packet for packet the same as BookSim2.
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "models/workload/synthetic_run.h"
#include "tests/support/paths.h"

using namespace meshkv;
using namespace meshkv::workload;

namespace {

std::vector<ReplayPacket> read_packets(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  boost::iostreams::filtering_istream in;
  in.push(boost::iostreams::gzip_decompressor());
  in.push(file);
  std::vector<ReplayPacket> packets;
  std::string line;
  std::getline(in, line);  // created,src,dst,injected,ejected,routers
  while (std::getline(in, line)) {
    std::vector<std::string> cells;
    std::stringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    ReplayPacket p;
    p.created = std::stoull(cells.at(0));
    p.source = static_cast<NodeId>(std::stoi(cells.at(1)));
    p.destination = static_cast<NodeId>(std::stoi(cells.at(2)));
    if (!cells.at(4).empty()) p.ejected = std::stoull(cells.at(4));
    packets.push_back(p);
  }
  return packets;
}

void replay(const char* profile, const char* file, int flits, std::uint64_t at_least) {
  SyntheticConfig c;
  c.noc.profile = profile;
  c.pattern = TrafficPattern::kReplay;
  c.packet_flits = flits;
  c.packets = read_packets(std::string(test::source_dir() + "/tests/data/noc/") + file);
  SyntheticRun run("mesh", c);
  run.run();
  CHECK(run.statistics().replay_compared >= at_least);
  CHECK(run.statistics().replay_mismatches == 0);
  CHECK(run.mesh().context().pool.live() == 0);
}

}  // namespace

TEST_CASE("b1 equals BookSim2 packet for packet", "[noc]") {
  replay("b1", "booksim_b1_uniform_5flits_0.1.csv.gz", 5, 15000);
}

TEST_CASE("b2 equals BookSim2 packet for packet near saturation", "[noc]") {
  replay("b2", "booksim_b2_uniform_5flits_0.36.csv.gz", 5, 7500);
}

TEST_CASE("A replay of other arrival times has mismatches", "[noc]") {
  SyntheticConfig c;
  c.noc.profile = "b1";
  c.pattern = TrafficPattern::kReplay;
  c.packet_flits = 5;
  c.packets = {{0, 0, 1, 0, 5 * 2 + 2 + 4}, {100, 0, 1, 0, 100 + 5 * 2 + 2 + 4 + 1}};
  SyntheticRun run("mesh", c);
  run.run();
  CHECK(run.statistics().replay_compared == 2);
  CHECK(run.statistics().replay_mismatches == 1);
  CHECK(run.statistics().worst_mismatch_cycles == 1);
}
