// What registers.inc describes, as constants and as a table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace meshkv::controller {

enum class Access : std::uint8_t { kReadOnly, kWriteOnly, kReadWrite };
const char* access_name(Access access);  ///< "read-only", ...

struct RegisterInfo {
  const char* name;  ///< "SegmentsDone"
  std::uint32_t offset;
  Access access;
  const char* meaning;
};

struct BlockInfo {
  const char* name;
  std::uint32_t base;
  std::uint32_t stride;  ///< bytes of an instance
  std::uint32_t count;   ///< instances
  const char* meaning;
  std::vector<RegisterInfo> registers;
};

struct NamedNumber {
  const char* name;
  std::uint32_t value;
  const char* meaning;
};

const std::vector<BlockInfo>& register_map();
const std::vector<NamedNumber>& interrupt_sources();
const std::vector<NamedNumber>& register_constants();
const BlockInfo& block_info(const std::string& name);

/// "SegmentsDone" -> "SEGMENTS_DONE"
std::string upper_case(const std::string& camel_case);
/// "TILE_SEGMENTS_DONE", as firmware and documents call it.
std::string register_name(const BlockInfo& block, const RegisterInfo& info);

/// Offsets within a block (kQueueSegment), constants (kMailboxDepth).
namespace reg {
#define MESHKV_BLOCK(block, base, stride, count, meaning)
#define MESHKV_REGISTER(block, name, offset, access, meaning) constexpr std::uint32_t k##block##name = offset;
#define MESHKV_INTERRUPT(name, number, meaning)
#define MESHKV_CONSTANT(name, value, meaning) constexpr std::uint32_t k##name = value;
#include "models/controller/registers/registers.inc"
#undef MESHKV_BLOCK
#undef MESHKV_REGISTER
#undef MESHKV_INTERRUPT
#undef MESHKV_CONSTANT
}  // namespace reg

/// Sources of the interrupt controller.
enum class Source : std::uint8_t {
#define MESHKV_BLOCK(block, base, stride, count, meaning)
#define MESHKV_REGISTER(block, name, offset, access, meaning)
#define MESHKV_INTERRUPT(name, number, meaning) k##name = number,
#define MESHKV_CONSTANT(name, value, meaning)
#include "models/controller/registers/registers.inc"
#undef MESHKV_BLOCK
#undef MESHKV_REGISTER
#undef MESHKV_INTERRUPT
#undef MESHKV_CONSTANT
};

}  // namespace meshkv::controller
