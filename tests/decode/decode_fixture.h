// A small decode workload whose figures can be computed by hand.
#pragma once

#include "platform/chip/run_decode.h"

namespace meshkv::test {

class SilentProgress : public platform::ProgressSink {
 public:
  void update(Cycle, double) override {}
};

/// 4x4 mesh, one layer, 8 heads of 32 elements, two of them a line, 16 tokens a segment: a slice is
/// 2 * 16 * 2 * 32 * 2 / 64 = 64 flits. half_copies puts head 2g at (g, 0) and head 2g+1 at (g, 1) in the
/// upper half, and two rows further down in the lower one; a = 5 gives home(0, s) = (0, s mod 4).
inline platform::RunConfig hand_case(const char* preset, TimingMode mode, long segments = 1) {
  platform::RunConfig config;
  config.name = "hand";
  config.mode = mode;
  config.noc.mesh = {4, 4};
  platform::apply_preset(config, preset);
  workload::ModelShape& model = config.decode.model;
  model.name = "hand";
  model.layers = 1;
  model.heads = model.kv_heads = 8;
  model.head_dim = 32;
  model.window_tokens = {0};
  config.decode.layout = {16, 2, 16};
  config.decode.context_tokens = 16 * segments;
  return config;
}

inline platform::SimulationResult run(const platform::RunConfig& config) {
  SilentProgress progress;
  return platform::run_decode(config, progress);
}

}  // namespace meshkv::test
