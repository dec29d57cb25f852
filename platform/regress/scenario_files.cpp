#include "platform/regress/scenario_files.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <stdexcept>

#include "platform/regress/golden.h"
#include "platform/scenario/input_error.h"
#include "platform/scenario/json_file.h"

namespace meshkv::platform {
namespace fs = std::filesystem;
namespace {

bool holds_no_scenarios(const std::string& folder) {
  return folder == "models" || folder == "golden" || (!folder.empty() && folder[0] == '.');
}

std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error), end;
  if (error) throw InputError("command line", "", folder + ": cannot be read: " + error.message());
  while (entry != end) {
    const std::string name = entry->path().filename().string();
    if (entry->is_directory(error)) {
      if (holds_no_scenarios(name)) entry.disable_recursion_pending();
    } else if (entry->path().extension() == ".json" && name[0] != '.') {
      files.push_back(entry->path().lexically_normal().string());
    }
    entry.increment(error);
    if (error) throw InputError("command line", "", folder + ": cannot be read: " + error.message());
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool wanted(const std::string& file, const std::vector<std::string>& filters) {
  const std::string name = fs::path(file).filename().string();
  return filters.empty() || std::any_of(filters.begin(), filters.end(), [&](const std::string& filter) {
           return matches(filter, file) || matches(filter, name) ||
                  matches(filter, fs::path(name).stem().string());
         });
}

/// What the file itself says, without what it extends; null for what is not JSON.
Json content(const std::string& file) {
  try {
    return parse_json(read_text_file(file));
  } catch (const std::runtime_error&) {
    return nullptr;
  }
}

}  // namespace

FoundScenarios find_scenarios(const std::vector<std::string>& paths,
                              const std::vector<std::string>& filters) {
  FoundScenarios found;
  std::set<std::string> seen;
  const auto take = [&](const std::string& file) {
    std::error_code error;
    if (seen.insert(fs::weakly_canonical(file, error).string()).second) found.files.push_back(file);
  };
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::exists(path, error)) throw InputError("command line", "", path + ": no such file or folder");
    if (!fs::is_directory(path, error)) {
      if (wanted(path, filters)) take(path);
      continue;
    }
    for (const std::string& file : files_below(path)) {
      if (!wanted(file, filters)) continue;
      const Json json = content(file);
      if (json.is_object() && json.contains("abstract") && json["abstract"] == true)
        found.abstract.push_back(file);
      else if (json.is_object() && json.contains("axes"))
        found.sweeps.push_back(file);
      else if (json.is_object() && json.contains("rows"))
        found.tables.push_back(file);
      else
        take(file);
    }
  }
  if (found.files.empty())
    throw InputError("command line", "",
                     filters.empty() ? "found no scenario there" : "no scenario there matches --filter");
  return found;
}

}  // namespace meshkv::platform
