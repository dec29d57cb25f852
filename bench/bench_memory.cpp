#include <array>
#include <ctime>
#include <iomanip>
#include <iostream>
#include <memory>
#include <systemc>
#include <vector>

#include "bench/bench.h"
#include "bench/in_child.h"
#include "models/memory/kv_sram.h"
#include "models/memory/memory_system.h"
#include "models/memory/memory_workload.h"

namespace meshkv::bench {
namespace {

using namespace memory;

/// CPU seconds that DRAMsim3 needs to read 1 GiB through 32 pseudo-channels on a machine like ours.
constexpr double kDramSim3Seconds = 110.0;

struct Sample {
  double cpu_s = 0.0;
  double units = 0.0;  ///< bytes, or fills
  double rate = 0.0;   ///< simulated GB/s
};

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// 32 readers of 32 KB slices, as fast as it goes, for long enough to read about 1 GiB.
Sample read_slices(TimingMode mode, std::uint32_t access_bytes, ChannelPolicy policy) {
  MemoryWorkloadConfig config;
  config.readers = config.channels = 32;
  config.slice_bytes = 32768;
  config.access_bytes = access_bytes;
  config.window_bytes = std::max<std::uint32_t>(access_bytes * 2, 4096);
  config.channel_policy = policy;
  config.warmup_cycles = 0;
  config.measure_cycles = 760000;
  const double begin = cpu_seconds();
  MemoryWorkload workload("memory", config, mode);
  const MemoryWorkloadResult r = workload.run();
  return {cpu_seconds() - begin, static_cast<double>(r.bytes), r.bandwidth_gbs};
}

/// The fills of one LLaMA-2-7B step at 32768 tokens: 16 GiB in chunks of 4 KB into the KV SRAMs of 64 tiles,
/// lt.
Sample fill_srams() {
  struct Client : KvSramClient {
    void on_chunk_ready(const ChunkKey&, Cycle) override {}
    void on_room(Cycle) override {}
  } client;
  const double begin = cpu_seconds();
  const MemoryConfig config;
  MemoryMapShape shape;
  shape.segments_per_layer.assign(32, 512);
  shape.groups_per_block = 16;
  shape.slice_bytes = 65536;
  const MemoryMap map(config, shape);
  std::vector<int> columns;
  for (int i = 0; i < 64; ++i) columns.push_back(i % 8);
  MemorySystem system(config, map, 8, columns);
  MemoryPortConfig port_config;
  port_config.clock_period = sc_core::sc_time(10.0 / 3.0, sc_core::SC_NS);
  port_config.mode = TimingMode::kLt;
  std::vector<std::unique_ptr<MemoryPort>> ports;
  std::vector<std::unique_ptr<KvSram>> srams;
  for (int i = 0; i < 64; ++i) {
    ports.push_back(std::make_unique<MemoryPort>(("port_" + std::to_string(i)).c_str(), port_config));
    system.bind(*ports.back());
    srams.push_back(
        std::make_unique<KvSram>(("sram_" + std::to_string(i)).c_str(), KvSramConfig{}, *ports.back()));
    srams.back()->set_client(&client);
  }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // elaboration
  double fills = 0;
  for (int layer = 0; layer < 32; ++layer)
    for (std::uint32_t segment = 0; segment < 512; ++segment) {
      const std::size_t tile =
          static_cast<std::size_t>(layer % 8) + 8 * ((9U * static_cast<unsigned>(layer) + segment) % 8);
      const Cycle now = sc_core::sc_time_stamp().value() / port_config.clock_period.value();
      for (int group = 0; group < 16; ++group)
        for (std::uint32_t chunk = 0; chunk < 16; ++chunk, ++fills) {
          const ChunkKey key{segment, static_cast<std::uint16_t>(layer), static_cast<std::uint16_t>(group),
                             chunk};
          srams[tile]->request(key, map.locate(layer, segment, group, chunk * 4096).address, 4096, now);
          const Cycle ready = srams[tile]->ready_cycle(key);
          srams[tile]->pin(key, ready);
          srams[tile]->unpin(key, ready + 64);
        }
      if (segment % 8 == 7) sc_core::sc_start(port_config.clock_period * 2000);
    }
  return {cpu_seconds() - begin, fills, 0.0};
}

struct Row {
  const char* what;
  TimingMode mode;
  std::uint32_t access_bytes;
  ChannelPolicy policy;
};

}  // namespace

int bench_memory(std::ostream& out) {
  constexpr double kGiB = 1 << 30;
  const std::array<Row, 8> rows = {{
      {"at, slices of 32 KB whole", TimingMode::kAt, 32768, ChannelPolicy::kPinned},
      {"at, in random channels", TimingMode::kAt, 32768, ChannelPolicy::kRandomPerSlice},
      {"at, by 4 KB", TimingMode::kAt, 4096, ChannelPolicy::kPinned},
      {"at, by 512 B", TimingMode::kAt, 512, ChannelPolicy::kPinned},
      {"lt, slices of 32 KB whole", TimingMode::kLt, 32768, ChannelPolicy::kPinned},
      {"lt, in random channels", TimingMode::kLt, 32768, ChannelPolicy::kRandomPerSlice},
      {"lt, by 4 KB", TimingMode::kLt, 4096, ChannelPolicy::kPinned},
      {"lt, by 512 B", TimingMode::kLt, 512, ChannelPolicy::kPinned},
  }};
  out << "Reading through 32 pseudo-channels in slices of 32 KB, host CPU time. DRAMsim3 needs about "
      << kDramSim3Seconds << " s a GiB.\n";
  out << std::left << std::setw(30) << "  run" << std::right << std::setw(12) << "s / GiB" << std::setw(14)
      << "simulated" << std::setw(14) << "DRAMsim3 /\n";
  bool fine = true;
  for (const Row& row : rows) {
    Sample s;
    if (!in_child(
            "bench memory", [&] { return read_slices(row.mode, row.access_bytes, row.policy); }, s)) {
      out << "  " << row.what << ": failed\n";
      fine = false;
      continue;
    }
    const double per_gib = s.cpu_s * kGiB / s.units;
    out << "  " << std::left << std::setw(28) << row.what << std::right << std::fixed << std::setprecision(4)
        << std::setw(12) << per_gib << std::setprecision(1) << std::setw(9) << s.rate << " GB/s"
        << std::setprecision(0) << std::setw(13) << kDramSim3Seconds / per_gib << '\n';
  }
  Sample s;
  if (in_child("bench memory", fill_srams, s))
    out << "The " << std::setprecision(0) << s.units
        << " fills of a whole step (16 GiB, lt), four look-ups each: " << std::setprecision(2) << s.cpu_s
        << " s, " << std::setprecision(0) << s.cpu_s / s.units * 1e9 << " ns a fill\n";
  else
    fine = false;
  return fine ? 0 : 1;
}

}  // namespace meshkv::bench
