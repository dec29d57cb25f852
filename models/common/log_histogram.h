// Counts of values with a relative resolution of 1/32, whatever their range: exact below 64. Plain C++.
#pragma once

#include <cstdint>
#include <vector>

namespace meshkv {

class LogHistogram {
 public:
  void add(std::uint64_t value, std::uint64_t times = 1);
  LogHistogram& operator+=(const LogHistogram& other);

  std::uint64_t count() const { return count_; }
  double mean() const;
  std::uint64_t max() const { return max_; }
  /// The largest value of the bin in which the sample of rank ceil(p * count) lies, but no more than max();
  /// 0 without samples.
  std::uint64_t percentile(double p) const;

  struct Bin {
    std::uint64_t from, to;  ///< both included
    std::uint64_t count;
  };
  /// The bins that are not empty, in order.
  std::vector<Bin> bins() const;

 private:
  static constexpr unsigned kBits = 5;
  static std::size_t index(std::uint64_t value);
  static std::uint64_t lowest(std::size_t index);
  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  std::uint64_t max_ = 0;
  double sum_ = 0;
};

}  // namespace meshkv
