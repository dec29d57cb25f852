// details.json: what pictures are made of and is too much for results.json (docs/results.md).
#pragma once

#include <string>

#include "models/common/log_histogram.h"
#include "models/memory/latency_histogram.h"
#include "models/noc/link_timeline.h"
#include "platform/scenario/parameter.h"

namespace meshkv::platform {

/// "3_4.east", "3_4.tile" (ejection), "3_4.injection", "3_4.injection_1".
std::string link_key(const MeshShape& mesh, const noc::LinkName& link);

/// {"mesh", "links", "slice_ends", and by class a list a slice of a number a link; a slice of zeros is []}.
Json links_object(const noc::LinkTimeline& timeline);

/// {"unit", "count", "mean", "p50", "p90", "p95", "p99", "max", "bins": [[from, to, count]...]}; `unit_size`:
/// what a value of the histogram stands for.
Json latency_object(const LogHistogram& histogram, const char* unit, double unit_size);
/// Null without samples.
Json latency_object(const memory::LatencyHistogram& histogram, double clock_ns);

/// Ties details.json to the results.json that it belongs to: 16 hexadecimal digits of FNV-1a.
std::string fingerprint(const std::string& text);

}  // namespace meshkv::platform
