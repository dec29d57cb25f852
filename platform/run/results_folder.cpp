#include "platform/run/results_folder.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "platform/run/details.h"
#include "platform/run/part_files.h"
#include "platform/scenario/input_error.h"

namespace meshkv::platform {
namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const std::string& folder, const std::string& reason) {
  throw InputError("--out", "", folder + ": " + reason);
}

struct OutputFile {
  std::string name;
  std::string text;
};

void write_file(const fs::path& file, const std::string& text, const std::string& folder) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (out) return;
  const std::string reason = std::strerror(errno);
  std::error_code ignored;
  fs::remove(file, ignored);
  fail(folder, "cannot write " + file.string() + ": " + reason);
}

std::string text_of(const Json& content, int indent) {
  return content.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// In the order in which they are put in place.
std::vector<OutputFile> output_files(const Json& results, const Json& host, const Json& details,
                                     const std::vector<ConsoleText>& consoles) {
  std::vector<OutputFile> files{{"host.json", text_of(host, 2)}};
  const std::string text = text_of(results, 2);
  if (!details.is_null()) {
    Json tied{{"of", fingerprint(text)}};
    tied.update(details);
    files.push_back({"details.json", text_of(tied, -1)});
  }
  for (const ConsoleText& console : consoles)
    files.push_back({"console." + console.of + ".txt", console.text});
  files.push_back({"results.json", text});
  return files;
}

/// Consoles of a run before this one.
void remove_old_consoles(const fs::path& folder, const std::vector<OutputFile>& files) {
  std::error_code error;
  std::vector<fs::path> old;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const bool kept =
        std::any_of(files.begin(), files.end(), [&](const OutputFile& f) { return f.name == name; });
    if (name.rfind("console.", 0) == 0 && entry.path().extension() == ".txt" && !kept)
      old.push_back(entry.path());
  }
  for (const fs::path& file : old) fs::remove(file, error);
}

}  // namespace

void check_results_folder(const std::string& folder) {
  std::error_code error;
  const fs::path target = fs::absolute(folder, error).lexically_normal();
  const fs::path named = target.has_filename() ? target : target.parent_path();
  remove_abandoned(named.parent_path().string(), named.filename().string() + ".tmp-");
  remove_abandoned(named.string(), ".");
  if (fs::exists(folder, error)) {
    if (!fs::is_directory(folder, error)) fail(folder, "exists and is not a folder");
    if (access(folder.c_str(), W_OK | X_OK) != 0)
      fail(folder, std::string("cannot be written: ") + std::strerror(errno));
    for (const char* name : {"host.json", "results.json"})
      if (fs::is_directory(fs::path(folder) / name, error))
        fail(folder, std::string(name) + " is a folder there, and cannot be replaced");
    return;
  }
  const std::string reason = why_not_made(folder);
  if (!reason.empty()) fail(folder, reason);
}

void write_results(const std::string& folder, const Json& results, const Json& host, const Json& details,
                   const std::vector<ConsoleText>& consoles) {
  const std::vector<OutputFile> files = output_files(results, host, details, consoles);
  const std::string suffix = part_mark();
  const fs::path target = fs::absolute(folder).lexically_normal();
  std::error_code error;
  if (fs::is_directory(target, error)) {
    if (details.is_null()) fs::remove(target / "details.json", error);
    remove_old_consoles(target, files);
    for (const OutputFile& file : files) {
      const fs::path part = target / ("." + file.name + suffix);
      write_file(part, file.text, folder);
      fs::rename(part, target / file.name, error);
      if (!error) continue;
      std::error_code ignored;
      fs::remove(part, ignored);
      fail(folder, "cannot replace " + (target / file.name).string() + ": " + error.message());
    }
    return;
  }
  std::string bare = target.string();
  while (bare.size() > 1 && bare.back() == '/') bare.pop_back();
  const fs::path part = bare + suffix;
  fs::create_directories(part, error);
  if (error) fail(folder, "cannot be made: " + error.message());
  try {
    for (const OutputFile& file : files) write_file(part / file.name, file.text, folder);
    fs::rename(part, bare, error);
    if (error) fail(folder, "cannot be made: " + error.message());
  } catch (const InputError&) {
    fs::remove_all(part, error);
    throw;
  }
}

}  // namespace meshkv::platform
