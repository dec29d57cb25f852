#include "platform/scenario/scenario_paths.h"

#include <cctype>
#include <filesystem>

#include "platform/elf/program_files.h"

namespace meshkv::platform {
namespace fs = std::filesystem;

std::string name_from(const std::string& file) {
  std::string name = fs::path(file).stem().string().substr(0, 99);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-') c = '_';
  if (name.empty() || name[0] == '.') name.insert(0, 1, '_');
  return name;
}

std::string resolved_file(const MergedValues& merged, const std::string& path) {
  const std::string file = merged.find(path)->get<std::string>();
  const std::string& directory = merged.directory(path);
  if (path == "controllers.firmware" && is_program_name(file)) return file;
  if (directory == "." || fs::path(file).is_absolute()) return file;
  return (fs::path(directory) / file).lexically_normal().string();
}

Json reusable_parameters(const RunConfig& config, const std::string& scenario_file) {
  Json all = resolved_parameters(config);
  const fs::path folder = fs::absolute(scenario_file).lexically_normal().parent_path();
  for (const Parameter& p : parameters()) {
    if (p.type != ParameterType::kFile) continue;
    Json* at = &all;
    for (std::size_t begin = 0; begin <= p.path.size() && at;) {
      const std::size_t end = std::min(p.path.find('.', begin), p.path.size());
      const std::string key = p.path.substr(begin, end - begin);
      at = at->is_object() && at->contains(key) ? &(*at)[key] : nullptr;
      begin = end + 1;
    }
    if (!at || !at->is_string()) continue;
    const std::string file = at->get<std::string>();
    if (p.path == "controllers.firmware" && is_program_name(file)) continue;
    *at = file.empty() ? Json()
                       : Json(fs::absolute(file).lexically_normal().lexically_relative(folder).string());
  }
  return all;
}

}  // namespace meshkv::platform
