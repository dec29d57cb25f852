// A reader of value change dumps (IEEE 1364-2005, clause 18) that knows nothing of who wrote them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace meshkv::test {

struct Vcd {
  struct Change {
    std::uint64_t time;
    std::uint64_t value;
  };
  struct Variable {
    int bits = 0;
    std::vector<Change> changes;  ///< in order of time
    /// Value at `time`; `unset` before the first change.
    std::uint64_t at(std::uint64_t time, std::uint64_t unset = 0) const;
  };
  std::string timescale;
  std::vector<std::string> comments;
  std::map<std::string, Variable> variables;  ///< by name with scopes, "chip.tile_0_0.router.port_east.flits"
  std::vector<std::uint64_t> times;
};

/// Throws std::runtime_error with the word that does not belong.
Vcd parse_vcd(const std::string& text);

}  // namespace meshkv::test
