#include "models/takv/swap_sample.h"

#include <map>
#include <numeric>
#include <set>

namespace meshkv::takv {

double sum_of_squares(const std::vector<double>& q) {
  return std::inner_product(q.begin(), q.end(), q.begin(), 0.0);
}

std::vector<double> SwapSample::occupancies(int layer) const {
  std::vector<double> q(static_cast<std::size_t>(plan_.mesh().nodes()), 0.0);
  for (int slot = 0; slot < plan_.slots(); ++slot)
    q[plan_.home(layer, static_cast<std::uint32_t>(slot))] += static_cast<double>(load(layer, slot));
  return q;
}

double SwapSample::spread() const {
  double sum = 0, flat = 0;
  for (const int layer : plan_.layers()) {
    const std::vector<double> q = occupancies(layer);
    std::set<NodeId> homes;
    for (int slot = 0; slot < plan_.slots(); ++slot)
      homes.insert(plan_.home(layer, static_cast<std::uint32_t>(slot)));
    const double total = std::accumulate(q.begin(), q.end(), 0.0);
    sum += sum_of_squares(q);
    flat += total * total / static_cast<double>(homes.size());
  }
  return flat == 0 ? 0 : sum / flat;
}

std::vector<bool> SwapSample::left_out(int layer) const {
  workload::DecodeConfig whole = plan_.decode();
  whole.sampled_segment_from = 0;
  whole.sampled_segment_to = -1;
  const workload::SegmentTable table(whole, plan_.step());
  std::vector<bool> left_out(static_cast<std::size_t>(plan_.slots()), false);
  for (const auto& s : table.needed(layer)) left_out[static_cast<std::size_t>(s.slot)] = true;
  for (const auto& s : plan_.segments().needed(layer)) left_out[static_cast<std::size_t>(s.slot)] = false;
  return left_out;
}

/// By slot: asked for sooner after another one of the same home than where homes take turns.
std::vector<bool> SwapSample::queued(int layer) const {
  std::vector<bool> queues(static_cast<std::size_t>(plan_.slots()), false);
  // Place in the order of decoding, from 1 on.
  std::vector<std::size_t> last(static_cast<std::size_t>(plan_.mesh().nodes()), 0);
  std::size_t place = 0;
  for (const auto& s : plan_.segments().needed(layer)) {
    std::size_t& before = last[plan_.home(layer, static_cast<std::uint32_t>(s.slot))];
    const auto turn = static_cast<std::size_t>(plan_.mesh().height);
    ++place;
    queues[static_cast<std::size_t>(s.slot)] = before != 0 && place - before < turn;
    before = place;
  }
  return queues;
}

std::vector<BlockLoad> SwapSample::candidates(int layer, bool hbm) const {
  const std::vector<bool> out = left_out(layer), queues = queued(layer);
  std::map<std::pair<NodeId, std::uint64_t>, int> alike;
  std::vector<BlockLoad> blocks;
  for (const bool first : {true, false}) {  // those that queue come first
    for (int slot = 0; slot < plan_.slots(); ++slot) {
      const auto s = static_cast<std::uint32_t>(slot);
      if (out[s] || queues[s] != first || map_.in_hbm(layer, s) != hbm) continue;
      if (++alike[{plan_.home(layer, s), load(layer, slot)}] > config_.swaps_per_period) continue;
      blocks.push_back({layer, slot, static_cast<double>(load(layer, slot))});
    }
  }
  return blocks;
}

}  // namespace meshkv::takv
