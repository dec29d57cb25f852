#include "platform/table/row_verdict.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "platform/regress/verdict.h"
#include "platform/scenario/scenario.h"
#include "platform/table/expression.h"

namespace meshkv::platform {
namespace {

constexpr double kTolerance = 0.1;

/// A metric that a run does not have.
class NoResult : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// "pad.macs", "decode.step_cycles.last": null if there is none.
const Json* walk(const Json* at, const std::string& path) {
  for (std::size_t begin = 0; at != nullptr && begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    begin = end + 1;
    if (at->is_array() && part == "last")
      at = at->empty() ? nullptr : &at->back();
    else
      at = at->is_object() && at->contains(part) ? &at->at(part) : nullptr;
  }
  return at;
}

double nearest_published(const TableRow& row, double x) {
  return std::min(std::max(x, row.low), row.high);
}

std::string percent(double share) {
  char text[40];
  std::snprintf(text, sizeof text, "%.0f %%",
                std::abs(share) < 0.095 ? 100 * share : std::round(100 * share));
  return text;
}

std::string claim_text(const RowCause& cause) {
  return cause.claim == Reach::kWithin ? "within 10 %" : "half of the way";
}

}  // namespace

bool is_within(const TableRow& row, double x) {
  if (row.at_least) return x >= row.low;
  return x >= row.low - kTolerance * std::abs(row.low) && x <= row.high + kTolerance * std::abs(row.high);
}

std::string figure_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3g", value);
  if (std::abs(value) >= 1000 && std::abs(value) < 1e15) std::snprintf(text, sizeof text, "%.0f", value);
  return text;
}

std::string published_text(const TableRow& row) {
  return (row.at_least ? "at least " : "") + figure_text(row.low) +
         (row.low < row.high ? " to " + figure_text(row.high) : "");
}

std::string estimate_text(const RowVerdict& verdict) {
  if (!verdict.ours) return "-";
  std::string text = figure_text(verdict.ours->mean);
  if (verdict.ours->half) {
    char half[40];
    std::snprintf(half, sizeof half, " ± %.2g", *verdict.ours->half);
    text += half;
  }
  return text;
}

TableResults::TableResults(const RowTable& table, std::vector<std::string> settings,
                           const JobOptions& options, const ResultStore& store)
    : table_(table) {
  std::vector<Job> jobs;
  std::vector<std::pair<std::string, std::size_t>> places;
  for (const std::string& name : table.scenarios()) {
    const std::string file = table.folder + "/" + name + ".json";
    const MergedValues merged = load_merged(file, settings);
    Results& results = results_[name];
    results.drawn = merged.find("workload.sample.draw_layers") != nullptr;
    const std::size_t runs = results.drawn ? table.seeds.size() : 1;
    results.by_seed.resize(runs);
    for (std::size_t i = 0; i < runs; ++i) {
      std::vector<std::string> all = settings;
      if (results.drawn) all.push_back("seed=" + std::to_string(table.seeds[i]));
      jobs.push_back(make_job(file, all));
      places.emplace_back(name, i);
    }
  }
  run_jobs(jobs, options, store, [&](std::size_t index, const JobResult& result) {
    const Verdict verdict = judge_end(jobs[index].expect, result);
    if (verdict.passed)
      results_[places[index].first].by_seed[places[index].second] = result.stored.results;
    else if (failure_.empty())
      failure_ = jobs[index].file + ": " + verdict.reason;
    cpu_s_ += result.stored.cpu_s;
  });
}

double TableResults::look_up(const std::string& name, std::size_t seed) const {
  const std::size_t colon = name.find(':');
  const Results& results = results_.at(name.substr(0, colon));
  const Json& whole = results.by_seed[results.drawn ? seed : 0];
  std::string path = name.substr(colon + 1);
  const Json* run = &whole;
  if (whole.is_object() && whole.contains("runs")) {
    const std::size_t dot = path.find('.');
    run = walk(&whole, "runs." + path.substr(0, dot));
    path = dot == std::string::npos ? "" : path.substr(dot + 1);
  }
  const bool beside = path == "cycles" || path.rfind("bounds.", 0) == 0 ||
                      path.rfind("parameters.", 0) == 0 || path.rfind("model_shape.", 0) == 0;
  const Json* value = run == nullptr ? nullptr : walk(run, beside ? path : "metrics." + path);
  if (value == nullptr || !value->is_number()) throw NoResult("[" + name + "] is no number in the results");
  return value->get<double>();
}

double TableResults::mean(const std::string& name) const {
  const Results& results = results_.at(name.substr(0, name.find(':')));
  double sum = 0;
  for (std::size_t seed = 0; seed < results.by_seed.size(); ++seed) sum += look_up(name, seed);
  return sum / static_cast<double>(results.by_seed.size());
}

