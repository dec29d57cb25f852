#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <random>

#include "models/memory/dram_controller.h"
#include "models/memory/kv_sram.h"

using namespace meshkv;
using namespace meshkv::memory;

namespace {

// Not a global object: a run sets the time resolution, which must come before the first sc_time.
sc_core::sc_time fabric_period() {
  return sc_core::sc_time(10.0 / 3.0, sc_core::SC_NS);
}

struct Tile : KvSramClient {
  DramController controller;
  MemoryPort port;
  KvSram sram;
  std::deque<std::pair<ChunkKey, Cycle>> ready;
  int room = 0;

  explicit Tile(TimingMode mode, KvSramConfig config = {})
      : controller("hbm_0", controller_config()),
        port("port", port_config(mode)),
        sram("sram", config, port) {
    port.socket.bind(controller.socket);
    sram.set_client(this);
  }
  static DramControllerConfig controller_config() {
    DramControllerConfig c;
    c.channels = 4;
    return c;
  }
  static MemoryPortConfig port_config(TimingMode mode) {
    MemoryPortConfig c;
    c.clock_period = fabric_period();
    c.mode = mode;
    return c;
  }
  void on_chunk_ready(const ChunkKey& key, Cycle when) override { ready.emplace_back(key, when); }
  void on_room(Cycle) override { ++room; }
  bool request(std::uint32_t chunk, Cycle now, Want want = Want::kStream) {
    return sram.request(key(chunk), std::uint64_t{chunk} * 4096, 4096, now, want);
  }
  static ChunkKey key(std::uint32_t chunk) {
    ChunkKey k;
    k.segment = 3;
    k.chunk = chunk;
    return k;
  }
};

}  // namespace

TEST_CASE("A chunk becomes ready when memory has answered, in at", "[memory]") {
  Tile tile(TimingMode::kAt);
  REQUIRE(tile.request(0, 0));
  REQUIRE_FALSE(tile.sram.is_ready(Tile::key(0)));
  REQUIRE(tile.sram.ready_cycle(Tile::key(0)) == kNever);
  REQUIRE(tile.request(0, 0));  // on its way: a hit
  sc_core::sc_start();
  REQUIRE(tile.ready.size() == 1);
  REQUIRE(tile.sram.is_ready(Tile::key(0)));
  REQUIRE(tile.sram.ready_cycle(Tile::key(0)) == tile.ready[0].second);
  REQUIRE(tile.sram.statistics().fills == 1);
  REQUIRE(tile.sram.statistics().hits == 1);
  REQUIRE(tile.port.live_payloads() == 0);
}

TEST_CASE("In lt the cycle of readiness is known at once", "[memory]") {
  Tile tile(TimingMode::kLt);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  REQUIRE(tile.request(5, 1000));
  REQUIRE(tile.ready.size() == 1);
  REQUIRE(tile.sram.ready_cycle(Tile::key(5)) > 1000);
  REQUIRE_THROWS(tile.sram.pin(Tile::key(5), tile.sram.ready_cycle(Tile::key(5)) - 1));
  tile.sram.pin(Tile::key(5), tile.sram.ready_cycle(Tile::key(5)));
}

TEST_CASE("Nothing is read before it is filled", "[memory]") {
  Tile tile(TimingMode::kAt);
  REQUIRE_THROWS(tile.sram.pin(Tile::key(1), 10));
  tile.request(1, 0);
  REQUIRE_THROWS(tile.sram.pin(Tile::key(1), 10));
}

