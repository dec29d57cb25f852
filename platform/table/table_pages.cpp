#include "platform/table/table_pages.h"

#include <algorithm>

#include "platform/report/xml_text.h"

namespace meshkv::platform {
namespace {

constexpr const char* kStyle =
    "body{font:14px/1.45 system-ui,sans-serif;max-width:1100px;margin:2em auto;padding:0 1em;color:#222;"
    "background:#fff}"
    "table{border-collapse:collapse;width:100%}td,th{padding:.3em .6em;border-bottom:1px solid #ddd;"
    "text-align:left;vertical-align:top}td.n{white-space:nowrap;font-variant-numeric:tabular-nums}"
    ".v{white-space:nowrap;font-weight:600}.ok{color:#18794e}.dir{color:#946800}.no{color:#b42318}"
    "svg{max-width:100%;margin:.5em 0 1.5em}svg text{font:12px system-ui,sans-serif;fill:#333}";

std::string summary(const RowTable& table, const std::vector<RowVerdict>& verdicts) {
  std::size_t direction = 0, explained = 0, contradicted = 0;
  std::string unexplained;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const RowVerdict& v = verdicts[i];
    if (!v.explained) unexplained += (unexplained.empty() ? "" : ", ") + table.rows[i].id;
    direction += v.verdict == "same direction" ? 1 : 0;
    contradicted += v.verdict == "contradicted" ? 1 : 0;
    explained += v.explained ? 1 : 0;
  }
  return table_count(verdicts) + "; " + std::to_string(direction) + " more in the same direction, " +
         std::to_string(contradicted) + " contradicted. " + std::to_string(explained) +
         " are within or explained by a computed bound or a tested cause" +
         (unexplained.empty() ? "" : "; unexplained: " + unexplained) + ". Figures with ± are means over " +
         std::to_string(table.seeds.size()) + " draws of the sample with their 95 % interval (Student).";
}

std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

const char* colour_of(const RowVerdict& verdict) {
  if (verdict.within) return "ok";
  return verdict.verdict == "same direction" ? "dir" : "no";
}

}  // namespace

std::string table_count(const std::vector<RowVerdict>& verdicts) {
  const auto within =
      std::count_if(verdicts.begin(), verdicts.end(), [](const RowVerdict& v) { return v.within; });
  return std::to_string(within) + " of " + std::to_string(verdicts.size()) + " rows within 10 %";
}

std::string table_markdown(const RowTable& table, const std::vector<RowVerdict>& verdicts) {
  std::string text = "# " + table.title + "\n\n" + summary(table, verdicts) +
                     "\n\n| row | where | quantity | paper | ours | unit | verdict | why |\n"
                     "|---|---|---|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const TableRow& row = table.rows[i];
    const RowVerdict& v = verdicts[i];
    text += "| " + row.id + " | " + cell(row.where) + " | " + cell(row.quantity) + " | " +
            published_text(row) + " | " + estimate_text(v) + " | " + row.unit + " | " + v.verdict + " | " +
            cell(v.reason) + " |\n";
  }
  return text;
}

std::string table_html(const RowTable& table, const std::vector<RowVerdict>& verdicts,
                       const TableResults& results) {
  std::string page = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" +
                     xml_text(table.title) + "</title><style>" + kStyle + "</style></head><body>\n<h1>" +
                     xml_text(table.title) + "</h1>\n<p>" + xml_text(summary(table, verdicts)) +
                     "</p>\n<table><tr><th>row</th><th>where</th><th>quantity</th><th>paper</th><th>ours</th>"
                     "<th>unit</th><th>verdict</th><th>why</th></tr>\n";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const TableRow& row = table.rows[i];
    const RowVerdict& v = verdicts[i];
    page += "<tr id=\"" + xml_text(row.id) + "\"><td class=\"n\">" + xml_text(row.id) + "</td><td>" +
            xml_text(row.where) + "</td><td>" + xml_text(row.quantity) + "</td><td class=\"n\">" +
            published_text(row) + "</td><td class=\"n\">" + estimate_text(v) + "</td><td>" +
            xml_text(row.unit) + "</td><td class=\"v " + colour_of(v) + "\">" + v.verdict + "</td><td>" +
            xml_text(v.reason) + "</td></tr>\n";
  }
  page += "</table>\n";
  for (const TableFigure& figure : table.figures)
    page += "<h2>" + xml_text(figure.title) + "</h2>\n" + figure_svg(figure, results) + "\n";
  return page + "</body></html>\n";
}

}  // namespace meshkv::platform