std::optional<Estimate> TableResults::estimate(const std::string& formula) const {
  if (formula.find("best(") != std::string::npos) {  // a choice is made once, with the means of the draws
    try {
      return Estimate{evaluate(formula, [&](const std::string& name) { return mean(name); }), std::nullopt};
    } catch (const std::runtime_error&) {
      return std::nullopt;
    }
  }
  bool drawn = false;
  for (const std::string& name : names_in(formula))
    drawn = drawn || results_.at(name.substr(0, name.find(':'))).drawn;
  std::vector<double> values;
  try {
    for (std::size_t seed = 0; seed < (drawn ? table_.seeds.size() : 1); ++seed)
      values.push_back(evaluate(formula, [&](const std::string& name) { return look_up(name, seed); }));
  } catch (const NoResult&) {
    return std::nullopt;
  } catch (const ExpressionError&) {
    return std::nullopt;
  }
  Estimate estimate;
  const auto n = static_cast<double>(values.size());
  estimate.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (values.size() < 2) return estimate;
  double squares = 0;
  for (const double v : values) squares += (v - estimate.mean) * (v - estimate.mean);
  const double t = boost::math::quantile(boost::math::students_t(n - 1), 0.975);
  estimate.half = t * std::sqrt(squares / (n - 1) / n);
  return estimate;
}

void TableResults::add_bound(const TableRow& row, RowVerdict& verdict) const {
  if (row.at_most.empty()) return;
  const auto bound = estimate(row.at_most);
  if (!bound) return;
  const bool violated = row.low > bound->mean * (1 + 1e-9);
  verdict.reason += " Bound: at most " + figure_text(bound->mean) +
                    (violated ? ", which the paper exceeds: " : ": ") + row.bound_text + ".";
  verdict.explained = verdict.explained || violated;
}

Reach TableResults::reach(const TableRow& row, double ours, double with) {
  if (is_within(row, with)) return Reach::kWithin;
  const double before = std::abs(ours - nearest_published(row, ours));
  return std::abs(with - nearest_published(row, with)) < 0.5 * before ? Reach::kHalf : Reach::kNot;
}

void TableResults::add_causes(const TableRow& row, RowVerdict& verdict) const {
  for (const RowCause& cause : row.causes) {
    const auto with = estimate(cause.ours);
    if (!with) {
      verdict.not_as_claimed.push_back("with " + cause.text + ": no result");
      continue;
    }
    const Reach reached = reach(row, verdict.ours->mean, with->mean);
    const char* words = reached == Reach::kWithin ? "within 10 %"
                        : reached == Reach::kHalf ? "more than half of the way"
                                                  : "not the cause";
    const std::string found = "ith " + cause.text + ": " + figure_text(with->mean) + " (" + words + ")";
    verdict.reason += " W" + found + ".";
    verdict.causes.push_back(with->mean);
    verdict.explained = verdict.explained || reached != Reach::kNot;
    if (reached < cause.claim)
      verdict.not_as_claimed.push_back("w" + found + "; claimed: " + claim_text(cause));
  }
}

RowVerdict TableResults::judge(const TableRow& row) const {
  RowVerdict v;
  v.ours = estimate(row.ours);
  if (!v.ours) {
    v.verdict = "no result";
    v.reason = "A scenario of this row has no result.";
    return v;
  }
  const double x = v.ours->mean;
  v.within = v.explained = is_within(row, x);
  const double off = x - nearest_published(row, x);
  const double share = row.low == 0 ? 0 : off / std::abs(nearest_published(row, x));
  if (v.within) {
    v.verdict = "within 10 %";
    v.reason = std::abs(off) < 5e-4 * std::abs(row.low) || row.at_least
                   ? "Agrees."
                   : "Off by " + percent(std::abs(share)) + ".";
  } else {
    const auto neutral = row.neutral_ours.empty() ? std::nullopt : estimate(row.neutral_ours);
    const bool same = neutral && (x - neutral->mean) * (row.low - row.neutral_published) > 0;
    v.verdict = same ? "same direction" : "contradicted";
    v.reason = percent(std::abs(share)) + (off < 0 ? " below the paper." : " above the paper.");
  }
  if (!row.note.empty()) v.reason += " " + row.note;
  add_bound(row, v);
  if (!v.within) add_causes(row, v);
  if (!v.explained) v.reason += " Unexplained.";
  return v;
}

std::vector<RowVerdict> TableResults::judge_all() const {
  std::vector<RowVerdict> all;
  for (const TableRow& row : table_.rows) all.push_back(judge(row));
  return all;
}

}  // namespace meshkv::platform
