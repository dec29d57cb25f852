#include "platform/report/heat_map.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "platform/report/xml_text.h"
#include "platform/run/summary.h"
#include "platform/scenario/input_error.h"

namespace meshkv::platform {

const std::vector<std::string>& heat_map_measures() {
  static const std::vector<std::string> names{"useful",    "back_pressure", "other", "control",
                                              "duplicate", "idle",          "busy"};
  return names;
}

const std::array<std::string, 64>& heat_map_colours() {
  static const std::array<std::string, 64> colours{
      "#002051", "#002358", "#00265d", "#002961", "#012c65", "#052e68", "#09316a", "#0d346b",
      "#12376c", "#173a6d", "#1c3d6e", "#223f6e", "#27426e", "#2d456e", "#33486e", "#384b6e",
      "#3e4e6e", "#43516d", "#48546d", "#4d566d", "#52596e", "#575c6e", "#5b5f6e", "#60626f",
      "#64656f", "#686870", "#6c6b70", "#706e71", "#737172", "#777473", "#7a7773", "#7e7a74",
      "#817d75", "#848076", "#878377", "#8b8677", "#8e8978", "#928d78", "#959078", "#999378",
      "#9c9678", "#a09a78", "#a49d78", "#a8a077", "#aca476", "#b1a775", "#b5aa73", "#baae71",
      "#bfb16f", "#c3b56d", "#c8b86b", "#cdbc68", "#d3c065", "#d8c362", "#ddc75f", "#e2cb5c",
      "#e6cf59", "#ebd255", "#efd652", "#f3da4f", "#f7de4c", "#fae249", "#fce647", "#fdea45"};
  return colours;
}

double LinkShares::share(const std::string& measure) const {
  if (measure == "useful") return useful;
  if (measure == "back_pressure") return back_pressure;
  if (measure == "control") return control;
  if (measure == "duplicate") return duplicate;
  const double busy = useful + control + duplicate;
  if (measure == "busy") return busy;
  // In lt cycles are counted when they are reserved, so that a slice may hold more than its length.
  if (measure == "idle") return std::max(0.0, 1 - busy - back_pressure);
  return std::max(0.0, 1 - useful - back_pressure);
}

std::vector<LinkShares> whole_run_shares(const Json& links) {
  std::vector<LinkShares> shares;
  const auto& names = links.at("links");
  const double cycles = links.at("slice_ends").empty() ? 0 : links.at("slice_ends").back().get<double>();
  for (const Json& name : names) shares.push_back({name.get<std::string>()});
  if (cycles <= 0) return shares;
  const auto add = [&](const char* measure, double LinkShares::*field) {
    for (const Json& slice : links.at(measure)) {
      if (slice.empty()) continue;
      if (slice.size() != shares.size())
        throw std::runtime_error(std::string(measure) + ": not a number a link");
      for (std::size_t i = 0; i < shares.size(); ++i) shares[i].*field += slice[i].get<double>() / cycles;
    }
  };
  add("useful", &LinkShares::useful);
  add("back_pressure", &LinkShares::back_pressure);
  add("control", &LinkShares::control);
  add("duplicate", &LinkShares::duplicate);
  return shares;
}

double heat_map_limit(const std::vector<ReportRun>& runs, const std::string& measure) {
  double most = 0;
  for (const ReportRun& run : runs) {
    if (!run.details.is_object() || !run.details.contains("links")) continue;
    for (const LinkShares& link : whole_run_shares(run.details["links"]))
      most = std::max(most, link.share(measure));
  }
  for (const double nice : {0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8})
    if (most <= nice) return nice;
  return 1;
}

namespace {

// Drawing units: a tile every kPitch, links in the gaps between tiles, the two directions side by side.
constexpr double kPitch = 66, kTile = 38, kGap = kPitch - kTile, kThick = 13, kMargin = 4;

std::string number(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", v);
  return text;
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, share > 0 && share < 0.0995 ? "%.1f" : "%.0f", 100 * share);
  return text;
}

std::string two_digits(double share) {
  return std::to_string(std::lround(100 * std::min(share, 1.0)));
}

struct Box {
  double x, y, w, h;
};

/// An arrow that fills `box` and points to where the flits go.
std::string arrow(const Box& b, const std::string& port) {
  constexpr double tip = 5;
  const auto p = [](double x, double y) { return number(x) + "," + number(y) + " "; };
  const double r = b.x + b.w, d = b.y + b.h, cx = b.x + b.w / 2, cy = b.y + b.h / 2;
  if (port == "east") return p(b.x, b.y) + p(r - tip, b.y) + p(r, cy) + p(r - tip, d) + p(b.x, d);
  if (port == "west") return p(r, b.y) + p(b.x + tip, b.y) + p(b.x, cy) + p(b.x + tip, d) + p(r, d);
  if (port == "south") return p(b.x, b.y) + p(b.x, d - tip) + p(cx, d) + p(r, d - tip) + p(r, b.y);
  if (port == "north") return p(b.x, d) + p(b.x, b.y + tip) + p(cx, b.y) + p(r, b.y + tip) + p(r, d);
  return p(b.x, b.y) + p(r, b.y) + p(r, d) + p(b.x, d);  // injection and ejection, in the tile
}

Box place(int x, int y, const std::string& port) {
  const double left = kMargin + x * kPitch, top = kMargin + y * kPitch, mid = kTile / 2;
  if (port == "east") return {left + kTile + 1, top + mid - kThick - 1, kGap - 2, kThick};
  if (port == "west") return {left - kGap + 1, top + mid + 1, kGap - 2, kThick};
  if (port == "south") return {left + mid + 1, top + kTile + 1, kThick, kGap - 2};
  if (port == "north") return {left + mid - kThick - 1, top - kGap + 1, kThick, kGap - 2};
  if (port == "tile") return {left + mid + 1, top + mid - 2, mid - 4, mid - 1};
  if (port == "injection") return {left + 3, top + mid - 2, mid - 4, (mid - 1)};
  return {left + 3, top + mid - 2 - 7, mid - 4, 6};  // a second injection link
}

struct LinkPlace {
  int x = 0, y = 0;
  std::string port;
};

LinkPlace parse_key(const std::string& key) {
  LinkPlace at;
  char port[32] = "";
  if (std::sscanf(key.c_str(), "%d_%d.%31s", &at.x, &at.y, port) != 3)
    throw std::runtime_error("links: found " + shown(key) + "; expected a name like 3_4.east");
  at.port = port;
  return at;
}

std::string tile_at(int x, int y) {
  return "(" + std::to_string(x) + ", " + std::to_string(y) + ")";
}

std::string link_title(const LinkPlace& l) {
  if (l.port == "east") return tile_at(l.x, l.y) + " to " + tile_at(l.x + 1, l.y) + ", east";
  if (l.port == "west") return tile_at(l.x, l.y) + " to " + tile_at(l.x - 1, l.y) + ", west";
  if (l.port == "south") return tile_at(l.x, l.y) + " to " + tile_at(l.x, l.y + 1) + ", south";
  if (l.port == "north") return tile_at(l.x, l.y) + " to " + tile_at(l.x, l.y - 1) + ", north";
  return (l.port == "tile"        ? "ejection"
          : l.port == "injection" ? "injection"
                                  : "second injection") +
         std::string(" of ") + tile_at(l.x, l.y);
}

bool is_dark(const std::string& colour) {
  const auto channel = [&](std::size_t at) { return std::stoi(colour.substr(at, 2), nullptr, 16); };
  return 299 * channel(1) + 587 * channel(3) + 114 * channel(5) < 128000;
}

std::string link_svg(const LinkShares& link, std::size_t index, const std::string& measure, double limit) {
  const LinkPlace at = parse_key(link.key);
  const Box box = place(at.x, at.y, at.port);
  const double share = link.share(measure);
  const auto& colours = heat_map_colours();
  const auto step = static_cast<std::size_t>(std::clamp(share / limit, 0.0, 1.0) * 63 + 0.5);
  std::string svg = "<g class=\"link\" data-link=\"" + std::to_string(index) + "\"><title>" + link_title(at) +
                    ": useful " + percent(link.useful) + " %, back-pressure " + percent(link.back_pressure) +
                    " %, other " + percent(link.share("other")) + " %</title>";
  const std::string shape = arrow(box, at.port);
  svg += "<polygon class=\"fill\" points=\"" + shape + "\" fill=\"" + colours[step] + "\"/>";
  svg += "<polygon class=\"hatch\" points=\"" + shape + "\" fill=\"url(#hatch)\" opacity=\"" +
         (link.back_pressure >= 0.1 ? "1" : "0") + "\"/>";
  const double shift = at.port == "east" ? -2 : at.port == "west" ? 2 : 0;
  const double lower = at.port == "south" ? -2 : at.port == "north" ? 2 : 0;
  svg += "<text x=\"" + number(box.x + box.w / 2 + shift) + "\" y=\"" +
         number(box.y + box.h / 2 + 2.9 + lower) + "\" fill=\"" + (is_dark(colours[step]) ? "#fff" : "#000") +
         "\">" + two_digits(share) + "</text></g>\n";
  return svg;
}

constexpr const char* kHatch =
    "<defs><pattern id=\"hatch\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\"><rect width=\"1.4\" height=\"5\" fill=\"#d55e00\"/></pattern></defs>";
// Scoped: within a page a style would be everybody's.
constexpr const char* kStyle =
    "<style>.vp-mesh text{font:7.5px sans-serif;text-anchor:middle}.vp-mesh .tile{fill:#f4f4f4;stroke:#555;"
    "stroke-width:.8}.vp-mesh .where{font-size:8px;fill:#222}.vp-mesh .fill{stroke:#333;stroke-width:.5}"
    ".vp-mesh .hatch,.vp-mesh .link text{pointer-events:none}.vp-mesh .heading{font-size:13px;"
    "font-weight:bold;fill:#111}.vp-mesh .note{font-size:10px;fill:#111;text-anchor:start}</style>";

Box mesh_size(const Json& links) {
  return {0, 0, 2 * kMargin + (links.at("mesh").at("width").get<int>() - 1) * kPitch + kTile,
          2 * kMargin + (links.at("mesh").at("height").get<int>() - 1) * kPitch + kTile};
}

std::string mesh_svg(const Json& links, const std::string& measure, double limit) {
  std::string svg;
  const int width = links.at("mesh").at("width").get<int>(),
            height = links.at("mesh").at("height").get<int>();
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double left = kMargin + x * kPitch, top = kMargin + y * kPitch;
      svg += "<rect class=\"tile\" x=\"" + number(left) + "\" y=\"" + number(top) + "\" width=\"" +
             number(kTile) + "\" height=\"" + number(kTile) + "\" rx=\"3\"/><text class=\"where\" x=\"" +
             number(left + kTile / 2) + "\" y=\"" + number(top + 9) + "\">" + std::to_string(x) + "," +
             std::to_string(y) + "</text>\n";
    }
  }
  const std::vector<LinkShares> shares = whole_run_shares(links);
  for (std::size_t i = 0; i < shares.size(); ++i) svg += link_svg(shares[i], i, measure, limit);
  return svg;
}

