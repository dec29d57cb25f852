#include "models/memory/channel_scheduler.h"

#include <algorithm>

namespace meshkv::memory {
namespace {

constexpr int kQueueBursts = 32;     ///< transaction queue and write buffer, each
constexpr int kBankQueueBursts = 8;  ///< command queue of a bank
constexpr int kEagerDrain = 8;       ///< more writes than that go when nothing else is to do
constexpr Clk kEarlyClocks = 28;     ///< see claim_bank()

/// Bursts of a run in bank group `group` of `groups`.
int share(int first, int bursts, int group, int groups) {
  const int offset = (group - first % groups + groups) % groups;
  return offset >= bursts ? 0 : (bursts - offset - 1) / groups + 1;
}

}  // namespace

ChannelScheduler::ChannelScheduler(const DramTiming& timing)
    : t_(timing),
      groups_(timing.bank_groups),
      banks_per_group_(timing.banks / timing.bank_groups),
      set_bursts_(timing.row_bytes / timing.burst_bytes * timing.bank_groups),
      banks_(static_cast<std::size_t>(timing.banks)),
      served_(static_cast<std::size_t>(timing.banks / timing.bank_groups)),
      refresh_due_(timing.refi) {}

void ChannelScheduler::submit(std::uint32_t id, std::uint64_t address, std::uint64_t bytes, bool write,
                              Clk arrival) {
  const auto burst = static_cast<std::uint64_t>(t_.burst_bytes);
  const Access access{address / burst, (address + bytes - 1) / burst + 1, arrival, -1, id};
  if (pending_bursts_ == 0) count_until(arrival);
  pending_bursts_ += access.end - access.burst;
  (write ? writes_ : reads_).push_back(access);
  next_ = std::min(next_, arrival);
}

/// Bank groups that a run needs.
std::uint8_t ChannelScheduler::touched(const Run& run) const {
  unsigned mask = 0;
  for (int g = 0; g < groups_; ++g)
    if (share(run.first, run.bursts, g, groups_) != 0) mask |= 1U << g;
  return static_cast<std::uint8_t>(mask);
}

/// The next run of the oldest access: to the end of its row set, or `longest`. False: none has arrived.
bool ChannelScheduler::cut(std::deque<Access>& waiting, Clk now, int longest, Run& run) const {
  if (waiting.empty() || waiting.front().arrival > now) return false;
  Access& access = waiting.front();
  const auto set_bursts = static_cast<std::uint64_t>(set_bursts_);
  const std::uint64_t set = access.burst / set_bursts;
  const std::uint64_t end =
      std::min({access.end, (set + 1) * set_bursts, access.burst + static_cast<unsigned>(longest)});
  if (access.entered < 0) access.entered = now;
  run.id = access.id;
  run.entered = access.entered;
  run.ready = now + 1;
  run.bank = static_cast<std::uint8_t>(set % static_cast<std::uint64_t>(banks_per_group_));
  run.row = set / static_cast<std::uint64_t>(banks_per_group_);
  run.first = static_cast<std::uint16_t>(access.burst % set_bursts);
  run.bursts = static_cast<std::uint16_t>(end - access.burst);
  run.touched = touched(run);
  access.burst = end;
  run.last = end == access.end;
  if (run.last) waiting.pop_front();
  return true;
}

void ChannelScheduler::count_queued(const Run& run, int bursts, int sign) {
  for (int g = 0; g < groups_; ++g) {
    const int n = share(run.first, bursts, g, groups_);
    if (n == 0) continue;
    Bank& b = bank(run, g);
    over_ -= std::max(0, b.queued - kBankQueueBursts);
    b.queued += sign * n;
    over_ += std::max(0, b.queued - kBankQueueBursts);
  }
}

void ChannelScheduler::push(const Run& run) {
  count_queued(run, run.bursts, 1);
  window_.push_back(run);
  ++unclaimed_;
}

/// Whether the command queues of its banks have room.
bool ChannelScheduler::fits(const Run& run) {
  for (int g = 0; g < groups_; ++g) {
    const int n = share(run.first, run.bursts, g, groups_);
    if (n != 0 && bank(run, g).queued + n > kBankQueueBursts) return false;
  }
  return true;
}

void ChannelScheduler::refill_reads(Clk now) {
  Run run;
  while (!draining_ && over_ < kQueueBursts && cut(reads_, now, set_bursts_, run)) push(run);
}

/// A write is answered when the last of it is in the write buffer; its data come at the pace of the bus.
void ChannelScheduler::refill_writes(Clk now, std::vector<Done>& done) {
  Run run;
  run.write = true;
  while (buffered_ < kQueueBursts && cut(writes_, now, kQueueBursts - buffered_, run)) {
    buffer_.push_back(run);
    buffered_ += run.bursts;
    if (run.last) done.push_back({run.id, run.entered, now + run.bursts * t_.burst_clocks - 1});
  }
}

/// Writes wait until the buffer is full, or nothing else is to do.
void ChannelScheduler::drain(Clk now) {
  const bool idle = window_.empty() && (reads_.empty() || reads_.front().arrival > now);
  if (buffered_ >= kQueueBursts || (window_.empty() && buffered_ > kEagerDrain) || (idle && buffered_ > 0))
    draining_ = true;
  if (!draining_) return;
  std::size_t kept = 0;
  for (Run& run : buffer_) {
    if (fits(run)) {
      run.ready = now + 1;
      push(run);
      buffered_ -= run.bursts;
    } else {
      buffer_[kept++] = run;
    }
  }
  buffer_.resize(kept);
  draining_ = kept != 0;
}

/// A slot for an ACT, kNoClk if the refresh comes first: the earliest that keeps tRRD and tFAW with those
/// already placed, earlier and later ones.
Clk ChannelScheduler::reserve_activation(Clk earliest, int group) {
  const auto last = activations_.end();
  // What was placed before the oldest that is remembered is not known: no gap there is taken.
  Clk at = std::max(earliest, activations_.front().at + 1);
  for (bool moved = true; moved;) {
    moved = false;
    for (const Activation& a : activations_) {
      const Clk gap = a.group == group ? t_.rrd_l : t_.rrd_s;
      if (at > a.at - gap && at < a.at + gap) at = a.at + gap, moved = true;
    }
    // tFAW: with this one among them, any five in a row must span it.
    for (auto a = activations_.begin(); a + 3 != last && !moved; ++a) {
      const bool after = at >= (a + 3)->at && at < a->at + t_.faw;
      const bool among = at > a->at && at < (a + 3)->at && (a + 3)->at < a->at + t_.faw;
      if (after || among) at = std::max(a->at + t_.faw, at + 1), moved = true;
    }
  }
  if (at >= refresh_due_) return kNoClk;
  const auto where = std::upper_bound(activations_.begin(), activations_.end(), at,
                                      [](Clk t, const Activation& a) { return t < a.at; });
  std::move(activations_.begin() + 1, where, activations_.begin());
  *(where - 1) = {at, group};
  return at;
}

/// Opens the run's row in one bank group, or takes it as it is open. False: not before the refresh.
bool ChannelScheduler::claim_bank(Run& run, int group, Clk visible) {
  Bank& b = bank(run, group);
  if (b.row == static_cast<std::int64_t>(run.row)) {
    ++statistics_.row_hits;
  } else {
    const bool open = b.row >= 0;
    Clk activate = std::max(visible, b.activate);
    if (open) {
      // Two bank groups keep the bus busy, so where all were read from, those that the next run needs first
      // finish the old row early: by up to half of what was read, and not more than the command queues hold.
      const Bank& opposite = bank(run, (group + groups_ / 2) % groups_);
      const bool elastic = b.streak >= 3 && std::max(opposite.streak, opposite.streak_before) >= b.streak / 2;
      const Clk early = elastic ? std::min<Clk>(kEarlyClocks, Clk{b.streak} * groups_) : 0;
      activate = std::max(activate, std::max({visible, b.precharge - early, b.opened + t_.ras}) + t_.rp);
    }
    activate = reserve_activation(activate, group);
    if (activate == kNoClk) return false;
    ++statistics_.activations;
    ++(open ? statistics_.row_misses : statistics_.row_closed);
    b.row = static_cast<std::int64_t>(run.row);
    b.opened = activate;
    b.streak_before = b.streak;
    b.streak = 0;
    b.column = activate + t_.rcd;
    b.precharge = activate + t_.ras;
    b.activate = activate + t_.rc;
  }
  ++b.users;
  run.claimed = static_cast<std::uint8_t>(run.claimed | 1U << group);
  const int offset = (group - run.first % groups_ + groups_) % groups_;
  run.ready = std::max(run.ready, b.column - Clk{offset} * t_.ccd_s);
  return true;
}

/// Oldest first: each bank serves the oldest run that needs it, and whoever else wants the same row.
void ChannelScheduler::claim(Clk now) {
  if (unclaimed_ == 0) return;
  std::uint64_t blocked = 0;
  for (Run& run : window_) {
    if (run.claimed == run.touched) continue;
    Clk visible = now + 1;
    for (int g = 0; g < groups_; ++g) {
      if ((run.touched >> g & 1U) == 0 || (run.claimed >> g & 1U) != 0) continue;
      const std::uint64_t bit = std::uint64_t{1} << (run.bank * groups_ + g);
      const Bank& b = bank(run, g);
      const bool other_row = b.row != static_cast<std::int64_t>(run.row);
      if ((blocked & bit) != 0 || (b.users != 0 && other_row)) {
        blocked |= bit;
        continue;
      }
      const bool conflict = b.row >= 0 && other_row;
      if (!claim_bank(run, g, visible)) return;
      if (conflict) ++visible;  // one PRE a clock
    }
    if (run.claimed == run.touched) --unclaimed_;
  }
}

/// First column command of a run that has its rows: tCCD and turnaround.
Clk ChannelScheduler::start_of(const Run& run) const {
  const bool same_group = run.first % groups_ == last_group_;
  const Clk step = same_group ? t_.ccd_l : t_.ccd_s;
  const Clk turn = run.write ? t_.cl + t_.burst_clocks - t_.cwl + t_.rtr
                             : t_.cwl + t_.burst_clocks + (same_group ? t_.wtr_l : t_.wtr_s);
  const Clk after_read = last_read_ + (run.write ? turn : step);
  const Clk after_write = last_write_ + (run.write ? step : turn);
  return std::max({run.ready, after_read, after_write});
}

void ChannelScheduler::issue(std::size_t index, Clk start, std::vector<Done>& done) {
  Run& run = window_[index];
  const bool write = run.write;
  const Clk room = (refresh_due_ - start + t_.ccd_s - 1) / t_.ccd_s;  // column commands before the refresh
  const int n = static_cast<int>(std::min<Clk>(run.bursts, room));
  // One bank group alone goes at tCCD_L.
  const Clk step = (run.touched & (run.touched - 1)) == 0 ? t_.ccd_l : t_.ccd_s;
  const Clk last = start + (n - 1) * step;
  const Clk recover = write ? t_.cwl + t_.burst_clocks + t_.wr : t_.rtp;
  count_queued(run, n, -1);
  for (int g = 0; g < groups_; ++g) {
    const int mine = share(run.first, n, g, groups_);
    if (mine == 0) continue;
    const int offset = (g - run.first % groups_ + groups_) % groups_ + (mine - 1) * groups_;
    Bank& b = bank(run, g);
    b.precharge = std::max(b.precharge, start + Clk{offset} * step + recover);
    b.streak += mine;
    if (n == run.bursts) --b.users;
  }
  if ((write ? last_read_ : last_write_) > (write ? last_write_ : last_read_)) ++statistics_.turnarounds;
  (write ? last_write_ : last_read_) = last;
  bus_until_ = last + t_.burst_clocks;
  last_group_ = (run.first + n - 1) % groups_;
  served_[run.bank] = start;
  (write ? statistics_.write_bursts : statistics_.read_bursts) += static_cast<std::uint64_t>(n);
  pending_bursts_ -= static_cast<std::uint64_t>(n);
  if (n == run.bursts) {
    if (run.last && !write) done.push_back({run.id, run.entered, last + t_.cl + t_.burst_clocks});
    window_.erase(window_.begin() + static_cast<std::ptrdiff_t>(index));
    return;
  }
  // The refresh takes the rows, and the claims on them, before the rest goes.
  run.first = static_cast<std::uint16_t>(run.first + n);
  run.bursts = static_cast<std::uint16_t>(run.bursts - n);
  run.touched = touched(run);
}

/// All banks close as soon as they may, then the rank is away for tRFC.
void ChannelScheduler::refresh() {
  Clk precharge = refresh_due_;
  bool open = false;
  for (const Bank& b : banks_) {
    if (b.row < 0) continue;
    precharge = std::max(precharge + (open ? 1 : 0), b.precharge);
    open = true;
  }
  const Clk start = open ? precharge + t_.rp : refresh_due_;
  for (Bank& b : banks_) {
    b.row = -1;
    b.activate = std::max(b.activate, start + t_.rfc);
    b.users = b.streak = b.streak_before = 0;
  }
  for (Run& run : window_) run.claimed = 0, run.ready = start + t_.rfc;
  unclaimed_ = static_cast<int>(window_.size());
  refresh_due_ += t_.refi;
  ++statistics_.refreshes;
}

/// Nothing was pending: the refreshes up to `now` have happened by themselves.
void ChannelScheduler::skip_idle_refreshes(Clk now) {
  const Clk missed = (now - refresh_due_) / t_.refi;
  if (missed > 0) {
    refresh_due_ += missed * t_.refi;
    statistics_.refreshes += static_cast<std::uint64_t>(missed);
  }
  if (now >= refresh_due_) refresh();
}

/// One decision at `now`. Returns whether it issued a run; else next_ says when to ask again.
bool ChannelScheduler::decide(Clk now, std::vector<Done>& done) {
  refill_reads(now);
  refill_writes(now, done);
  drain(now);
  claim(now);
  std::size_t best = 0;
  Clk earliest = kNoClk;
  for (std::size_t i = 0; i < window_.size(); ++i) {
    const Run& run = window_[i];
    if (run.claimed != run.touched) continue;
    const Clk start = std::max(now, start_of(run));
    // Bank numbers take turns.
    if (start < earliest || (start == earliest && served_[run.bank] < served_[window_[best].bank]))
      earliest = start, best = i;
  }
  if (earliest == now) {
    issue(best, now, done);
    return true;
  }
  next_ = window_.empty() ? kNoClk : std::min(earliest, refresh_due_);
  for (const std::deque<Access>* waiting : {&reads_, &writes_})
    if (!waiting->empty() && waiting->front().arrival > now)
      next_ = std::min(next_, waiting->front().arrival);
  return false;
}

/// Busy: something waits, or the bus moves what was last issued.
void ChannelScheduler::count_until(Clk at) {
  if (at <= counted_) return;
  const Clk busy =
      pending_bursts_ != 0 ? at - counted_ : std::max<Clk>(0, std::min(at, bus_until_) - counted_);
  statistics_.busy_clocks += static_cast<std::uint64_t>(busy);
  statistics_.queue_clocks += static_cast<double>(pending_bursts_) * static_cast<double>(at - counted_);
  counted_ = at;
}

void ChannelScheduler::advance(Clk now, std::vector<Done>& done) {
  while (next_ <= now) {
    const Clk at = next_;
    count_until(at);
    if (at >= refresh_due_) skip_idle_refreshes(at);
    while (decide(at, done)) {
    }
  }
}

}  // namespace meshkv::memory
