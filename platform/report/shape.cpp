#include "platform/report/shape.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace meshkv::platform {
namespace {

[[noreturn]] void wrong(const std::string& path, const std::string& text) {
  throw std::runtime_error((path.empty() ? "" : path + ": ") + text);
}

struct Kind {
  bool (*fits)(const Json&);
  const char* name;
};

const Kind kObject{[](const Json& v) { return v.is_object(); }, "an object"};
const Kind kList{[](const Json& v) { return v.is_array(); }, "a list"};
const Kind kText{[](const Json& v) { return v.is_string(); }, "a text"};
const Kind kNumber{[](const Json& v) { return v.is_number(); }, "a number"};
const Kind kCount{[](const Json& v) { return v.is_number() && v.get<double>() >= 0; },
                  "a number of 0 or more"};

void require(const Json& value, const std::string& path, const Kind& kind) {
  if (!kind.fits(value)) wrong(path, "found " + shown(value) + "; expected " + kind.name);
}

std::string below(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}
std::string below(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

const Json& member(const Json& object, const std::string& path, const char* key, const Kind& kind) {
  if (!object.contains(key)) wrong(below(path, key), "is missing");
  require(object[key], below(path, key), kind);
  return object[key];
}

/// A list whose elements are all of a kind.
const Json& members(const Json& object, const std::string& path, const char* key, const Kind& kind) {
  const Json& list = member(object, path, key, kList);
  for (std::size_t i = 0; i < list.size(); ++i) require(list[i], below(below(path, key), i), kind);
  return list;
}

void optional_member(const Json& object, const std::string& path, const char* key, const Kind& kind) {
  if (object.contains(key)) require(object[key], below(path, key), kind);
}

void require_numbers(const Json& list, const std::string& path, std::size_t count) {
  require(list, path, kList);
  if (list.size() != count)
    wrong(path, "found " + std::to_string(list.size()) + " elements; expected " + std::to_string(count));
  for (std::size_t i = 0; i < count; ++i) require(list[i], below(path, i), kCount);
}

/// "3_4.east" of a tile in the mesh.
void require_link_names(const Json& names, const std::string& path, int width, int height) {
  static const std::vector<std::string> ports{"east", "west", "south", "north", "tile", "injection"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    int x = -1, y = -1;
    char port[32] = "";
    const std::string name = names[i].get<std::string>();
    const bool read = std::sscanf(name.c_str(), "%3d_%3d.%31[a-z0-9_]", &x, &y, port) == 3;
    const std::string bare = std::string(port).substr(0, std::string(port).find('_'));
    const bool known = std::find(ports.begin(), ports.end(), bare) != ports.end();
    const bool whole = name == std::to_string(x) + "_" + std::to_string(y) + "." + port;
    if (!read || !known || !whole || x < 0 || y < 0 || x >= width || y >= height)
      wrong(below(path, i), "found " + shown(names[i]) + "; expected a link of the mesh, like 0_0.east");
  }
}

void require_links(const Json& links, const std::string& path) {
  const Json& mesh = member(links, path, "mesh", kObject);
  const std::string at_mesh = below(path, "mesh");
  const double width = member(mesh, at_mesh, "width", kCount).get<double>(),
               height = member(mesh, at_mesh, "height", kCount).get<double>();
  if (width < 1 || width > 1024 || height < 1 || height > 1024) wrong(at_mesh, "found " + shown(mesh));
  const Json& names = members(links, path, "links", kText);
  require_link_names(names, below(path, "links"), static_cast<int>(width), static_cast<int>(height));
  const Json& ends = members(links, path, "slice_ends", kCount);
  if (ends.empty()) wrong(below(path, "slice_ends"), "found []; expected a number a slice");
  for (std::size_t i = 1; i < ends.size(); ++i)
    if (ends[i].get<double>() <= ends[i - 1].get<double>())
      wrong(below(below(path, "slice_ends"), i), "found " + shown(ends[i]) + "; expected more than before");
  for (const char* measure : {"useful", "duplicate", "control", "back_pressure"}) {
    const Json& slices = members(links, path, measure, kList);
    const std::string at = below(path, measure);
    if (slices.size() != ends.size())
      wrong(at,
            "found " + std::to_string(slices.size()) + " slices; expected " + std::to_string(ends.size()));
    for (std::size_t i = 0; i < slices.size(); ++i)
      if (!slices[i].empty()) require_numbers(slices[i], below(at, i), names.size());
  }
}

void require_pad(const Json& pad, const std::string& path) {
  const Json& columns = members(pad, path, "columns", kText);
  for (const char* column : {"layer", "segment", "home_x", "home_y", "sent", "first_data", "complete",
                             "tm_begin", "tm_end", "rd_begin", "rd_end"})
    if (std::find(columns.begin(), columns.end(), column) == columns.end())
      wrong(below(path, "columns"), std::string("has no ") + column);
  member(pad, path, "tiles_left_out", kCount);
  const Json& tiles = member(pad, path, "tiles", kObject);
  for (const auto& [tile, log] : tiles.items()) {
    const std::string at = below(below(path, "tiles"), tile);
    require(log, at, kObject);
    member(log, at, "not_recorded", kCount);
    const Json& segments = member(log, at, "segments", kList);
    for (std::size_t i = 0; i < segments.size(); ++i)
      require_numbers(segments[i], below(below(at, "segments"), i), columns.size());
  }
}

void require_latency(const Json& latency, const std::string& path) {
  for (const auto& [kind, histogram] : latency.items()) {
    const std::string at = below(path, kind);
    if (histogram.is_null()) continue;  // nothing was measured
    require(histogram, at, kObject);
    member(histogram, at, "unit", kText);
    for (const char* key : {"count", "mean", "p50", "p90", "p95", "p99", "max"})
      member(histogram, at, key, kCount);
    const Json& bins = member(histogram, at, "bins", kList);
    for (std::size_t i = 0; i < bins.size(); ++i) require_numbers(bins[i], below(below(at, "bins"), i), 3);
  }
}

}  // namespace

void require_run(const Json& run, const std::string& path) {
  require(run, path, kObject);
  for (const char* key : {"parameters", "metrics", "bounds"}) member(run, path, key, kObject);
  for (const char* key : {"scenario", "outcome"}) member(run, path, key, kText);
  members(run, path, "warnings", kText);
  const Json& checks = members(run, path, "checks", kObject);
  for (std::size_t i = 0; i < checks.size(); ++i)
    member(checks[i], below(below(path, "checks"), i), "metric", kText);
  optional_member(run, path, "reason", kText);
  optional_member(run["parameters"], below(path, "parameters"), "mesh", kObject);
  for (const auto& [name, bound] : run["bounds"].items())
    require(bound, below(below(path, "bounds"), name), name == "tightest" ? kText : kNumber);
  optional_member(run["metrics"], below(path, "metrics"), "energy", kObject);
  if (run["metrics"].contains("energy"))
    for (const auto& [part, pj] : run["metrics"]["energy"].items())
      require(pj, below(below(path, "metrics.energy"), part), kCount);
}

void require_details(const Json& details, const std::string& path) {
  require(details, path, kObject);
  for (const char* part : {"links", "pad", "latency"}) optional_member(details, path, part, kObject);
  if (details.contains("links")) require_links(details["links"], below(path, "links"));
  if (details.contains("pad")) require_pad(details["pad"], below(path, "pad"));
  if (details.contains("latency")) require_latency(details["latency"], below(path, "latency"));
}

}  // namespace meshkv::platform
