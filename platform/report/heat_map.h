// The mesh as a picture: every directed link with the share of its cycles that something took. One drawing
// for `--svg` and for the page, which recolours it.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "platform/report/result_files.h"

namespace meshkv::platform {

/// What of a link is shown. Each link-cycle is one of useful, back_pressure and other (control, duplicate,
/// idle; DESIGN section 11).
const std::vector<std::string>& heat_map_measures();

/// Dark blue to yellow by lightness (cividis, Nuñez et al. 2018): the same order for the colour-blind and in
/// grey print. "#rrggbb".
const std::array<std::string, 64>& heat_map_colours();

struct LinkShares {
  std::string key;                                                   ///< of details.json, "3_4.east"
  double useful = 0, back_pressure = 0, control = 0, duplicate = 0;  ///< of the link's cycles
  double share(const std::string& measure) const;
};

/// Over the whole run, in the order of details.json. Throws std::runtime_error where `links` (details.json)
/// is not as documented.
std::vector<LinkShares> whole_run_shares(const Json& links);

/// A nice percentage at or above the largest share of all runs that have links: where the colours end.
double heat_map_limit(const std::vector<ReportRun>& runs, const std::string& measure);

/// The drawing of one run, an <svg> without XML declaration; `limit`: the share that has the last colour.
/// Every link is <g class="link" data-link="INDEX">.
std::string heat_map_svg(const ReportRun& run, const std::string& measure, double limit);

/// A file for papers: the runs side by side with one scale. Throws InputError if none has links.
std::string heat_map_file(const std::vector<ReportRun>& runs, const std::string& measure);

}  // namespace meshkv::platform
