// The reference points R1 to R8 of a cycle-level DRAM simulator, three seeds each, within 10 %.
#include <catch2/catch.hpp>
#include <memory>

#include "models/memory/memory_workload.h"

using namespace meshkv;
using namespace meshkv::memory;

namespace {

struct Means {
  double fraction = 0.0, latency_ns = 0.0, p50_ns = 0.0, slice_us = 0.0;
};

/// Three seeds in one simulation.
Means measure(MemoryWorkloadConfig config, TimingMode mode) {
  std::vector<std::unique_ptr<MemoryWorkload>> runs;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    config.seed = seed;
    runs.push_back(std::make_unique<MemoryWorkload>(("seed_" + std::to_string(seed)).c_str(), config, mode));
  }
  sc_core::sc_start();
  Means m;
  for (const auto& run : runs) {
    const MemoryWorkloadResult r = run->result();
    m.fraction += r.bandwidth_fraction / 3;
    m.latency_ns += r.mean_latency_ns / 3;
    m.p50_ns += r.p50_latency_ns / 3;
    m.slice_us += r.slice_period_ns / 3000;
    CHECK(run->idle());
  }
  return m;
}

MemoryWorkloadConfig r1() {
  return {};
}
MemoryWorkloadConfig r2() {
  MemoryWorkloadConfig c;
  c.readers = c.channels = 32;
  c.measure_cycles = 20000;
  return c;
}
MemoryWorkloadConfig r6() {
  MemoryWorkloadConfig c;
  c.readers = 16;
  c.access_bytes = 512;
  c.slice_bytes = 32768;
  return c;
}
MemoryWorkloadConfig r8() {
  MemoryWorkloadConfig c = r6();
  c.channels = 32;
  c.channel_policy = ChannelPolicy::kRandomPerSlice;
  c.measure_cycles = 40000;
  return c;
}

Approx within(double reference) {
  return Approx(reference).epsilon(0.10);
}

}  // namespace

TEST_CASE("R1 in at: one pseudo-channel, sequential", "[memory][points]") {
  CHECK(measure(r1(), TimingMode::kAt).fraction == within(0.919));
}
TEST_CASE("R1 in lt", "[memory][points]") {
  CHECK(measure(r1(), TimingMode::kLt).fraction == within(0.919));
}
TEST_CASE("R2 in at: 32 pseudo-channels, sequential", "[memory][points]") {
  CHECK(measure(r2(), TimingMode::kAt).fraction == within(0.920));
}
TEST_CASE("R2 in lt", "[memory][points]") {
  CHECK(measure(r2(), TimingMode::kLt).fraction == within(0.920));
}
TEST_CASE("R3 in at: dependent random 64 B reads", "[memory][points]") {
  MemoryWorkloadConfig c;
  c.pattern = AccessPattern::kChase;
  const Means m = measure(c, TimingMode::kAt);
  CHECK(m.fraction == within(0.081));
  CHECK(m.latency_ns == within(53.8));
  CHECK(m.p50_ns == within(51.1));
}
TEST_CASE("R4 in at: sequential at half the peak", "[memory][points]") {
  MemoryWorkloadConfig c;
  c.offered_fraction = 0.5;
  c.window_bytes = 1 << 20;
  const Means m = measure(c, TimingMode::kAt);
  CHECK(m.fraction == within(0.5));
  CHECK(m.latency_ns == within(48.8));
}
TEST_CASE("R5 in at: random 64 B reads, 16 outstanding", "[memory][points]") {
  MemoryWorkloadConfig c;
  c.pattern = AccessPattern::kRandom;
  c.window_bytes = 1024;
  const Means m = measure(c, TimingMode::kAt);
  CHECK(m.fraction == within(0.433));
  CHECK(m.latency_ns == within(163));
}
TEST_CASE("R6 in at: 16 readers of slices in one pseudo-channel", "[memory][points]") {
  const Means m = measure(r6(), TimingMode::kAt);
  CHECK(m.fraction == within(0.910));
  CHECK(m.latency_ns == within(289));
  CHECK(m.slice_us == within(40.0));
}
TEST_CASE("R6 in lt", "[memory][points]") {
  const Means m = measure(r6(), TimingMode::kLt);
  CHECK(m.fraction == within(0.910));
  CHECK(m.latency_ns == within(289));
  CHECK(m.slice_us == within(40.0));
}
TEST_CASE("R7 in at: 70/30 reads and writes", "[memory][points]") {
  MemoryWorkloadConfig c = r6();
  c.slice_bytes = 16384;
  c.read_fraction = 0.7;
  CHECK(measure(c, TimingMode::kAt).fraction == within(0.901));
}
TEST_CASE("R8 in at: 16 readers, each slice in a random pseudo-channel", "[memory][points]") {
  const Means m = measure(r8(), TimingMode::kAt);
  CHECK(m.fraction == within(0.330));
  CHECK(m.slice_us == within(3.45));
}
TEST_CASE("R8 in lt", "[memory][points]") {
  const Means m = measure(r8(), TimingMode::kLt);
  CHECK(m.fraction == within(0.330));
  CHECK(m.slice_us == within(3.45));
}

TEST_CASE("A 4 KiB stride of 32 bytes is bound by tRC", "[memory][points]") {
  MemoryWorkloadConfig c;
  c.pattern = AccessPattern::kStride;
  c.access_bytes = 32;
  CHECK(measure(c, TimingMode::kAt).fraction * 14.4 == within(2.42));
}

TEST_CASE("Whatever is wrong with a memory workload is said at once", "[memory]") {
  MemoryWorkloadConfig c;
  CHECK(problems(c).empty());
  c.readers = 0;
  c.window_bytes = 32;
  c.slice_bytes = 100;
  c.channel_policy = ChannelPolicy::kRandomPerSlice;
  CHECK(problems(c).size() == 3);
  REQUIRE_THROWS_WITH(MemoryWorkload("w", c, TimingMode::kAt), Catch::Contains("workload.readers"));
}
