// What a column's descriptor controller writes to a tile over the control bus: TLM base protocol,
// memory-mapped.
#pragma once

#include <cstdint>

namespace meshkv::controller {

/// Register offsets of a tile's control block; each tile of a column has a window of kTileWindow bytes, row
/// by row.
constexpr std::uint64_t kTileWindow = 0x1000;
constexpr std::uint64_t kRegDescriptor = 0x00;  ///< W, sizeof(Descriptor) bytes
constexpr std::uint64_t kRegLayer = 0x10;       ///< R, 4 bytes: layer of the last BEGIN_LAYER
constexpr std::uint64_t kRegSegmentsDone =
    0x14;  ///< R, 4 bytes: segments of the layer that the tile has computed
constexpr std::uint64_t kRegPartsMissing =
    0x18;  ///< R, 4 bytes: PART packets that this reduce root waits for, or has not merged
constexpr std::uint64_t kRegAccepted =
    0x1c;  ///< R, 4 bytes: FETCH_COMPUTE of the layer that the tile has taken

enum class Operation : std::uint32_t {
  kBeginLayer = 1,    ///< layer
  kFetchCompute = 2,  ///< layer, segment: the tile resolves home and heads, fetches and computes. Those of
                      ///< its list in their order; one that it has taken before does nothing
  kPrefetch = 3  ///< layer, segment, tokens: tile-local prefetch descriptor to the block's home (section V)
};

/// Little endian, 16 bytes.
struct Descriptor {
  Operation operation = Operation::kBeginLayer;
  std::uint32_t layer = 0;
  std::uint32_t segment = 0;
  std::uint32_t tokens = 0;
};
static_assert(sizeof(Descriptor) == 16);

}  // namespace meshkv::controller
