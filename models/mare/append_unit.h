// The home's way to write the keys and values of a new token into a block (16-bit formats: two rows;
// quantised ones: the key groups of the segment are read, widened where the new key leaves their range, and
// written back). Which bytes move does not depend on the numbers.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "models/common/clock_domain.h"
#include "models/data/slice_codec.h"
#include "models/mare/data_kinds.h"
#include "models/memory/memory_map.h"
#include "models/memory/memory_port.h"
#include "models/noc/packet.h"
#include "models/workload/decode_plan.h"

namespace meshkv::mare {

struct AppendStatistics {
  std::uint64_t tokens = 0;  ///< rows of one head, keys and values
  std::uint64_t read_bytes = 0;
  std::uint64_t written_bytes = 0;
};

/// One append at a time, in the order of arrival.
class AppendUnit : public memory::MemoryClient {
 public:
  /// `codec`: null without data.
  AppendUnit(const workload::DecodePlan& plan, const memory::MemoryMap& map, memory::MemoryPort& port,
             const data::SliceCodec* codec, ClockDomain& clock);

  /// A packet has been drained at `now`; its user field is the token's place in the segment.
  void on_append(const noc::Packet& packet, Cycle now);
  void on_memory_response(std::uint64_t tag, Cycle when, bool ok) override;

  bool idle() const { return queue_.empty(); }
  /// Fault: what is to be written is thrown away, in the same time.
  void lose_writes() { lose_writes_ = true; }
  const AppendStatistics& statistics() const { return statistics_; }

 private:
  struct Append {
    noc::PayloadKey key;
    int head = 0;   ///< within the line
    int token = 0;  ///< within the segment
    Cycle at = 0;
    SharedBytes::Pointer numbers;  ///< null without data
  };
  struct Range {
    std::uint32_t offset;  ///< in the slice
    std::uint32_t bytes;
  };
  void start(Cycle now);
  void transfer(const std::vector<Range>& ranges, bool write, Cycle now);
  void write_back(Cycle now);

  const workload::DecodePlan& plan_;
  const memory::MemoryMap& map_;
  memory::MemoryPort& port_;
  const data::SliceCodec* codec_;
  ClockDomain& clock_;
  std::deque<Append> queue_;  ///< the front one is under way
  std::vector<unsigned char> slice_;
  std::uint64_t missing_ = 0;  ///< answers
  Cycle answered_ = 0;
  bool reading_ = false;
  bool lose_writes_ = false;
  AppendStatistics statistics_;
};

}  // namespace meshkv::mare
