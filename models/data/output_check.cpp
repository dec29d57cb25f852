#include "models/data/output_check.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "models/common/seed.h"
#include "models/data/number_format.h"

namespace meshkv::data {

void ErrorFigures::add(const ErrorFigures& o) {
  max_abs_error = std::max(max_abs_error, o.max_abs_error);
  sum_abs_error += o.sum_abs_error;
  bound = std::max(bound, o.bound);
  max_error_over_bound = std::max(max_error_over_bound, o.max_error_over_bound);
  max_format_error = std::max(max_format_error, o.max_format_error);
  sum_format_error += o.sum_format_error;
  numbers += o.numbers;
  // Sums: layers and columns end in an order that is the transport's business.
  order += o.order;
  bits += o.bits;
}

ErrorFigures OutputCheck::compare(int layer, HeadKey head, const MergeUnit::Merged& merged,
                                  const ReferenceHead& should) {
  const std::vector<float> is = merged.softmax.output();
  const std::uint64_t who =
      mix64((static_cast<std::uint64_t>(plan_.step()) << 32 | static_cast<std::uint64_t>(layer)));
  ErrorFigures f;
  f.bound = should.bound;
  f.numbers = is.size();
  f.order = mix64(merged.order ^ who);
  std::uint64_t bits = who;
  std::size_t worst = 0;
  double most = -1;
  for (std::size_t d = 0; d < is.size(); ++d) {
    const double error = std::abs(static_cast<double>(is[d]) - should.output[d]);
    const double format_error = std::abs(static_cast<double>(is[d]) - should.unrounded[d]);
    bits = mix64(bits ^ bits_of_float(is[d]));
    f.sum_abs_error += error;
    f.sum_format_error += format_error;
    f.max_format_error = std::max(f.max_format_error, format_error);
    if (error <= most) continue;  // a NaN is the worst of all
    most = std::isnan(error) ? INFINITY : error;
    worst = d;
  }
  f.bits = bits;
  f.max_abs_error = most;
  f.max_error_over_bound = most == 0 ? 0 : most / f.bound;
  if (!(most <= f.bound)) {
    std::ostringstream why;
    why << "wrong attention: step " << plan_.step() << ", layer " << layer << ", stream " << head.first
        << ", head " << head.second << ": element " << worst << " is " << is[worst] << ", should be "
        << should.output[worst] << " within " << f.bound;
    report(why.str());
  }
  return f;
}

void OutputCheck::results(int layer, const std::map<HeadKey, MergeUnit::Merged>& merged) {
  const int group = plan_.decode().model.group_size();
  int stream = -1, kv_head = -1;
  std::vector<ReferenceHead> reference;
  for (const auto& [head, result] : merged) {  // the query heads of a KV head one after the other
    if (head.first != stream || head.second / group != kv_head) {
      stream = head.first;
      kv_head = head.second / group;
      reference = reference_.compute(layer, stream, kv_head, result.parts);
    }
    heads_[head].add(compare(layer, head, result, reference[static_cast<std::size_t>(head.second % group)]));
  }
}

ErrorFigures OutputCheck::total() const {
  ErrorFigures all;
  for (const auto& [head, figures] : heads_) {
    ErrorFigures f = figures;
    const auto who =
        mix64(static_cast<std::uint64_t>(head.first) << 32 | static_cast<std::uint64_t>(head.second));
    f.order = mix64(f.order ^ who);
    f.bits = mix64(f.bits ^ who);
    all.add(f);
  }
  return all;
}

}  // namespace meshkv::data
