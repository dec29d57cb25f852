// One seed per instance, derived from the run's seed and the instance's hierarchical name.
#pragma once

#include <cstdint>
#include <string_view>

namespace meshkv {

/// splitmix64 finaliser (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).
constexpr std::uint64_t mix64(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// FNV-1a over the name, mixed with the run's seed: independent of the order in which instances are made.
constexpr std::uint64_t instance_seed(std::uint64_t run_seed, std::string_view name) {
  std::uint64_t h = 0xcbf29ce484222325ULL;
  for (char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return mix64(run_seed ^ mix64(h));
}

}  // namespace meshkv
