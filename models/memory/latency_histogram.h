// Latencies in memory clocks, one bin a clock up to a limit: means and percentiles are exact below it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/memory/dram_timing.h"

namespace meshkv::memory {

class LatencyHistogram {
 public:
  static constexpr Clk kBins = 8192;
  void add(Clk latency) {
    if (bins_.empty()) bins_.resize(kBins);
    ++bins_[static_cast<std::size_t>(std::clamp<Clk>(latency, 0, kBins - 1))];
    ++count_;
    sum_ += static_cast<double>(latency);
  }
  void add(const LatencyHistogram& other) {
    if (other.bins_.empty()) return;
    if (bins_.empty()) bins_.resize(kBins);
    for (std::size_t i = 0; i < bins_.size(); ++i) bins_[i] += other.bins_[i];
    count_ += other.count_;
    sum_ += other.sum_;
  }
  std::uint64_t count() const { return count_; }
  /// Samples by clock; empty without samples.
  const std::vector<std::uint64_t>& bins() const { return bins_; }
  double mean() const { return count_ == 0 ? 0.0 : sum_ / static_cast<double>(count_); }
  /// The smallest latency that a share `p` (0 to 1] of the samples does not exceed; kBins - 1 stands for all
  /// above.
  Clk percentile(double p) const {
    auto left = static_cast<double>(count_) * p;
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      left -= static_cast<double>(bins_[i]);
      if (left <= 0.0 && bins_[i] != 0) return static_cast<Clk>(i);
    }
    return 0;
  }

 private:
  std::vector<std::uint64_t> bins_;
  std::uint64_t count_ = 0;
  double sum_ = 0.0;
};

}  // namespace meshkv::memory
