#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "models/memory/channel_scheduler.h"

using namespace meshkv::memory;

namespace {

/// Runs one access to its end; returns the clocks from its arrival.
Clk latency(ChannelScheduler& s, std::uint64_t address, std::uint64_t bytes, Clk at) {
  s.submit(0, address, bytes, false, at);
  std::vector<ChannelScheduler::Done> done;
  while (s.next() != ChannelScheduler::kNoClk) s.advance(s.next(), done);
  REQUIRE(done.size() == 1);
  REQUIRE(done[0].entered == at);
  return done[0].done - at;
}

/// Serves `count` reads that are all there at once. Returns when the last is done.
Clk serve(const DramTiming& timing, int count, std::uint64_t bytes, std::uint64_t stride) {
  ChannelScheduler s(timing);
  std::vector<ChannelScheduler::Done> done;
  for (int i = 0; i < count; ++i)
    s.submit(static_cast<std::uint32_t>(i), static_cast<std::uint64_t>(i) * stride, bytes, false, 0);
  while (s.next() != ChannelScheduler::kNoClk) s.advance(s.next(), done);
  REQUIRE(done.size() == static_cast<std::size_t>(count));
  Clk last = 0;
  for (const auto& d : done) last = std::max(last, d.done);
  return last;
}

DramTiming without_refresh() {
  DramTiming t;
  t.refi = 1 << 30;
  return t;
}

}  // namespace

TEST_CASE("Idle latencies of 64 bytes: closed 33, hit 18, miss 46 memory clocks", "[memory]") {
  ChannelScheduler s(DramTiming::hbm2());
  CHECK(latency(s, 0, 64, 100) == 33);      // 36.7 ns
  CHECK(latency(s, 128, 64, 300) == 18);    // 20.0 ns
  CHECK(latency(s, 16384, 64, 500) == 46);  // 51.1 ns: same banks, next row
  CHECK(latency(s, 16384, 64, 700) == 18);
  CHECK(latency(s, 0, 64, 4000) == 33);  // a refresh has closed the row
}

TEST_CASE("A stream of row hits moves a burst every two clocks, across rows and banks", "[memory]") {
  const DramTiming t = without_refresh();
  const Clk first = serve(t, 1, 4096, 0);
  CHECK(serve(t, 1, 65536, 0) == first + 15 * 128 * t.burst_clocks);
  CHECK(serve(t, 64, 1024, 1024) == serve(t, 1, 65536, 0));
}

TEST_CASE("One bank group alone goes at tCCD_L", "[memory]") {
  const DramTiming t = without_refresh();
  // 32 bytes every 128: always bank group 0.
  CHECK(serve(t, 32, 32, 128) - serve(t, 1, 32, 128) == 31 * t.ccd_l);
}

TEST_CASE("Rows of one bank follow each other at tRC", "[memory]") {
  const DramTiming t = without_refresh();
  CHECK(serve(t, 21, 32, 16384) - serve(t, 1, 32, 0) == 20 * t.rc);
}

TEST_CASE("No more than four activations in tFAW, none closer than tRRD", "[memory]") {
  DramTiming t = without_refresh();
  // 16 banks, one burst in each: the 16 activations cannot be done sooner.
  const auto sixteen_banks = [](const DramTiming& timing) {
    ChannelScheduler s(timing);
    std::vector<ChannelScheduler::Done> done;
    for (std::uint32_t i = 0; i < 16; ++i) s.submit(i, (i / 4) * 4096 + (i % 4) * 32, 32, false, 0);
    while (s.next() != ChannelScheduler::kNoClk) s.advance(s.next(), done);
    Clk last = 0;
    for (const auto& d : done) last = std::max(last, d.done);
    return last;
  };
  const Clk tail = 1 + t.rcd + t.cl + t.burst_clocks;
  CHECK(sixteen_banks(t) >= 15 * t.rrd_s + tail);
  t.faw = 60;
  CHECK(sixteen_banks(t) >= 3 * t.faw + tail);
  CHECK(sixteen_banks(t) <= 3 * t.faw + 3 * t.rrd_l + tail);
}

TEST_CASE("Refresh takes its share of a stream, and no more", "[memory]") {
  const DramTiming t;
  const std::uint64_t bytes = 1 << 20;
  const auto data = static_cast<double>(bytes) / t.burst_bytes * t.burst_clocks;
  const double fraction = data / static_cast<double>(serve(t, 32, 32768, 32768));
  CHECK(fraction < 1.0 - static_cast<double>(t.rfc) / t.refi);
  CHECK(fraction > 0.91);
}

TEST_CASE("Writes are posted, drained in batches, and cost turnarounds", "[memory]") {
  ChannelScheduler s(DramTiming::hbm2());
  std::vector<ChannelScheduler::Done> done;
  s.submit(7, 0, 512, true, 10);
  s.advance(10, done);
  REQUIRE(done.size() == 1);
  CHECK(done[0].id == 7);
  CHECK(done[0].done == 10 + 31);  // 16 bursts come in
  for (std::uint32_t i = 0; i < 64; ++i) s.submit(100 + i, 4096 + i * 512, 512, i % 4 == 0, 20);
  while (s.next() != ChannelScheduler::kNoClk) s.advance(s.next(), done);
  CHECK(done.size() == 65);
  CHECK(s.pending_bursts() == 0);
  CHECK(s.statistics().write_bursts == 17 * 16);
  CHECK(s.statistics().read_bursts == 48 * 16);
  CHECK(s.statistics().turnarounds >= 2);
  CHECK(s.statistics().turnarounds <= 20);  // not one a write
}

TEST_CASE("Every access is answered once, whatever comes", "[memory]") {
  const DramTiming timing = GENERATE(DramTiming::hbm2(), DramTiming::ddr4());
  ChannelScheduler s(timing);
  std::mt19937 random(3);
  std::vector<ChannelScheduler::Done> done;
  std::map<std::uint32_t, Clk> sent;
  Clk now = 0;
  for (std::uint32_t id = 0; id < 20000; ++id) {
    const std::uint64_t bytes = random() % 3 == 0 ? 1 + random() % 9000 : 1 + random() % 200;
    s.submit(id, random() % (1U << 22), bytes, random() % 3 == 0, now);
    sent[id] = now;
    if (random() % 2 == 0) now += random() % 400;
    if (random() % 500 == 0) now += 50000;
    s.advance(now, done);
  }
  while (s.next() != ChannelScheduler::kNoClk) s.advance(s.next(), done);
  REQUIRE(done.size() == sent.size());
  for (const auto& d : done) {
    REQUIRE(sent.count(d.id) == 1);
    REQUIRE(d.entered >= sent[d.id]);
    REQUIRE(d.done > d.entered);
    sent.erase(d.id);
  }
  REQUIRE(s.pending_bursts() == 0);
}

TEST_CASE("Busy time is waiting and moving data, not idling", "[memory]") {
  const DramTiming t = without_refresh();
  ChannelScheduler s(t);
  std::vector<ChannelScheduler::Done> done;
  for (std::uint32_t i = 0; i < 10; ++i) {
    s.submit(i, 4096 * i, 4096, false, 10000 * i);
    while (s.next() != ChannelScheduler::kNoClk) s.advance(s.next(), done);
  }
  // Ten times 128 bursts with the opening of a row, a tenth of it not yet counted.
  const auto data = static_cast<std::uint64_t>(128 * t.burst_clocks);
  CHECK(s.statistics().busy_clocks >= 9 * data);
  CHECK(s.statistics().busy_clocks <= 10 * (data + 60));
}
