// A conversation in GDB's remote serial protocol: what each packet means for harts. No sockets, no time.
//
// All harts are threads 1, 2, ... of one process; breakpoints hold for all of them. Everything stands still
// while the debugger speaks (all-stop). Packets that are not known get the empty answer, as the protocol has
// it.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "models/riscv/gdb/target.h"

namespace meshkv::riscv::gdb {

enum class Action : std::uint8_t { kHold, kContinue, kStep };

/// What a packet asks for.
struct Reaction {
  enum class Next : std::uint8_t { kStay, kResume, kDetach, kKill };
  Next next = Next::kStay;
  bool answers = true;  ///< a resumption is answered by the next stop
  std::string answer;
};

class Session {
 public:
  explicit Session(Target& target);

  Reaction handle(const std::string& packet);
  /// Of each hart, after kResume.
  const std::vector<Action>& actions() const { return actions_; }
  bool acknowledges() const { return acknowledges_; }

  /// A hart has stopped: the answer to the last resumption. It becomes the current one.
  std::string stopped(unsigned hart, StopReason reason);
  /// The user has interrupted. Names a hart that was running.
  std::string interrupted();
  /// A watched device register has changed of itself.
  std::string changed(unsigned hart, const Watchpoint& watchpoint);
  /// Takes all breakpoints and watchpoints back.
  void clear();
  const std::vector<Watchpoint>& watchpoints() const { return watchpoints_; }
  bool has_breakpoint(std::uint32_t pc) const { return breakpoints_.count(pc) != 0; }

 private:
  std::string query(const std::string& packet);
  std::string transfer(const std::string& packet);
  std::string transferred(const std::string& document, const std::string& range) const;
  std::string thread_list() const;
  std::string monitor(const std::string& command);
  std::string read_registers();
  std::string write_registers(const std::string& hex);
  std::string read_register(const std::string& packet);
  std::string write_register(const std::string& packet);
  std::string read_memory(const std::string& packet);
  std::string write_memory(const std::string& packet, bool binary);
  std::string breakpoint(const std::string& packet);
  std::string watch(const Watchpoint& watchpoint, bool insert);
  std::string select_thread(const std::string& packet);
  Reaction resume(const std::string& packet);
  Reaction resume_plain(const std::string& packet);
  /// "1", "-1", "0": true and hart -1 for all or any.
  bool thread_of(const std::string& text, int& hart) const;
  Hart& current() { return target_.hart(current_); }
  unsigned running_hart() const;
  std::string reply(const std::string& what, unsigned hart);

  Target& target_;
  unsigned current_ = 0;
  std::vector<Action> actions_;
  std::set<std::uint32_t> breakpoints_;
  std::vector<Watchpoint> watchpoints_;
  bool acknowledges_ = true;
  std::string last_stop_;
};

}  // namespace meshkv::riscv::gdb
