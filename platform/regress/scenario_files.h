// Which files `vp regress` runs.
#pragma once

#include <string>
#include <vector>

namespace meshkv::platform {

struct FoundScenarios {
  std::vector<std::string> files;     ///< sorted within a folder's tree, in the order of the arguments
  std::vector<std::string> abstract;  ///< passed by: `"abstract": true`
  std::vector<std::string> sweeps;    ///< passed by: they have `axes`, for `vp sweep`
  std::vector<std::string> tables;    ///< judged at the end: they have `rows`
};

/// A file is taken as it is. A folder is searched with its subfolders for *.json, except for what cannot hold
/// scenarios: folders called `models` (Hugging Face files) or `golden` (expected values), and names that
/// begin with a dot; abstract files and sweeps are passed by. `filter`: patterns with * of which one must
/// match the path or the file's name; empty: all. Throws InputError where a path is missing or nothing is
/// left.
FoundScenarios find_scenarios(const std::vector<std::string>& paths, const std::vector<std::string>& filters);

}  // namespace meshkv::platform
