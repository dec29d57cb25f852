// Files and folders that are written under another name and then put in place, so that whoever reads finds
// them whole or not at all.
#pragma once

#include <string>

namespace meshkv::platform {

/// ".tmp-HOST-PID": what is under way has this in its name, so that later calls can tell what nobody will
/// finish any more.
std::string part_mark();

/// Removes from `folder` what begins with `prefix` and has the mark of a process of this machine that is
/// dead.
void remove_abandoned(const std::string& folder, const std::string& prefix);

/// Why no file or folder can be made at `path`, which does not exist; empty: it can.
std::string why_not_made(const std::string& path);

/// Throws InputError naming `option` where write_whole() is bound to fail: what takes hours to make should
/// not be without a place at the end.
void check_output_file(const std::string& file, const std::string& option);

/// Writes a file by a temporary one beside it and a rename; makes the folder above it. Throws InputError
/// naming `option`.
void write_whole(const std::string& file, const std::string& text, const std::string& option);

}  // namespace meshkv::platform
