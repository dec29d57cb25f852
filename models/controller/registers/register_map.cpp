#include "models/controller/registers/register_map.h"

#include <cctype>
#include <stdexcept>

namespace meshkv::controller {
namespace {

std::vector<BlockInfo> make_map() {
  std::vector<BlockInfo> map;
#define MESHKV_BLOCK(block, base, stride, count, meaning) \
  map.push_back({#block, base, stride, count, meaning, {}});
#define MESHKV_REGISTER(block, name, offset, access, meaning) \
  map.back().registers.push_back({#name, offset, Access::k##access, meaning});
#define MESHKV_INTERRUPT(name, number, meaning)
#define MESHKV_CONSTANT(name, value, meaning)
#include "models/controller/registers/registers.inc"
#undef MESHKV_BLOCK
#undef MESHKV_REGISTER
#undef MESHKV_INTERRUPT
#undef MESHKV_CONSTANT
  return map;
}

}  // namespace

const char* access_name(Access access) {
  switch (access) {
    case Access::kReadOnly:
      return "read-only";
    case Access::kWriteOnly:
      return "write-only";
    default:
      return "read-write";
  }
}

const std::vector<BlockInfo>& register_map() {
  static const std::vector<BlockInfo> map = make_map();
  return map;
}

const std::vector<NamedNumber>& interrupt_sources() {
  static const std::vector<NamedNumber> sources{
#define MESHKV_BLOCK(block, base, stride, count, meaning)
#define MESHKV_REGISTER(block, name, offset, access, meaning)
#define MESHKV_INTERRUPT(name, number, meaning) {#name, number, meaning},
#define MESHKV_CONSTANT(name, value, meaning)
#include "models/controller/registers/registers.inc"
#undef MESHKV_INTERRUPT
#undef MESHKV_CONSTANT
  };
  return sources;
}

const std::vector<NamedNumber>& register_constants() {
  static const std::vector<NamedNumber> constants{
#define MESHKV_INTERRUPT(name, number, meaning)
#define MESHKV_CONSTANT(name, value, meaning) {#name, value, meaning},
#include "models/controller/registers/registers.inc"
#undef MESHKV_BLOCK
#undef MESHKV_REGISTER
#undef MESHKV_INTERRUPT
#undef MESHKV_CONSTANT
  };
  return constants;
}

const BlockInfo& block_info(const std::string& name) {
  for (const BlockInfo& block : register_map())
    if (block.name == name) return block;
  throw std::logic_error("registers.inc has no block " + name);
}

std::string upper_case(const std::string& camel_case) {
  std::string text;
  for (const char c : camel_case) {
    if (std::isupper(static_cast<unsigned char>(c)) && !text.empty()) text += '_';
    text += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return text;
}

std::string register_name(const BlockInfo& block, const RegisterInfo& info) {
  return upper_case(block.name) + "_" + upper_case(info.name);
}

}  // namespace meshkv::controller
