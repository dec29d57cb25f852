// The table of picojoules, each with its source (docs/energy.md).
#include "platform/scenario/parameter_builder.h"

namespace meshkv::platform {

using namespace declare;

std::vector<Parameter> energy_parameters() {
  constexpr double kMost = 1e9;
  const char* const horowitz = "Horowitz, ISSCC 2014, fig. 1.1.9: 45 nm";
  const char* const oconnor = "O'Connor et al., MICRO 2017, table 3: HBM2";
  return {
      real("energy.wire_pj_per_bit_mm", "pJ/bit/mm", 0, kMost, MESHKV_FIELD(energy.wire_pj_per_bit_mm),
           {"A bit over a millimetre of link",
            "Keckler et al., IEEE Micro 31(5), 2011, table 1: 310 pJ for 256 bits over 10 mm, 40 nm"}),
      real("energy.link_mm", "mm", 0, 1000, MESHKV_FIELD(energy.link_mm),
           {"Length of a router-to-router link",
            "our estimate: 64 tiles on about 400 mm2 of FPGA; nobody publishes it"}),
      real("energy.local_link_mm", "mm", 0, 1000, MESHKV_FIELD(energy.local_link_mm),
           {"Length of an injection or ejection link", "our estimate: half a tile"}),
      real("energy.buffer_pj_per_bit", "pJ/bit", 0, kMost, MESHKV_FIELD(energy.buffer_pj_per_bit),
           {"A bit written into a FIFO of a router or of Pad, or read from it (a block RAM of 4.5 KB on the "
            "card): 10 pJ for 64 bits of an 8 KB SRAM",
            horowitz}),
      real("energy.sram_pj_per_bit", "pJ/bit", 0, kMost, MESHKV_FIELD(energy.sram_pj_per_bit),
           {"A bit written into the KV SRAM or read from it (UltraRAMs of 36 KB): 20 pJ for 64 bits of a "
            "32 KB SRAM",
            horowitz}),
      real("energy.mac_pj", "pJ", 0, kMost, MESHKV_FIELD(energy.mac_pj),
           {"A multiply-accumulate: binary16 product 1.1 pJ, binary32 sum 0.9 pJ", horowitz}),
      real("energy.hbm_pj_per_bit", "pJ/bit", 0, kMost, MESHKV_FIELD(energy.hbm_pj_per_bit),
           {"A bit between an open row of HBM2 and the chip: 1.51 to the global sense amplifiers, 1.17 "
            "beyond, "
            "0.80 I/O",
            oconnor}),
      real("energy.hbm_activation_pj", "pJ", 0, kMost, MESHKV_FIELD(energy.hbm_activation_pj),
           {"An activation of a 1 KB row of HBM2", oconnor}),
      real("energy.ddr_pj_per_bit", "pJ/bit", 0, kMost, MESHKV_FIELD(energy.ddr_pj_per_bit),
           {"A bit of DDR4, activations included: the lower end of 1.3 to 2.6 nJ for 64 bits", horowitz}),
      real(
          "energy.ddr_activation_pj", "pJ", 0, kMost, MESHKV_FIELD(energy.ddr_activation_pj),
          {"An activation of a row of DDR4, where energy.ddr_pj_per_bit does not include it", "0: included"}),
  };
}

}  // namespace meshkv::platform
