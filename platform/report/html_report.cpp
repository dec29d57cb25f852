#include "platform/report/html_report.h"

#include "platform/report/assets.h"
#include "platform/report/heat_map.h"
#include "platform/report/xml_text.h"

namespace meshkv::platform {

namespace {

void replace(std::string& page, const std::string& mark, std::string_view with) {
  const std::size_t at = page.find(mark);
  if (at == std::string::npos) throw std::logic_error("report.html has no " + mark);
  page.replace(at, mark.size(), with);
}

/// JSON within <script>: no "<" that could end it or begin a comment.
std::string script_json(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

Json data_of(const ReportInput& input) {
  Json data;
  data["notes"] = input.notes;
  data["colours"] = heat_map_colours();
  data["runs"] = Json::array();
  for (const ReportRun& run : input.runs)
    data["runs"].push_back(
        {{"label", run.label}, {"file", run.file}, {"results", run.results}, {"details", run.details}});
  return data;
}

/// The drawings that the page recolours; those of runs without links are missing.
std::string drawings(const ReportInput& input) {
  const double limit = heat_map_limit(input.runs, "useful");
  std::string html;
  for (std::size_t i = 0; i < input.runs.size(); ++i) {
    const ReportRun& run = input.runs[i];
    if (!run.details.is_object() || !run.details.contains("links")) continue;
    html += "<figure class=\"mesh\" data-run=\"" + std::to_string(i) + "\"><figcaption>" +
            xml_text(run.label) + "</figcaption>" + heat_map_svg(run, "useful", limit) + "</figure>\n";
  }
  return html;
}

}  // namespace

std::string html_report(const ReportInput& input) {
  std::string page(report_asset("report.html"));
  std::string title;
  for (const ReportRun& run : input.runs)
    if (title.find(run.results["scenario"].get<std::string>()) == std::string::npos)
      title += (title.empty() ? "" : ", ") + run.results["scenario"].get<std::string>();
  replace(page, "{{title}}", xml_text(title));
  replace(page, "{{title}}", xml_text(title));
  replace(page, "{{css}}", report_asset("report.css"));
  replace(page, "{{licences}}",
          "d3: " + std::string(report_asset("LICENSE-d3")) +
              "\nPlot: " + std::string(report_asset("LICENSE-plot")));
  std::string scripts;
  for (const char* name : {"d3.min.js", "plot.umd.min.js", "report_data.js", "report_heat_map.js",
                           "report_charts.js", "report.js"})
    scripts += "<script>\n" + std::string(report_asset(name)) + "\n</script>\n";
  replace(page, "{{drawings}}", drawings(input));
  replace(page, "{{data}}", script_json(data_of(input)));
  replace(page, "{{scripts}}", scripts);
  return page;
}

}  // namespace meshkv::platform
