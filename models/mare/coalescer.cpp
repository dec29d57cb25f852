#include "models/mare/coalescer.h"

#include <algorithm>
#include <stdexcept>

namespace meshkv::mare {

Coalescer::Coalescer(int window_cycles, int heads_per_line)
    : window_cycles_(static_cast<Cycle>(window_cycles)), heads_per_line_(heads_per_line) {
  if (window_cycles < 0 || heads_per_line < 1)
    throw std::invalid_argument("coalescer: window_cycles >= 0 and heads_per_line >= 1");
}

void Coalescer::merge(ClosedWindow& window, const Request& request) const {
  ++window.requests;
  window.heads |= request.heads;
  for_each_set(line_groups(request.heads, heads_per_line_), [&](int group) {
    const auto at = std::lower_bound(window.groups.begin(), window.groups.end(), group,
                                     [](const GroupDestinations& g, int v) { return g.group < v; });
    if (at == window.groups.end() || at->group != group) {
      window.groups.insert(at, {group, {request.requester}});
      return;
    }
    const auto tile = std::lower_bound(at->tiles.begin(), at->tiles.end(), request.requester);
    if (tile == at->tiles.end() || *tile != request.requester) at->tiles.insert(tile, request.requester);
  });
}

Coalescer::Added Coalescer::add(const Request& request, Cycle now) {
  ++statistics_.requests;
  for (ClosedWindow& w : windows_) {
    if (w.layer != request.layer || w.segment != request.segment || now >= w.closes) continue;
    ++statistics_.merged;
    merge(w, request);
    return {false, w.closes};
  }
  ++statistics_.windows;
  ClosedWindow w;
  w.layer = request.layer;
  w.segment = request.segment;
  w.opened = now;
  w.closes = now + window_cycles_;
  merge(w, request);
  windows_.push_back(std::move(w));
  return {true, now + window_cycles_};
}

std::vector<ClosedWindow> Coalescer::take_closed(Cycle now) {
  std::vector<ClosedWindow> closed;
  // A home asks whenever it does something; what follows allocates.
  if (next_close() > now) return closed;
  const auto open = std::stable_partition(windows_.begin(), windows_.end(),
                                          [now](const ClosedWindow& w) { return w.closes <= now; });
  closed.assign(std::make_move_iterator(windows_.begin()), std::make_move_iterator(open));
  windows_.erase(windows_.begin(), open);
  std::stable_sort(closed.begin(), closed.end(),
                   [](const ClosedWindow& a, const ClosedWindow& b) { return a.closes < b.closes; });
  return closed;
}

Cycle Coalescer::next_close() const {
  Cycle next = kNever;
  for (const ClosedWindow& w : windows_) next = std::min(next, w.closes);
  return next;
}

}  // namespace meshkv::mare
