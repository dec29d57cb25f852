// DRAM timing in memory clocks, and the geometry of one channel.
#pragma once

#include <cstdint>

namespace meshkv::memory {

/// Memory clock cycles since the start of simulation.
using Clk = std::int64_t;

/// Defaults: one HBM2 pseudo-channel of a U280 at 900 MHz. JEDEC names: tRCD is `rcd`, and so on.
struct DramTiming {
  double clock_ns = 10.0 / 9.0;
  int burst_bytes = 32;
  int burst_clocks = 2;  ///< BL / 2: the data bus is taken for so long
  int banks = 16;
  int bank_groups = 4;
  int row_bytes = 1024;
  int cl = 13, cwl = 4;
  int rcd = 13, rp = 13, ras = 31, rc = 44;
  int rfc = 234, refi = 3510;
  int ccd_s = 2, ccd_l = 4;
  int rrd_s = 4, rrd_l = 6;
  int faw = 15;
  int wr = 15, wtr_s = 6, wtr_l = 8, rtp = 5;
  int rtr = 2;  ///< bubble between a read's and a write's data

  double peak_gbs() const { return burst_bytes / (burst_clocks * clock_ns); }
  static DramTiming hbm2() { return {}; }
  /// DDR4-2400, one 64-bit channel.
  static DramTiming ddr4() {
    DramTiming t;
    t.clock_ns = 0.83;
    t.burst_bytes = 64;
    t.burst_clocks = 4;
    t.row_bytes = 8192;
    t.cl = 17, t.cwl = 12;
    t.rcd = 17, t.rp = 17, t.ras = 39, t.rc = 56;
    t.rfc = 420, t.refi = 9360;
    t.ccd_s = 4, t.ccd_l = 6;
    t.rrd_s = 4, t.rrd_l = 6;
    t.faw = 26;
    t.wr = 18, t.wtr_s = 3, t.wtr_l = 9, t.rtp = 9;
    t.rtr = 1;
    return t;
  }
};

}  // namespace meshkv::memory
