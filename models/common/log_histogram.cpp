#include "models/common/log_histogram.h"

#include <algorithm>
#include <cmath>

namespace meshkv {

// Values below 2^(kBits + 1) have bins of their own; above, each octave has 2^kBits bins.
std::size_t LogHistogram::index(std::uint64_t value) {
  if (value >> (kBits + 1) == 0) return static_cast<std::size_t>(value);
  const auto octave = static_cast<unsigned>(63 - __builtin_clzll(value)) - kBits;
  return (static_cast<std::size_t>(octave) << kBits) + static_cast<std::size_t>(value >> octave);
}

std::uint64_t LogHistogram::lowest(std::size_t index) {
  if (index >> (kBits + 1) == 0) return index;
  const std::size_t octave = (index >> kBits) - 1;
  return static_cast<std::uint64_t>(index - (octave << kBits)) << octave;
}

void LogHistogram::add(std::uint64_t value, std::uint64_t times) {
  if (times == 0) return;
  const std::size_t i = index(value);
  if (i >= counts_.size()) counts_.resize(i + 1, 0);
  counts_[i] += times;
  count_ += times;
  sum_ += static_cast<double>(value) * static_cast<double>(times);
  max_ = std::max(max_, value);
}

LogHistogram& LogHistogram::operator+=(const LogHistogram& other) {
  if (other.counts_.size() > counts_.size()) counts_.resize(other.counts_.size(), 0);
  for (std::size_t i = 0; i < other.counts_.size(); ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  max_ = std::max(max_, other.max_);
  return *this;
}

double LogHistogram::mean() const {
  return count_ == 0 ? 0.0 : sum_ / static_cast<double>(count_);
}

std::uint64_t LogHistogram::percentile(double p) const {
  const auto rank =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(p * static_cast<double>(count_))));
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    sum += counts_[i];
    if (sum >= rank) return std::min(max_, lowest(i + 1) - 1);
  }
  return max_;
}

std::vector<LogHistogram::Bin> LogHistogram::bins() const {
  std::vector<Bin> bins;
  for (std::size_t i = 0; i < counts_.size(); ++i)
    if (counts_[i] != 0) bins.push_back({lowest(i), lowest(i + 1) - 1, counts_[i]});
  return bins;
}

}  // namespace meshkv
