#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "models/controller/devices/device.h"
#include "models/controller/devices/interrupt_controller.h"

namespace meshkv::controller {

/// A column's mailbox: words to and from the other columns' controllers.
class Mailbox : public Device {
 public:
  /// `call_at` asks for deliver() in a cycle.
  Mailbox(unsigned column, Cycle travel_cycles, InterruptController& interrupts,
          std::function<void(Cycle)> call_at)
      : column_(column), travel_(travel_cycles), interrupts_(interrupts), call_at_(std::move(call_at)) {}

  /// All mailboxes by column, this one included; before the first access.
  void connect(std::vector<Mailbox*> all) { all_ = std::move(all); }
  /// Words that have arrived by now go into the inbox.
  void deliver(Cycle now);

  bool write(std::uint32_t offset, std::uint32_t value, Cycle now) override;
  bool read(std::uint32_t offset, Cycle now, std::uint32_t& value) override;
  std::uint32_t peek(std::uint32_t offset, Cycle now) const override;
  bool constant(std::uint32_t offset) const override;

  /// What the firmware says that it waits for (MAILBOX_BARRIER, MAILBOX_WAITS_FOR).
  std::uint32_t barrier() const { return barrier_; }
  std::uint32_t waits_for() const { return waits_for_; }
  std::uint64_t sent() const { return sent_; }

 private:
  struct Word {
    Cycle at;
    unsigned from;
    std::uint32_t value;
  };
  bool offer(const Word& word);
  bool send(std::uint32_t value, Cycle now);

  unsigned column_;
  Cycle travel_;
  InterruptController& interrupts_;
  std::function<void(Cycle)> call_at_;
  std::vector<Mailbox*> all_;
  std::deque<Word> travelling_;  ///< to here, by time
  std::deque<Word> inbox_;
  std::uint32_t to_ = 0;
  bool full_ = false;  ///< the last SEND found no room
  std::uint32_t barrier_ = 0;
  std::uint32_t waits_for_ = 0;
  std::uint64_t sent_ = 0;
};

}  // namespace meshkv::controller
