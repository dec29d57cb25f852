#include "platform/regress/content_key.h"

#include <boost/uuid/detail/sha1.hpp>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "platform/elf/program_files.h"

namespace meshkv::platform {
namespace {

std::string whole_file(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return "";
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Every key that names a file, of whatever workload.kind: a file too many costs a simulation, one too few a
/// wrong result.
Json named_files(const MergedValues& merged) {
  Json files = Json::object();
  for (const Parameter& p : parameters()) {
    const bool may_name_file = p.type == ParameterType::kFile ||
                               (p.type == ParameterType::kText && p.path.find('.') != std::string::npos);
    if (!may_name_file || files.contains(p.path)) continue;
    const Json* value = merged.find(p.path);
    if (value && value->is_string()) files[p.path] = content_hash(whole_file(resolved_file(merged, p.path)));
  }
  return files;
}

}  // namespace

std::string content_hash(const std::string& bytes) {
  boost::uuids::detail::sha1 sha;
  sha.process_bytes(bytes.data(), bytes.size());
  unsigned int digest[5];
  sha.get_digest(digest);
  std::string text;
  for (unsigned int word : digest) {
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08x", word);
    text += digits;
  }
  return text;
}

const std::string& program_identity() {
  static const std::string identity = [] {
    const std::string program = whole_file("/proc/self/exe");
    if (program.empty()) throw std::runtime_error("cannot read /proc/self/exe");
    std::string all = content_hash(program);
    for (const char* extension : {".elf", ".so"})
      for (const std::string& name : program_names(extension))
        all += name + extension + content_hash(whole_file(program_file(name, extension)));
    return content_hash(all);
  }();
  return identity;
}

std::string content_key(const MergedValues& merged, const std::string& name, const std::string& program) {
  Json values = merged.values();
  for (const char* key : {"expect", "abstract", "$schema"}) values.erase(key);
  const Json all{{"program", program}, {"name", name}, {"values", values}, {"files", named_files(merged)}};
  return content_hash(all.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string scenario_name(const MergedValues& merged, const std::string& file) {
  const Json* name = merged.find("name");
  return name && name->is_string() ? name->get<std::string>() : name_from(file);
}

}  // namespace meshkv::platform
