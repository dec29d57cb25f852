// results.json and host.json, written so that a reader never sees half a file.
#pragma once

#include <string>
#include <vector>

#include "platform/scenario/parameter.h"

namespace meshkv::platform {

/// `format` of results.json: grows when a reader of the old one would misread the new one.
constexpr int kResultsFormat = 1;

struct ConsoleText {
  std::string of;  ///< "dc_3"; with the run's name where there are several: "meshkv.dc_3"
  std::string text;
};

/// Throws InputError naming --out where the folder cannot be written, without making anything.
void check_results_folder(const std::string& folder);

/// A new folder appears with all files in it; in an old one each file is replaced at once, results.json last.
/// `details`: of details.json, which says itself to which results it belongs; null: none, and an old one is
/// removed.
/// `consoles`: what the columns' firmware wrote, as console.dc_3.txt; old ones are removed.
void write_results(const std::string& folder, const Json& results, const Json& host,
                   const Json& details = nullptr, const std::vector<ConsoleText>& consoles = {});

}  // namespace meshkv::platform