const char* measure_text(const std::string& measure) {
  if (measure == "useful") return "useful KV_DATA flits";
  if (measure == "back_pressure") return "back-pressure: a flit was ready and could not leave";
  if (measure == "other") return "other: control flits, duplicates, idle";
  if (measure == "control") return "KV_FETCH and PART flits";
  if (measure == "duplicate") return "duplicate KV_DATA flits";
  if (measure == "idle") return "idle";
  return "any flit";
}

std::string legend_svg(const std::string& measure, double limit, double x, double y) {
  std::string svg = "<text class=\"note\" x=\"" + number(x) + "\" y=\"" + number(y) +
                    "\">share of link-cycles in %, " + measure_text(measure) + "</text>";
  const auto& colours = heat_map_colours();
  for (std::size_t i = 0; i < colours.size(); ++i)
    svg += "<rect x=\"" + number(x + 4.0 * static_cast<double>(i)) + "\" y=\"" + number(y + 6) +
           "\" width=\"4.2\" height=\"12\" fill=\"" + colours[i] + "\"/>";
  for (int k = 0; k <= 4; ++k)
    svg += "<text class=\"note\" x=\"" + number(x + 64 * k) + "\" y=\"" + number(y + 29) + "\">" +
           number(100 * limit * k / 4) + "</text>";
  svg += "<rect x=\"" + number(x + 290) + "\" y=\"" + number(y + 6) +
         "\" width=\"24\" height=\"12\" fill=\"url(#hatch)\" stroke=\"#333\"/><text class=\"note\" x=\"" +
         number(x + 318) + "\" y=\"" + number(y + 16) +
         "\">back-pressure in 10 % of the cycles or more</text>";
  return svg + "<text class=\"note\" x=\"" + number(x) + "\" y=\"" + number(y + 44) +
         "\">In a tile: left injection, right ejection. An arrow is a directed link.</text>";
}

