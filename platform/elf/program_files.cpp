#include "platform/elf/program_files.h"

#include <algorithm>
#include <filesystem>

#include "models/controller/native_core.h"
#include "platform/scenario/parameter.h"

namespace meshkv::platform {
namespace fs = std::filesystem;

bool is_program_name(const std::string& text) {
  return !text.empty() && text.find_first_of("/.") == std::string::npos;
}

std::string program_folder() {
  // build/release/platform/meshkv-vp and build/release/tests/meshkv-tests: build/release/firmware
  return (fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "firmware").string();
}

std::vector<std::string> program_names(const std::string& extension) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(program_folder(), error))
    if (entry.path().extension() == extension) names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string program_file(const std::string& name_or_file, const std::string& extension) {
  return is_program_name(name_or_file) ? program_folder() + "/" + name_or_file + extension : name_or_file;
}

namespace {

void refuse_unknown_name(const std::string& name, const std::string& extension) {
  const std::vector<std::string> names = program_names(extension);
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  std::string list;
  for (const std::string& known : names) list += (list.empty() ? "" : ", ") + known;
  const std::string near = nearest_name(name, names);
  throw std::runtime_error("found " + shown(name) + "; allowed: a file, or one of the programs " + list +
                           (near.empty() ? "" : "; did you mean " + near + "?"));
}

}  // namespace

riscv::ElfImage load_program(const std::string& name_or_file) {
  if (is_program_name(name_or_file)) refuse_unknown_name(name_or_file, ".elf");
  const std::string file = program_file(name_or_file, ".elf");
  try {
    riscv::ElfImage image = riscv::ElfImage::load(file);
    std::vector<std::uint8_t> ram(kControllerRamBytes);
    image.copy_to(ram.data(), kControllerRamBase, kControllerRamBytes);
    return image;
  } catch (const riscv::ElfError& e) {
    throw std::runtime_error(file + ": " + e.what());
  }
}

void check_native_program(const std::string& name_or_file) {
  if (is_program_name(name_or_file)) refuse_unknown_name(name_or_file, ".so");
  const std::string file = program_file(name_or_file, ".so");
  const std::string problem = controller::native_problem(file);
  if (!problem.empty())
    throw std::runtime_error((problem.find(file) == std::string::npos ? file + ": " + problem : problem) +
                             "; wanted: a shared object for this machine with firmware_start(), as NAME.so");
}

}  // namespace meshkv::platform
