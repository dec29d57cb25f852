#include "platform/chip/sample_metrics.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstdio>

namespace meshkv::platform {

namespace {

/// Shares of DDR4 in what the sample and in what the whole step reads.
std::pair<double, double> ddr_shares(const RunConfig& config, const Chip& chip) {
  workload::DecodeConfig whole = config.decode;
  whole.sampled_layers.clear();
  whole.sampled_segment_from = 0;
  whole.sampled_segment_to = -1;
  const auto share = [&chip](const workload::SegmentTable& table) {
    double tokens = 0, ddr = 0;
    for (int layer : table.layers()) {
      for (const workload::NeededSegment& segment : table.needed(layer)) {
        tokens += segment.tokens;
        if (!chip.map.in_hbm(layer, static_cast<std::uint32_t>(segment.slot))) ddr += segment.tokens;
      }
    }
    return tokens == 0 ? 0.0 : ddr / tokens;
  };
  return {share(chip.plan.segments()), share(workload::SegmentTable(whole))};
}

}  // namespace

Json sample_metrics(const RunConfig& config, const Chip& chip, Cycle end) {
  const workload::SegmentTable& table = chip.plan.segments();
  std::size_t segments = 0, all = 0;
  for (int layer : table.layers()) {
    segments += table.needed(layer).size();
    all += table.needed_unsampled(layer);
  }
  std::vector<double> whole_layers;
  for (const auto& t : chip.coordinator.layer_times()) {
    const double factor = static_cast<double>(table.needed_unsampled(t.layer)) /
                          static_cast<double>(std::max<std::size_t>(1, table.needed(t.layer).size()));
    whole_layers.push_back(static_cast<double>(t.end - t.begin) * factor);
  }
  const double layers = config.decode.model.layers;
  const auto n = static_cast<double>(whole_layers.size());
  double mean = 0, squares = 0;
  for (double c : whole_layers) mean += c / n;
  for (double c : whole_layers) squares += (c - mean) * (c - mean);
  const double step = mean * layers;
  const double hz = config.clock_mhz * 1e6;

  Json s;
  s["layers"] = table.layers().size();
  s["layers_of_model"] = config.decode.model.layers;
  s["segments"] = segments;
  s["segments_of_these_layers"] = all;
  s["cycles"] = end;
  s["extrapolated_cycles_per_step"] = step;
  s["extrapolated_tokens_per_second"] = config.decode.streams * hz / step;
  const double simulated = static_cast<double>(table.layers().size());
  if (n >= 2) {
    const double t = boost::math::quantile(boost::math::students_t(n - 1), 0.975);
    const double finite = std::sqrt(std::max(0.0, 1.0 - simulated / layers));
    const double half = layers * t * std::sqrt(squares / (n - 1) / n) * finite;
    s["cycles_per_step_ci95"] = half;
    s["tokens_per_second_low"] = config.decode.streams * hz / (step + half);
    if (half < step) s["tokens_per_second_high"] = config.decode.streams * hz / (step - half);
  }
  return s;
}

std::string sample_bias(const RunConfig& config, const Chip& chip) {
  const auto [sample, step] = ddr_shares(config, chip);
  if (std::abs(sample - step) < 0.02) return {};
  char text[160];
  std::snprintf(text, sizeof text,
                "the sample reads %.0f %% of its blocks from DDR4, the whole step %.0f %%: extrapolated "
                "figures are off",
                100 * sample, 100 * step);
  return text;
}

}  // namespace meshkv::platform
