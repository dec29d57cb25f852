// Programs of the controllers: those that are built beside this program, and files of the user's.
#pragma once

#include <string>
#include <vector>

#include "models/riscv/elf_image.h"

namespace meshkv::platform {

/// RAM of a controller (firmware/hal/link.ld).
constexpr std::uint32_t kControllerRamBase = 0x80000000, kControllerRamBytes = 256 * 1024;

/// Whether the text is a program's name rather than a file's: "decode".
bool is_program_name(const std::string& text);
/// Where the programs are that are built with this one; they are files NAME.elf and NAME.so there.
std::string program_folder();
/// Names of those with that extension (".elf"), in order.
std::vector<std::string> program_names(const std::string& extension);
/// The file of a program that is named, or the file itself.
std::string program_file(const std::string& name_or_file, const std::string& extension);

/// An ELF file for a controller's hart. Throws std::runtime_error that says what is wrong, what is
/// allowed, and the nearest name.
riscv::ElfImage load_program(const std::string& name_or_file);
/// The same for a program that is compiled for this machine; only looks at it.
void check_native_program(const std::string& name_or_file);

}  // namespace meshkv::platform
