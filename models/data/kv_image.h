// What the cache must hold: the bytes of every slice, at the beginning of a run and after every step. No
// SystemC.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

#include "models/data/slice_codec.h"
#include "models/data/value_source.h"
#include "models/workload/decode_plan.h"

namespace meshkv::data {

/// Images are made when they are asked for, and the last ones are kept: whole caches do not fit a host.
class KvImage {
 public:
  using Bytes = std::shared_ptr<const std::vector<unsigned char>>;

  KvImage(const workload::DecodePlan& plan, const SliceCodec& codec, const ValueSource& source);

  /// The slice as step `step` reads it: the tokens of the prompt, and what the steps before it appended.
  Bytes slice(int layer, std::uint32_t slot, int group, int step);
  /// Bytes [offset, offset + bytes) of a slice before the first step: what the memory begins with.
  void initial(int layer, std::uint32_t slot, int group, std::uint64_t offset, unsigned char* out,
               std::uint64_t bytes);
  /// First flit in which the stream of `needed` differs from what step `step` should read; -1: none does.
  long first_difference(int layer, const workload::NeededSegment& needed, int group, int step,
                        const unsigned char* stream);

 private:
  struct Key {
    std::uint32_t slot;
    std::uint16_t layer, group;
    std::int32_t tokens;
    bool operator==(const Key& o) const {
      return slot == o.slot && layer == o.layer && group == o.group && tokens == o.tokens;
    }
  };
  struct Hash {
    std::size_t operator()(const Key& k) const;
  };
  struct Entry {
    Key key;
    Bytes bytes;
  };
  std::vector<unsigned char> make(int layer, std::uint32_t slot, int group, int tokens) const;
  Bytes keep(const Key& key, std::vector<unsigned char> bytes);

  const workload::DecodePlan& plan_;
  const SliceCodec& codec_;
  const ValueSource& source_;
  std::list<Entry> entries_;  ///< the one used last in front
  std::unordered_map<Key, std::list<Entry>::iterator, Hash> index_;
  std::size_t most_;  ///< entries
};

}  // namespace meshkv::data
