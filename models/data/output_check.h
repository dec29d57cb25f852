// Compares the attention of every head, stream, layer and step with the reference, and keeps the first thing
// that was wrong. No SystemC.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/data/attention_reference.h"
#include "models/data/attention_unit.h"

namespace meshkv::data {

/// Errors over a set of outputs.
struct ErrorFigures {
  double max_abs_error = 0;
  double sum_abs_error = 0;
  double bound = 0;  ///< the largest bound of the set; each output is held to its own
  double max_error_over_bound = 0;
  double max_format_error = 0;  ///< against the numbers before they were rounded to the cache's format
  double sum_format_error = 0;
  std::uint64_t numbers = 0;
  std::uint64_t order = 0;  ///< hash over the orders of arrival; equal orders make equal bits
  std::uint64_t bits = 0;   ///< hash over the outputs' bits
  void add(const ErrorFigures& other);
};

class OutputCheck {
 public:
  OutputCheck(const workload::DecodePlan& plan, AttentionReference& reference)
      : plan_(plan), reference_(reference) {}

  /// All that one reduce root merged in a layer.
  void results(int layer, const std::map<HeadKey, MergeUnit::Merged>& merged);
  /// Something is wrong; the first call is kept.
  void report(const std::string& what) {
    if (first_violation_.empty()) first_violation_ = what;
  }
  const std::string& first_violation() const { return first_violation_; }

  const std::map<HeadKey, ErrorFigures>& heads() const { return heads_; }
  ErrorFigures total() const;

 private:
  ErrorFigures compare(int layer, HeadKey head, const MergeUnit::Merged& merged, const ReferenceHead& should);

  const workload::DecodePlan& plan_;
  AttentionReference& reference_;
  std::map<HeadKey, ErrorFigures> heads_;
  std::string first_violation_;
};

}  // namespace meshkv::data
