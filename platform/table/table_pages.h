// A judged table for people: Markdown, and one HTML page with its figures drawn.
#pragma once

#include <string>
#include <vector>

#include "platform/table/row_verdict.h"

namespace meshkv::platform {

/// "31 of 46 rows within 10 %".
std::string table_count(const std::vector<RowVerdict>& verdicts);

std::string table_markdown(const RowTable& table, const std::vector<RowVerdict>& verdicts);
std::string table_html(const RowTable& table, const std::vector<RowVerdict>& verdicts,
                       const TableResults& results);

/// A figure as SVG; what has no result is left out. Published values are drawn dashed, or outlined beside
/// ours.
std::string figure_svg(const TableFigure& figure, const TableResults& results);

}  // namespace meshkv::platform
