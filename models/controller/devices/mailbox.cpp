#include "models/controller/devices/mailbox.h"

#include <algorithm>
#include <string>

namespace meshkv::controller {

bool Mailbox::offer(const Word& word) {
  if (inbox_.size() + travelling_.size() >= reg::kMailboxDepth) return false;
  // A sender may be a little ahead of another one.
  const auto later = [](const Word& a, const Word& b) { return a.at < b.at; };
  travelling_.insert(std::upper_bound(travelling_.begin(), travelling_.end(), word, later), word);
  call_at_(travelling_.front().at);
  return true;
}

void Mailbox::deliver(Cycle now) {
  if (!travelling_.empty() && travelling_.front().at <= now) about_to_change();
  while (!travelling_.empty() && travelling_.front().at <= now) {
    inbox_.push_back(travelling_.front());
    travelling_.pop_front();
  }
  if (!travelling_.empty()) call_at_(travelling_.front().at);
  interrupts_.set_level(Source::kMailbox, !inbox_.empty(), now);
}

bool Mailbox::send(std::uint32_t value, Cycle now) {
  full_ = !all_[to_]->offer({now + travel_, column_, value});
  if (!full_) ++sent_;
  return true;
}

bool Mailbox::write(std::uint32_t offset, std::uint32_t value, Cycle now) {
  switch (offset) {
    case reg::kMailboxTo:
      if (value >= all_.size())
        return refuse("there is no column " + std::to_string(value) + " of " + std::to_string(all_.size()));
      to_ = value;
      return true;
    case reg::kMailboxSend:
      return send(value, now);
    case reg::kMailboxBarrier:
      barrier_ = value;
      return true;
    default:
      waits_for_ = value;
      return true;
  }
}

bool Mailbox::read(std::uint32_t offset, Cycle now, std::uint32_t& value) {
  if ((offset == reg::kMailboxReceive || offset == reg::kMailboxFrom) && inbox_.empty())
    return refuse("the inbox is empty");
  value = peek(offset, now);
  if (offset == reg::kMailboxReceive) {
    about_to_change();
    inbox_.pop_front();
    interrupts_.set_level(Source::kMailbox, !inbox_.empty(), now);
  }
  return true;
}

/// What is received is taken; the rest changes when words arrive or are taken.
bool Mailbox::constant(std::uint32_t offset) const {
  return offset != reg::kMailboxReceive && (offset != reg::kMailboxFrom || !inbox_.empty());
}

std::uint32_t Mailbox::peek(std::uint32_t offset, Cycle) const {
  switch (offset) {
    case reg::kMailboxTo:
      return to_;
    case reg::kMailboxStatus:
      return full_ ? reg::kMailboxStatusFull : reg::kMailboxStatusSent;
    case reg::kMailboxCount:
      return static_cast<std::uint32_t>(inbox_.size());
    case reg::kMailboxFrom:
      return inbox_.empty() ? 0 : inbox_.front().from;
    case reg::kMailboxReceive:
      return inbox_.empty() ? 0 : inbox_.front().value;
    case reg::kMailboxBarrier:
      return barrier_;
    default:
      return waits_for_;
  }
}

}  // namespace meshkv::controller
