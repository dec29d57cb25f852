#include "platform/run/results_folder.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "platform/scenario/input_error.h"

namespace meshkv::platform {
namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const std::string& folder, const std::string& reason) {
  throw InputError("--out", "", folder + ": " + reason);
}

void write_file(const fs::path& file, const Json& content, const std::string& folder) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << content.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  out.flush();
  if (!out) fail(folder, "cannot write " + file.string() + ": " + std::strerror(errno));
}

}  // namespace

void check_results_folder(const std::string& folder) {
  std::error_code error;
  if (fs::exists(folder, error)) {
    if (!fs::is_directory(folder, error)) fail(folder, "exists and is not a folder");
    if (access(folder.c_str(), W_OK | X_OK) != 0)
      fail(folder, std::string("cannot be written: ") + std::strerror(errno));
    return;
  }
  fs::path above = fs::absolute(folder, error).lexically_normal();
  do {
    above = above.parent_path();
  } while (!above.empty() && above != above.root_path() && !fs::exists(above, error));
  if (!fs::is_directory(above, error)) fail(folder, above.string() + " is not a folder");
  if (access(above.c_str(), W_OK | X_OK) != 0)
    fail(folder, above.string() + " cannot be written: " + std::strerror(errno));
}

void write_results(const std::string& folder, const Json& results, const Json& host) {
  const std::string suffix = ".tmp-" + std::to_string(getpid());
  const fs::path target = fs::absolute(folder).lexically_normal();
  std::error_code error;
  if (fs::is_directory(target, error)) {
    for (const auto& [name, content] :
         {std::pair<const char*, const Json&>{"host.json", host}, {"results.json", results}}) {
      const fs::path part = target / (std::string(".") + name + suffix);
      write_file(part, content, folder);
      fs::rename(part, target / name, error);
      if (error) fail(folder, "cannot replace " + (target / name).string() + ": " + error.message());
    }
    return;
  }
  std::string bare = target.string();
  while (bare.size() > 1 && bare.back() == '/') bare.pop_back();
  const fs::path part = bare + suffix;
  fs::create_directories(part, error);
  if (error) fail(folder, "cannot be made: " + error.message());
  write_file(part / "host.json", host, folder);
  write_file(part / "results.json", results, folder);
  fs::rename(part, bare, error);
  if (error) fail(folder, "cannot be made: " + error.message());
}

}  // namespace meshkv::platform
