// Rows of a table against results: our figure, how it compares, and why.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "platform/regress/jobs.h"
#include "platform/table/row_table.h"

namespace meshkv::platform {

/// Mean of the draws, and half of its 95 % interval (Student) where there are several.
struct Estimate {
  double mean = 0;
  std::optional<double> half;
};

struct RowVerdict {
  std::optional<Estimate> ours;  ///< nothing: a scenario has no result
  std::string verdict;           ///< "within 10 %", "same direction", "contradicted", "no result"
  bool within = false;
  bool explained = false;                   ///< within, or a bound or a cause shows why not
  std::string reason;                       ///< a sentence or two, with the numbers that it rests on
  std::vector<double> causes;               ///< our figure with each cause; empty where the row is within
  std::vector<std::string> not_as_claimed;  ///< causes that move the figure less than they claim, a line each
};

/// Runs what a table's formulas refer to and evaluates them. Scenarios that draw their sample
/// (workload.sample.draw_layers) are run with each of the table's seeds, the others once.
class TableResults {
 public:
  /// `settings`: as --set, for all scenarios.
  TableResults(const RowTable& table, std::vector<std::string> settings, const JobOptions& options,
               const ResultStore& store);

  RowVerdict judge(const TableRow& row) const;
  std::vector<RowVerdict> judge_all() const;
  /// Nothing if a scenario has no such result.
  std::optional<Estimate> estimate(const std::string& formula) const;
  double cpu_s() const { return cpu_s_; }
  const std::string& failure() const { return failure_; }  ///< the first scenario without a result; or empty

 private:
  struct Results {
    bool drawn = false;
    std::vector<Json> by_seed;  ///< one if not drawn; null where a run failed
  };
  double look_up(const std::string& name, std::size_t seed) const;
  double mean(const std::string& name) const;  ///< over the seeds
  void add_bound(const TableRow& row, RowVerdict& verdict) const;
  void add_causes(const TableRow& row, RowVerdict& verdict) const;
  static Reach reach(const TableRow& row, double ours, double with);

  const RowTable& table_;
  std::map<std::string, Results> results_;
  double cpu_s_ = 0;
  std::string failure_;
};

/// Whether our figure is that of the paper, or off by 10 % at most.
bool is_within(const TableRow& row, double ours);

/// "0.413", "1.05e+09": as tables show a figure.
std::string figure_text(double value);
std::string published_text(const TableRow& row);
std::string estimate_text(const RowVerdict& verdict);

}  // namespace meshkv::platform
