// `vp bench ...`: host time per unit of simulated work, next to that of the simulators we compare with.
#pragma once

#include <ostream>

namespace meshkv::bench {

/// 1 GiB through 32 pseudo-channels, and the fills of a whole decode step. Returns 0, or 1 if a run went
/// wrong.
int bench_memory(std::ostream& out);

/// The mesh alone: simulated cycles and flit-hops a second, memory, kernel activations and calls. Returns 0,
/// or 1 if a run went wrong.
int bench_noc(std::ostream& out);

/// Instructions a second of one hart and of eight, and what a poll of a register costs. Returns 0, or 1 if a
/// run went wrong.
int bench_firmware(std::ostream& out);

}  // namespace meshkv::bench
