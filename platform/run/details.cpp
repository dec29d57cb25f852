#include "platform/run/details.h"

#include <algorithm>
#include <cstdio>

namespace meshkv::platform {

std::string link_key(const MeshShape& mesh, const noc::LinkName& link) {
  const Coord at = mesh.coord(link.node);
  std::string key = std::to_string(at.x) + "_" + std::to_string(at.y) + ".";
  if (link.injection < 0) return key + port_name(link.port);
  key += "injection";
  return link.injection == 0 ? key : key + "_" + std::to_string(link.injection);
}

namespace {

using Field = std::uint64_t noc::LinkStatistics::*;

Json slices_of(const noc::LinkTimeline& timeline, Field field) {
  Json slices = Json::array();
  const noc::LinkTimeline::Snapshot* before = nullptr;
  for (const noc::LinkTimeline::Snapshot& snapshot : timeline.snapshots()) {
    Json slice = Json::array();
    bool any = false;
    for (std::size_t i = 0; i < snapshot.totals.size(); ++i) {
      const std::uint64_t sum = snapshot.totals[i].*field - (before ? before->totals[i].*field : 0);
      any = any || sum != 0;
      slice.push_back(sum);
    }
    slices.push_back(any ? std::move(slice) : Json::array());
    before = &snapshot;
  }
  return slices;
}

}  // namespace

Json links_object(const noc::LinkTimeline& timeline) {
  const MeshShape& mesh = timeline.links().mesh();
  Json links;
  links["mesh"] = {{"width", mesh.width}, {"height", mesh.height}};
  links["links"] = Json::array();
  for (const noc::LinkName& link : timeline.links().names()) links["links"].push_back(link_key(mesh, link));
  links["slice_ends"] = Json::array();
  for (const noc::LinkTimeline::Snapshot& s : timeline.snapshots()) links["slice_ends"].push_back(s.at);
  links["useful"] = slices_of(timeline, &noc::LinkStatistics::useful);
  links["duplicate"] = slices_of(timeline, &noc::LinkStatistics::duplicate);
  links["control"] = slices_of(timeline, &noc::LinkStatistics::control);
  links["back_pressure"] = slices_of(timeline, &noc::LinkStatistics::back_pressure);
  return links;
}

Json latency_object(const LogHistogram& histogram, const char* unit, double unit_size) {
  if (histogram.count() == 0) return nullptr;
  const auto value = [unit_size](std::uint64_t v) -> Json {
    if (unit_size == 1.0) return v;
    return static_cast<double>(v) * unit_size;
  };
  Json o{{"unit", unit}, {"count", histogram.count()}, {"mean", histogram.mean() * unit_size}};
  o["p50"] = value(histogram.percentile(0.50));
  o["p90"] = value(histogram.percentile(0.90));
  o["p95"] = value(histogram.percentile(0.95));
  o["p99"] = value(histogram.percentile(0.99));
  o["max"] = value(histogram.max());
  o["bins"] = Json::array();
  for (const LogHistogram::Bin& bin : histogram.bins())
    o["bins"].push_back({value(bin.from), value(bin.to + 1), bin.count});
  return o;
}

Json latency_object(const memory::LatencyHistogram& histogram, double clock_ns) {
  LogHistogram coarse;
  for (std::size_t i = 0; i < histogram.bins().size(); ++i) coarse.add(i, histogram.bins()[i]);
  return latency_object(coarse, "ns", clock_ns);
}

std::string fingerprint(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
  return digits;
}

}  // namespace meshkv::platform
