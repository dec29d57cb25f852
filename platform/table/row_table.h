// A table of figures that somebody else published, with formulas over results of scenarios beside them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/scenario/parameter.h"

namespace meshkv::platform {

/// How far a figure moves towards the published one.
enum class Reach { kNot, kHalf, kWithin };

/// What is expected of a figure if a named cause were otherwise.
struct RowCause {
  std::string ours;  ///< formula
  std::string text;  ///< what is changed
  Reach claim = Reach::kWithin;
};

struct TableRow {
  std::string id, where, quantity, unit;
  double low = 0, high = 0;  ///< what was published; low < high: a range
  bool at_least = false;     ///< `low` or more
  std::string ours;          ///< formula
  /// From here up or down is a direction: of the published figure, and of ours (a formula). Empty: none.
  double neutral_published = 0;
  std::string neutral_ours;
  std::string at_most;     ///< formula of what ours cannot exceed, whatever else is tuned; may be empty
  std::string bound_text;  ///< why
  std::vector<RowCause> causes;
  std::string note;
};

/// A drawing of formulas: curves over x, or bars of shares.
struct TableFigure {
  struct Series {
    std::string name;
    std::vector<std::string> ours;  ///< formulas, one an x
    std::vector<double> published;  ///< empty, or one an x; NaN where nothing was published
  };
  std::string title, kind, y_label;  ///< kind: "lines", "bars", "stacks"
  std::vector<std::string> x;
  std::vector<Series> series;
};

struct RowTable {
  std::string name, title, file, folder;
  std::vector<std::uint64_t> seeds;  ///< of scenarios that draw their sample
  std::vector<TableRow> rows;
  std::vector<TableFigure> figures;

  /// Names of scenarios (files beside the table's, without .json) that formulas refer to, each once.
  std::vector<std::string> scenarios() const;
};

/// A file is a table if it has `rows`. Throws InputError with every problem.
RowTable read_row_table(const std::string& file);

}  // namespace meshkv::platform
