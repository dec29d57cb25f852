// Tells a mesh that is deadlocked from one that is busy, saturated or drained. Costs a look every
// NocConfig::watchdog_cycles while packets are under way, nothing when there are none.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "models/common/clocked.h"
#include "models/noc/deadlock_report.h"

namespace meshkv::noc {

class Watchdog final : public Clocked {
 public:
  /// `routers` and `interfaces` are indexed by NodeId and complete.
  Watchdog(NocContext& context, std::vector<const Router*> routers,
           std::vector<const NetworkInterface*> interfaces);

  /// Called once, when nothing has moved for a whole period though something should. The platform stops the
  /// simulation here.
  std::function<void(const DeadlockReport&)> on_deadlock;
  const std::optional<DeadlockReport>& deadlock() const { return deadlock_; }

  void tick(Cycle now) override;

 private:
  std::uint64_t progress() const;
  bool under_way(Cycle now) const;
  Cycle next_drain(Cycle now) const;
  Cycle next_packet() const;

  NocContext& context_;
  std::vector<const Router*> routers_;
  std::vector<const NetworkInterface*> interfaces_;
  std::uint64_t last_progress_ = 0;
  Cycle moved_at_ = 0;
  std::optional<DeadlockReport> deadlock_;
};

}  // namespace meshkv::noc