std::string svg_open(double width, double height, const std::string& label) {
  return "<svg class=\"vp-mesh\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(width) + " " +
         number(height) + "\" role=\"img\" aria-label=\"" + xml_text(label) + "\">" + kStyle + kHatch;
}

}  // namespace

std::string heat_map_svg(const ReportRun& run, const std::string& measure, double limit) {
  const Box size = mesh_size(run.details["links"]);
  return svg_open(size.w, size.h, "links of " + run.label) + "\n" +
         mesh_svg(run.details["links"], measure, limit) + "</svg>";
}

std::string heat_map_file(const std::vector<ReportRun>& runs, const std::string& measure) {
  const double limit = heat_map_limit(runs, measure);
  constexpr double heading = 20, legend = 60, between = 24;
  double x = 0, height = 0;
  std::string body;
  for (const ReportRun& run : runs) {
    if (!run.details.is_object() || !run.details.contains("links")) continue;
    const Json& links = run.details["links"];
    const Box size = mesh_size(links);
    body += "<g transform=\"translate(" + number(x) + "," + number(heading) +
            ")\"><text class=\"heading\" x=\"" + number(size.w / 2) + "\" y=\"-5\">" + xml_text(run.label) +
            "</text>\n" + mesh_svg(links, measure, limit) + "</g>\n";
    x += size.w + between;
    height = std::max(height, size.h);
  }
  if (body.empty())
    throw InputError("--svg", "", "none of the results has a details.json beside it with links over time");
  const double width = std::max(x - between, 560.0);
  std::string svg = svg_open(width, heading + height + legend, "heat map of the mesh's links, " + measure);
  svg.insert(4, " width=\"" + number(width) + "\" height=\"" + number(heading + height + legend) + "\"");
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + svg +
         "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n" + body +
         legend_svg(measure, limit, 4, heading + height + 12) + "</svg>\n";
}

}  // namespace meshkv::platform
