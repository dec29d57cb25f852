// `vp report`: pictures of finished runs.
#include <algorithm>
#include <iostream>

#include "platform/cli/cli.h"
#include "platform/cli/options.h"
#include "platform/report/heat_map.h"
#include "platform/report/html_report.h"
#include "platform/report/result_files.h"
#include "platform/run/part_files.h"
#include "platform/scenario/input_error.h"

namespace meshkv::platform {
namespace po = boost::program_options;

namespace {

void write(const std::string& option, const std::string& file, const std::string& text) {
  write_whole(file, text, option);
  std::cout << "written: " << file << '\n';
}

std::string file_option(const po::variables_map& map, const char* name) {
  if (map.count(name) == 0) return "";
  const std::string file = map[name].as<std::string>();
  if (file.empty()) throw InputError(std::string("--") + name, "", "found \"\"; allowed: a file");
  return file;
}

}  // namespace

int command_report(const std::vector<std::string>& arguments) {
  po::options_description options("options");
  options.add_options()("html", po::value<std::string>(), "write a page: one file, needs no network")(
      "svg", po::value<std::string>(), "write the heat map of the mesh's links as a drawing")(
      "show", po::value<std::string>()->default_value("useful"),
      "what the drawing shows of each link: useful, back_pressure, other, control, duplicate, idle or busy");
  const std::string usage = "vp report RESULT... --html FILE [--svg FILE]";
  const auto map = parse_options(usage, arguments, options, "result", -1);
  if (!map) return 0;
  if (!map->count("result"))
    throw InputError("command line", "",
                     "found no results.json, nor a folder that holds one; usage: " + usage);
  const std::string html = file_option(*map, "html"), svg = file_option(*map, "svg");
  if (html.empty() && svg.empty()) throw InputError("command line", "", "nothing to write; usage: " + usage);
  const std::string show = (*map)["show"].as<std::string>();
  const auto& measures = heat_map_measures();
  if (std::find(measures.begin(), measures.end(), show) == measures.end()) {
    const std::string near = nearest_name(show, measures);
    std::string all;
    for (const std::string& m : measures) all += (all.empty() ? "" : ", ") + m;
    throw InputError(
        "--show", "",
        "found " + shown(show) + "; allowed: " + all + (near.empty() ? "" : "; did you mean " + near + "?"));
  }
  if (!html.empty()) check_output_file(html, "--html");
  if (!svg.empty()) check_output_file(svg, "--svg");
  const ReportInput input = read_results((*map)["result"].as<std::vector<std::string>>());
  // Both are made before the first is written.
  const std::string drawing = svg.empty() ? "" : heat_map_file(input.runs, show);
  const std::string page = html.empty() ? "" : html_report(input);
  for (const std::string& note : input.notes) std::cerr << "note: " << note << '\n';
  if (!svg.empty()) write("--svg", svg, drawing);
  if (!html.empty()) write("--html", html, page);
  return 0;
}

}  // namespace meshkv::platform
