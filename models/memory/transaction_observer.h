// Somebody who is told of the transactions that a memory controller has answered: traces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <systemc>

namespace meshkv::memory {

class TransactionObserver {
 public:
  virtual ~TransactionObserver() = default;
  /// `channel`: the first of those that it touched. `end` may lie ahead of the kernel's time (lt).
  virtual void transaction(int controller, std::size_t channel, const sc_core::sc_time& begin,
                           const sc_core::sc_time& end, std::uint64_t bytes) = 0;
};

}  // namespace meshkv::memory
