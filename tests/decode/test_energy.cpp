// Energy of the hand case (decode_fixture.h): events counted by hand, times the table.
#include <catch2/catch.hpp>

#include "platform/run/energy.h"
#include "tests/decode/decode_fixture.h"

using namespace meshkv;
using namespace meshkv::test;

namespace {

// Flits over router-to-router links, injection and ejection links. One KV_FETCH each way of eight requests at
// distances g and g + 1 (g = 0..3), 16 in all; PART packets of 3 flits over distances 0 and 1.
constexpr int kRequests = 8;
constexpr int kDistances = 16;
constexpr int kSlice = 64;
constexpr int kFetch = 1;
constexpr int kPart = 3;
constexpr int kPartDistances = 4;

constexpr int kBits = 512;

/// A table of primes: no two events can be mistaken for each other.
platform::EnergyTable primes() {
  platform::EnergyTable t;
  t.wire_pj_per_bit_mm = 2;
  t.link_mm = 3;
  t.local_link_mm = 5;
  t.buffer_pj_per_bit = 7;
  t.sram_pj_per_bit = 11;
  t.mac_pj = 13;
  t.hbm_pj_per_bit = 17;
  t.hbm_activation_pj = 19;
  t.ddr_pj_per_bit = 23;
  t.ddr_activation_pj = 29;
  return t;
}

/// `mesh`, `injected`, `ejected`: flits of KV_DATA; `sram_reads`: slices read from the KV SRAM.
void require_energy(const platform::Json& metrics, int mesh, int injected, int ejected, int sram_reads) {
  mesh += kDistances * kFetch + kPartDistances * kPart;
  injected += kRequests * (kFetch + kPart);
  ejected += kRequests * (kFetch + kPart);
  const platform::Json& e = metrics["energy"];
  REQUIRE(e["link_pj"] == double(mesh) * kBits * 2 * 3 + double(injected + ejected) * kBits * 2 * 5);
  REQUIRE(e["router_pj"] == double(injected + mesh + mesh + ejected) * kBits * 7);
  // Four slices of 64 lines come into KV SRAMs; eight tiles take 64 lines each through a FIFO.
  const double sram = double(4 + sram_reads) * kSlice * kBits * 11;
  REQUIRE(e["sram_pj"] == sram + double(kRequests) * kSlice * 2 * kBits * 7);
  // All of them in row 0, half a row from memory's edge.
  REQUIRE(e["memory_wire_pj"] == 4.0 * kSlice * kBits * 2 * 3 / 2);
  // Eight heads, 16 tokens, 32 elements of a key and of a value.
  REQUIRE(e["mac_pj"] == 8.0 * 16 * 32 * 2 * 13);
  const double rows = metrics["memory"]["hbm_activations"].get<double>();
  REQUIRE(rows >= 16);  // 16 KiB of rows of 1 KiB
  REQUIRE(rows <= 32);
  REQUIRE(e["memory_pj"] == 4.0 * kSlice * kBits * 17 + rows * 19);
  double sum = 0;
  for (const char* part : {"link_pj", "router_pj", "sram_pj", "memory_wire_pj", "mac_pj", "memory_pj"})
    sum += e[part].get<double>();
  REQUIRE(e["total_pj"] == Approx(sum).epsilon(1e-14));
  REQUIRE(e["pj_per_token"] == e["total_pj"]);
}

void unicast(TimingMode mode) {
  auto config = hand_case("takv_only", mode);
  config.energy = primes();
  require_energy(run(config).metrics, kDistances * kSlice, kRequests * kSlice, kRequests * kSlice, kRequests);
}

void multicast(TimingMode mode) {
  auto config = hand_case("meshkv", mode);
  config.energy = primes();
  // A tree to (g, 0) and (g, 1): g + 1 links, one injection, two ejections; the slice is read once a tree.
  require_energy(run(config).metrics, (1 + 2 + 3 + 4) * kSlice, 4 * kSlice, kRequests * kSlice, 4);
}

}  // namespace

TEST_CASE("Energy of unicast by hand, at", "[decode][energy]") {
  unicast(TimingMode::kAt);
}
TEST_CASE("Energy of unicast by hand, lt", "[decode][energy]") {
  unicast(TimingMode::kLt);
}
TEST_CASE("Energy of multicast by hand, at", "[decode][energy]") {
  multicast(TimingMode::kAt);
}
TEST_CASE("Energy of multicast by hand, lt", "[decode][energy]") {
  multicast(TimingMode::kLt);
}

TEST_CASE("Homes farther from memory's edge have longer wires to it", "[decode][energy]") {
  auto config = hand_case("takv_only", TimingMode::kLt, 4);
  config.energy = primes();
  // Four slices of each segment, whose homes stand in rows 0 to 3: 1, 3, 5 and 7 halves of a row.
  REQUIRE(run(config).metrics["energy"]["memory_wire_pj"] ==
          4.0 * (1 + 3 + 5 + 7) * kSlice * kBits * 2 * 3 / 2);
}

TEST_CASE("What spills to DDR4 is paid for as DDR4", "[decode][energy]") {
  auto config = hand_case("takv_only", TimingMode::kLt);
  config.memory.hbm_bytes = 0;
  config.energy = primes();
  const auto metrics = run(config).metrics;
  REQUIRE(metrics["memory"]["hbm_bytes"] == 0);
  const double rows = metrics["memory"]["ddr_activations"].get<double>();
  REQUIRE(rows > 0);
  REQUIRE(metrics["energy"]["memory_pj"] == 4.0 * kSlice * kBits * 23 + rows * 29);
}

TEST_CASE("The energy of several streams and steps is shared between their tokens", "[decode][energy]") {
  auto config = hand_case("meshkv", TimingMode::kLt);
  config.decode.streams = 2;
  config.decode.steps = 3;
  const auto e = run(config).metrics["energy"];
  REQUIRE(e["pj_per_token"].get<double>() == Approx(e["total_pj"].get<double>() / 6));
}

TEST_CASE("Energy has the parts that were simulated", "[energy]") {
  platform::EnergyEvents links;
  links.links = platform::LinkEvents{1, 0, 0};
  const auto mesh = platform::energy_metrics(primes(), 64, links);
  REQUIRE(mesh ==
          platform::Json{{"link_pj", 64 * 2 * 3}, {"router_pj", 2 * 64 * 7}, {"total_pj", 384 + 896}});
  platform::EnergyEvents rows;
  rows.ddr = platform::DramEvents{1, 1};
  REQUIRE(platform::energy_metrics(primes(), 64, rows) ==
          platform::Json{{"memory_pj", 8 * 23 + 29}, {"total_pj", 8 * 23 + 29}});
}
