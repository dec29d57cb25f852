#include "platform/regress/result_store.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "platform/run/part_files.h"
#include "platform/scenario/input_error.h"
#include "platform/scenario/json_file.h"
#include "platform/scenario/scenario_paths.h"

namespace meshkv::platform {
namespace fs = std::filesystem;
namespace {

Json read_json(const fs::path& file) {
  try {
    return parse_json(read_text_file(file.string()));
  } catch (const std::runtime_error&) {
    return nullptr;
  }
}

/// `from` takes the place of `to`; there is always a whole one.
void replace_folder(const fs::path& from, const fs::path& to) {
  if (rename(from.c_str(), to.c_str()) == 0) return;
  if (errno != ENOTEMPTY && errno != EEXIST)
    throw fs::filesystem_error("cannot be moved", from, to, std::error_code(errno, std::generic_category()));
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) {
    fs::remove_all(from);
    return;
  }
  // A file system that cannot exchange.
  fs::remove_all(to);
  fs::rename(from, to);
}

}  // namespace

ResultStore::ResultStore(const std::string& folder, const std::string& option)
    : folder_(folder), part_prefix_(part_mark() + "-") {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (!fs::is_directory(folder_, error) || access(folder_.c_str(), W_OK | X_OK) != 0) {
    const std::string reason = fs::exists(folder_, error) ? "" : why_not_made(folder_);
    throw InputError(option, "",
                     "found " + shown(folder_) + (reason.empty() ? "" : ": " + reason) +
                         "; allowed: a folder that can be written");
  }
  remove_abandoned(folder_, ".");
}

ResultStore::~ResultStore() {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error))
    if (entry.path().filename().string().rfind(part_prefix_, 0) == 0) fs::remove_all(entry.path(), error);
}

std::string ResultStore::place(const std::string& name, const std::string& key) const {
  // A name that is not valid is the scenario's own problem; here it must not leave the store.
  return (fs::path(folder_) / (name_from(name) + "-" + key.substr(0, 16))).string();
}

std::optional<StoredResult> ResultStore::find(const std::string& name, const std::string& key) const {
  const fs::path folder = place(name, key);
  const Json job = read_json(folder / "job.json");
  if (!job.is_object() || job.value("key", "") != key) return std::nullopt;
  StoredResult result;
  result.exit_code = job.value("exit", -1);
  result.err = job.value("stderr", "");
  result.cpu_s = job.value("cpu_s", 0.0);
  result.wall_s = job.value("wall_s", 0.0);
  result.folder = folder.string();
  result.results = read_json(folder / "results.json");
  if (!result.results.is_object()) return std::nullopt;  // somebody has been here
  return result;
}

std::string ResultStore::part(const std::string& key) const {
  return (fs::path(folder_) / (part_prefix_ + key.substr(0, 16))).string();
}

StoredResult ResultStore::keep(const std::string& name, const std::string& key, StoredResult result) const {
  const fs::path from = part(key), to = place(name, key);
  const Json job{{"key", key},
                 {"exit", result.exit_code},
                 {"stderr", result.err},
                 {"cpu_s", result.cpu_s},
                 {"wall_s", result.wall_s}};
  std::ofstream out(from / "job.json", std::ios::binary);
  out << job.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  out.close();
  if (!out) throw std::runtime_error("cannot write " + (from / "job.json").string());
  result.results = read_json(from / "results.json");
  replace_folder(from, to);
  result.folder = to.string();
  return result;
}

StoredResult ResultStore::drop(const std::string& key, StoredResult result) const {
  const fs::path from = part(key);
  result.results = read_json(from / "results.json");
  fs::remove_all(from);
  return result;
}

}  // namespace meshkv::platform
