#pragma once

namespace meshkv::pad {

struct PadConfig {
  bool enabled = true;      ///< false: fetch a segment, then Tm, then Rd, then the next fetch
  int fifo_flits = 48;      ///< F of section VII, between Pf and Tm and between Tm and Rd
  int macs_per_cycle = 90;  ///< multiply-accumulates a cycle and tile: 5760 DSP48E2 over 64 tiles (Table III)
  int outstanding_per_stream = 1;
  int outstanding_per_tile = 2;
  int home_credits = 2;  ///< C_pi: fetches that one requester may have unserved at one home
};

}  // namespace meshkv::pad
