// extends, files and --set become one object that remembers where each value came from.
#include <algorithm>
#include <filesystem>

#include "platform/scenario/json_file.h"
#include "platform/scenario/scenario.h"

namespace meshkv::platform {
namespace fs = std::filesystem;

namespace {

constexpr int kMaxFiles = 1000;  // a chain of lists that name one another can be exponentially long

std::string folder_of(const std::string& file) {
  const std::string folder = fs::path(file).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string beside(const std::string& directory, const std::string& name) {
  if (fs::path(name).is_absolute() || directory == ".") return name;
  return (fs::path(directory) / name).lexically_normal().string();
}

class Loader {
 public:
  explicit Loader(MergedValues& merged) : merged_(merged) {}

  /// `from`, `at`: who names the file, for the message.
  void load(const std::string& file, const std::string& from, const std::string& at) {
    std::error_code error;
    std::string identity = fs::weakly_canonical(file, error).string();
    if (error) identity = file;
    const bool cycle = std::find(stack_.begin(), stack_.end(), identity) != stack_.end();
    if (cycle)
      throw InputError(from, at, "found " + file + ", which extends this file in turn; allowed: no cycles");
    if (++files_ > kMaxFiles) throw InputError(from, at, "more than 1000 files are extended");
    stack_.push_back(identity);
    merge_file(read(file, from, at), file);
    stack_.pop_back();
  }

 private:
  static Json read(const std::string& file, const std::string& from, const std::string& at) {
    std::string text;
    try {
      text = read_text_file(file);
    } catch (const std::runtime_error& e) {
      if (from.empty()) throw InputError(file, "", e.what());
      throw InputError(from, at, file + ": " + e.what());
    }
    try {
      return parse_json(text);
    } catch (const std::runtime_error& e) {
      throw InputError(file, "", e.what());
    }
  }

  void merge_file(Json values, const std::string& file) {
    if (!values.is_object())
      throw InputError(file, "", "found " + shown(values) + "; allowed: a JSON object, {...}");
    const auto extends = values.find("extends");
    if (extends != values.end()) {
      const Parameter* parameter = find_parameter("extends", WorkloadKind::kDecode);
      if (auto reason = parameter->check(*extends)) throw InputError(file, "extends", *reason);
      const Json list = extends->is_array() ? *extends : Json::array({*extends});
      for (const Json& name : list) load(beside(folder_of(file), name.get<std::string>()), file, "extends");
      values.erase("extends");
    }
    const bool extended = stack_.size() > 1;
    if (extended) values.erase("abstract");
    merged_.merge(values, file, folder_of(file));
  }

  MergedValues& merged_;
  std::vector<std::string> stack_;
  int files_ = 0;
};

Json setting_value(const std::string& text) {
  try {
    return parse_json(text);
  } catch (const std::runtime_error&) {
    return text;
  }
}

void merge_setting(MergedValues& merged, const std::string& setting) {
  const std::string origin = "--set " + setting;
  const std::size_t equals = setting.find('=');
  const std::string path = setting.substr(0, equals);
  if (equals == std::string::npos || path.empty())
    throw InputError(origin, "", "found no path=value; allowed: for instance mesh.width=4");
  if (path == "extends" || path.rfind("extends.", 0) == 0)
    throw InputError(origin, "extends", "can stand in a file only");
  if (path.front() == '.' || path.back() == '.' || path.find("..") != std::string::npos) {
    const std::string near = nearest_parameter(path);
    throw InputError(origin, "", "has a dot too many" + (near.empty() ? "" : "; did you mean " + near + "?"));
  }
  if (std::count(path.begin(), path.end(), '.') > 16) throw InputError(origin, "", "has too many parts");
  Json value = setting_value(setting.substr(equals + 1));
  for (std::size_t end = path.size(); end != std::string::npos;) {
    const std::size_t dot = end == 0 ? std::string::npos : path.rfind('.', end - 1);
    const std::size_t begin = dot == std::string::npos ? 0 : dot + 1;
    Json outer = Json::object();
    outer[path.substr(begin, end - begin)] = std::move(value);
    value = std::move(outer);
    end = dot;
  }
  merged.merge(value, origin, ".");
}

}  // namespace

void MergedValues::merge(const Json& from, const std::string& origin, const std::string& base_directory) {
  merge_into(values_, from, "", {origin, base_directory});
}

void MergedValues::merge_into(Json& into, const Json& from, const std::string& path, const Place& place) {
  for (const auto& [key, value] : from.items()) {
    const std::string inner = path.empty() ? key : path + "." + key;
    const auto present = into.find(key);
    if (present != into.end() && present->is_object() && value.is_object()) {
      merge_into(*present, value, inner, place);
      continue;
    }
    into[key] = value;
    record(inner, place);
  }
}

void MergedValues::record(const std::string& path, const Place& place) {
  // What stood below this value before is gone, and so are its places.
  const std::string prefix = path + ".";
  auto below = places_.lower_bound(prefix);
  while (below != places_.end() && below->first.rfind(prefix, 0) == 0) below = places_.erase(below);
  places_[path] = place;
}

const MergedValues::Place& MergedValues::place(const std::string& path) const {
  static const Place nowhere{"", "."};
  for (std::string p = path;;) {
    const auto found = places_.find(p);
    if (found != places_.end()) return found->second;
    const std::size_t dot = p.find_last_of(".[");
    if (dot == std::string::npos) return nowhere;
    p.resize(dot);
  }
}

const Json* MergedValues::find(const std::string& path) const {
  const Json* at = &values_;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    if (!at->is_object()) return nullptr;
    const auto found = at->find(path.substr(begin, end - begin));
    if (found == at->end() || found->is_null()) return nullptr;
    at = &*found;
    begin = end + 1;
  }
  return at;
}

MergedValues load_merged(const std::string& file, const std::vector<std::string>& settings) {
  MergedValues merged;
  Loader(merged).load(file, "", "");
  for (const std::string& setting : settings) merge_setting(merged, setting);
  return merged;
}

}  // namespace meshkv::platform