TEST_CASE("The window is 72 chunks, and refuses rather than drop what a stream waits for", "[memory]") {
  Tile tile(TimingMode::kLt);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  REQUIRE(tile.sram.capacity_chunks() == 72);
  for (std::uint32_t c = 0; c < 72; ++c) REQUIRE(tile.request(c, 0));
  REQUIRE_FALSE(tile.request(72, 0));
  REQUIRE(tile.room == 0);
  const Cycle when = 100000;
  tile.sram.pin(Tile::key(7), when);
  REQUIRE_FALSE(tile.request(72, 0));
  tile.sram.unpin(Tile::key(7), when + 64);
  REQUIRE(tile.room == 1);  // once per refusal that was not answered yet
  REQUIRE(tile.request(72, 0));
  REQUIRE_FALSE(tile.sram.is_ready(Tile::key(7)));
  REQUIRE(tile.sram.is_ready(Tile::key(72)));
  REQUIRE(tile.sram.statistics().evictions == 1);
  REQUIRE(tile.sram.statistics().unread_evictions == 0);
  REQUIRE_FALSE(tile.request(73, 0));
  tile.sram.abandon(Tile::key(72), 0);
  REQUIRE(tile.room == 2);
  REQUIRE(tile.request(73, 0));
  REQUIRE(tile.sram.statistics().unread_evictions == 1);
}

TEST_CASE("The least recently used chunk goes first; a pinned one stays", "[memory]") {
  Tile tile(TimingMode::kLt);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (std::uint32_t c = 0; c < 72; ++c) REQUIRE(tile.request(c, 0, Want::kPrefetch));
  tile.sram.pin(Tile::key(0), 100000);
  REQUIRE(tile.request(1, 0, Want::kPrefetch));  // used again
  REQUIRE(tile.request(100, 0));
  REQUIRE_FALSE(tile.sram.is_ready(Tile::key(2)));
  REQUIRE(tile.sram.is_ready(Tile::key(0)));
  REQUIRE(tile.sram.is_ready(Tile::key(1)));
  REQUIRE(tile.sram.resident_chunks() == 72);
}

TEST_CASE("A fill into a bank that is being read waits for the port", "[memory]") {
  KvSramConfig config;
  config.bytes = 4 * 4096;  // one chunk a bank
  Tile tile(TimingMode::kLt, config);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  REQUIRE(tile.request(0, 0, Want::kPrefetch));
  const Cycle first = tile.sram.ready_cycle(Tile::key(0));
  tile.sram.pin(Tile::key(0), first);  // its bank is read until first + 64
  tile.sram.unpin(Tile::key(0), first + 64);
  for (std::uint32_t c = 1; c < 4; ++c) REQUIRE(tile.request(c, 0));
  REQUIRE(tile.sram.statistics().bank_conflicts == 0);
  REQUIRE(tile.request(4, 0));  // evicts chunk 0: same bank, arrives at about the same time
  REQUIRE(tile.sram.statistics().bank_conflicts == 1);
  const Cycle conflict = tile.sram.statistics().conflict_cycles;
  REQUIRE(conflict > 0);
  REQUIRE(conflict <= 64);
}

TEST_CASE("The window finds every chunk under random use", "[memory]") {
  KvSramConfig config;
  config.keep_data = true;
  Tile tile(TimingMode::kLt, config);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  std::vector<unsigned char> bytes(4096);
  for (unsigned c = 0; c < 256; ++c) {
    bytes.assign(4096, static_cast<unsigned char>(c));
    tlm::tlm_generic_payload p;
    p.set_command(tlm::TLM_WRITE_COMMAND);
    p.set_address(std::uint64_t{c} * 4096);
    p.set_data_ptr(bytes.data());
    p.set_data_length(4096);
    REQUIRE(tile.port.socket->transport_dbg(p) == 4096);
  }
  std::mt19937 random(1);
  Cycle now = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::uint32_t c = random() % 256;
    REQUIRE(tile.request(c, now));
    const Cycle when = std::max(now, tile.sram.ready_cycle(Tile::key(c)));
    now = when;
    tile.sram.pin(Tile::key(c), when);
    REQUIRE(tile.sram.bytes(Tile::key(c))->data()[random() % 4096] == c);
    tile.sram.unpin(Tile::key(c), when);
    REQUIRE(tile.sram.resident_chunks() <= 72);
  }
  const KvSram::Statistics& s = tile.sram.statistics();
  REQUIRE(s.fills + s.hits == 20000);
  REQUIRE(s.fills - s.evictions == 72);
}
