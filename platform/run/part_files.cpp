#include "platform/run/part_files.h"

#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>
#include <vector>

#include "platform/scenario/input_error.h"
#include "platform/scenario/parameter.h"

namespace meshkv::platform {
namespace fs = std::filesystem;

namespace {

const std::string& host_name() {
  static const std::string cleaned = [] {
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    std::string text;
    for (const char* c = name; *c; ++c) text += std::isalnum(static_cast<unsigned char>(*c)) ? *c : '_';
    return text;
  }();
  return cleaned;
}

}  // namespace

std::string part_mark() {
  return ".tmp-" + host_name() + "-" + std::to_string(getpid());
}

void remove_abandoned(const std::string& folder, const std::string& prefix) {
  const std::string mark = ".tmp-" + host_name() + "-";
  std::error_code error;
  std::vector<fs::path> abandoned;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const std::size_t at = name.find(mark);
    if (name.rfind(prefix, 0) != 0 || at == std::string::npos) continue;
    const long pid = std::strtol(name.c_str() + at + mark.size(), nullptr, 10);
    if (pid > 0 && kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH) abandoned.push_back(entry.path());
  }
  for (const fs::path& path : abandoned) fs::remove_all(path, error);
}

std::string why_not_made(const std::string& path) {
  std::error_code error;
  fs::path above = fs::absolute(path, error).lexically_normal();
  if (error) return "there is no folder to start from: " + error.message();
  do {
    above = above.parent_path();
  } while (!above.empty() && above != above.root_path() && !fs::exists(above, error));
  if (!fs::is_directory(above, error)) return above.string() + " is not a folder";
  if (access(above.c_str(), W_OK | X_OK) != 0)
    return above.string() + " cannot be written: " + std::strerror(errno);
  return "";
}

void check_output_file(const std::string& file, const std::string& option) {
  const auto fail = [&](const std::string& reason) {
    throw InputError(option, "",
                     "found " + shown(file) + ": " + reason + "; allowed: a file that can be written");
  };
  std::error_code error;
  if (file.empty()) fail("no name");
  if (fs::is_directory(file, error)) fail("is a folder");
  const std::string reason = why_not_made(file);
  if (!reason.empty()) fail(reason);
}

void write_whole(const std::string& file, const std::string& text, const std::string& option) {
  const fs::path target = file;
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  std::error_code error;
  fs::create_directories(folder, error);
  static std::set<std::string>
      cleaned;  // a folder of golden files is looked through once, not for each of them
  if (cleaned.insert(fs::absolute(folder, error).string()).second) remove_abandoned(folder.string(), ".");
  const fs::path part = folder / ("." + target.filename().string() + part_mark());
  errno = 0;
  std::ofstream out(part, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  const bool written = static_cast<bool>(out);
  const std::string reason = std::strerror(errno);
  if (written) fs::rename(part, target, error);
  if (written && !error) return;
  std::error_code ignored;
  fs::remove(part, ignored);
  throw InputError(option, "", file + ": cannot be written: " + (written ? error.message() : reason));
}

}  // namespace meshkv::platform
