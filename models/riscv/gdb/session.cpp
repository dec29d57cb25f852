#include "models/riscv/gdb/session.h"

#include <algorithm>
#include <cstdio>

#include "models/riscv/gdb/packet.h"
#include "models/riscv/gdb/registers.h"

namespace meshkv::riscv::gdb {
namespace {

constexpr const char* kError = "E01";
/// Longest that is read or watched at once: the answer to a read fits PacketSize.
constexpr std::uint64_t kMostBytes = 0x1800;

bool begins_with(const std::string& text, const char* head) {
  return text.rfind(head, 0) == 0;
}

std::string hex_number(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "%x", value);
  return text;
}

}  // namespace

Session::Session(Target& target) : target_(target), actions_(target.harts(), Action::kHold) {
  last_stop_ = reply("T05", 0);
}

std::string Session::reply(const std::string& what, unsigned hart) {
  last_stop_ = what + "thread:" + hex_number(hart + 1) + ";";
  return last_stop_;
}

unsigned Session::running_hart() const {
  if (actions_[current_] != Action::kHold) return current_;
  // GDB takes no stop of a thread that it has not resumed.
  for (unsigned k = 0; k < actions_.size(); ++k) {
    if (actions_[k] != Action::kHold) return k;
  }
  return current_;
}

std::string Session::stopped(unsigned hart, StopReason reason) {
  if (actions_[hart] == Action::kHold) hart = running_hart();
  current_ = hart;
  if (reason == StopReason::kWatchpoint) {
    const Hart::WatchHit& hit = current().watch_hit();
    const char* kind = hit.watchpoint.reads ? (hit.watchpoint.writes ? "awatch" : "rwatch") : "watch";
    return reply("T05" + std::string(kind) + ":" + hex_number(hit.address) + ";", hart);
  }
  return reply(reason == StopReason::kLockup ? "T0b" : "T05", hart);
}

std::string Session::interrupted() {
  current_ = running_hart();
  return reply("T02", current_);
}

std::string Session::changed(unsigned hart, const Watchpoint& watchpoint) {
  current_ = actions_[hart] == Action::kHold ? running_hart() : hart;
  return reply("T05watch:" + hex_number(watchpoint.address) + ";", current_);
}

void Session::clear() {
  for (unsigned k = 0; k < target_.harts(); ++k) {
    for (const std::uint32_t pc : breakpoints_) target_.hart(k).remove_breakpoint(pc);
    for (const Watchpoint& w : watchpoints_) target_.hart(k).remove_watchpoint(w);
  }
  breakpoints_.clear();
  watchpoints_.clear();
}

Reaction Session::handle(const std::string& packet) {
  Reaction r;
  switch (packet.empty() ? '\0' : packet[0]) {
    case '?':
      r.answer = last_stop_;
      break;
    case 'q':
    case 'Q':
      r.answer = query(packet);
      break;
    case 'H':
      r.answer = select_thread(packet);
      break;
    case 'T': {
      int hart = -1;
      r.answer = thread_of(packet.substr(1), hart) ? "OK" : kError;
      break;
    }
    case 'g':
      r.answer = read_registers();
      break;
    case 'G':
      r.answer = write_registers(packet.substr(1));
      break;
    case 'p':
      r.answer = read_register(packet);
      break;
    case 'P':
      r.answer = write_register(packet);
      break;
    case 'm':
      r.answer = read_memory(packet);
      break;
    case 'M':
      r.answer = write_memory(packet, false);
      break;
    case 'X':
      r.answer = write_memory(packet, true);
      break;
    case 'Z':
    case 'z':
      r.answer = breakpoint(packet);
      break;
    case 'c':
    case 's':
    case 'C':
    case 'S':
      return resume_plain(packet);
    case 'D':
      r.answer = "OK";
      r.next = Reaction::Next::kDetach;
      break;
    case 'k':
      r.answers = false;
      r.next = Reaction::Next::kKill;
      break;
    case 'v':
      if (packet == "vCont?") {
        r.answer = "vCont;c;C;s;S";
      } else if (begins_with(packet, "vCont;")) {
        return resume(packet);
      } else if (begins_with(packet, "vKill")) {
        r.answer = "OK";
        r.next = Reaction::Next::kKill;
      }
      break;
    default:
      break;
  }
  return r;
}

bool Session::thread_of(const std::string& text, int& hart) const {
  hart = -1;
  if (text == "-1" || text == "0" || text.empty()) return true;
  std::size_t at = 0;
  std::uint64_t number = 0;
  if (!take_number(text, at, number) || at != text.size() || number > target_.harts()) return false;
  hart = static_cast<int>(number) - 1;
  return true;
}

std::string Session::select_thread(const std::string& packet) {
  int hart = -1;
  if (packet.size() < 2 || !thread_of(packet.substr(2), hart)) return kError;
  // "Hc" says what plain c and s resume; with vCont GDB does not mean it.
  if (packet[1] == 'g' && hart >= 0) current_ = static_cast<unsigned>(hart);
  return "OK";
}

// Queries.

std::string Session::query(const std::string& packet) {
  if (begins_with(packet, "qSupported"))
    return "PacketSize=4000;QStartNoAckMode+;vContSupported+;qXfer:features:read+;qXfer:threads:read+";
  if (packet == "QStartNoAckMode") {
    acknowledges_ = false;
    return "OK";
  }
  if (packet == "qC") return "QC" + hex_number(current_ + 1);
  if (packet == "qAttached") return "1";
  if (begins_with(packet, "qSymbol")) return "OK";
  if (packet == "qOffsets") return "Text=0;Data=0;Bss=0";
  if (packet == "qfThreadInfo") {
    std::string list;
    for (unsigned k = 0; k < target_.harts(); ++k) list += (k == 0 ? "m" : ",") + hex_number(k + 1);
    return list;
  }
  if (packet == "qsThreadInfo") return "l";
  if (begins_with(packet, "qThreadExtraInfo,")) {
    int hart = -1;
    if (!thread_of(packet.substr(17), hart) || hart < 0) return kError;
    return to_hex(target_.hart_name(static_cast<unsigned>(hart)) + ", " +
                  target_.describe(static_cast<unsigned>(hart)));
  }
  if (begins_with(packet, "qXfer:")) return transfer(packet);
  if (begins_with(packet, "qRcmd,")) {
    std::vector<std::uint8_t> text;
    if (!from_hex(packet.substr(6), text)) return kError;
    return to_hex(monitor(std::string(text.begin(), text.end())));
  }
  return {};
}

std::string Session::transfer(const std::string& packet) {
  const std::string features = "qXfer:features:read:target.xml:";
  const std::string threads = "qXfer:threads:read::";
  if (begins_with(packet, features.c_str()))
    return transferred(description_document(), packet.substr(features.size()));
  if (begins_with(packet, threads.c_str())) return transferred(thread_list(), packet.substr(threads.size()));
  return begins_with(packet, "qXfer:features:read:") ? "E00" : "";
}

std::string Session::transferred(const std::string& document, const std::string& range) const {
  std::size_t at = 0;
  std::uint64_t offset = 0, length = 0;
  if (!take_number(range, at, offset) || at >= range.size() || range[at++] != ',' ||
      !take_number(range, at, length))
    return kError;
  if (offset >= document.size()) return "l";
  const std::string part = document.substr(offset, std::min<std::uint64_t>(length, kMostBytes));
  return (offset + part.size() == document.size() ? "l" : "m") + part;
}

std::string Session::thread_list() const {
  std::string text = "<?xml version=\"1.0\"?>\n<threads>\n";
  for (unsigned k = 0; k < target_.harts(); ++k) {
    text += "<thread id=\"" + hex_number(k + 1) + "\" core=\"" + std::to_string(k) + "\" name=\"" +
            target_.hart_name(k) + "\">" + target_.describe(k) + "</thread>\n";
  }
  return text + "</threads>\n";
}

std::string Session::monitor(const std::string& command) {
  if (command == "harts") {
    std::string text;
    for (unsigned k = 0; k < target_.harts(); ++k)
      text += std::to_string(k + 1) + "  " + target_.hart_name(k) + "  " + target_.describe(k) + '\n';
    return text;
  }
  if (command == "report") return target_.report(current_);
  if (command == "time") return "cycle " + std::to_string(target_.cycle()) + '\n';
  const std::string help =
      "monitor harts   what each hart does\n"
      "monitor report  the selected hart: fault, registers, last instructions\n"
      "monitor time    fabric cycles since the start\n"
      "monitor help    this\n";
  return command == "help" || command.empty() ? help : "unknown: " + command + '\n' + help;
}

// Registers and memory.

std::string Session::read_registers() {
  std::string text;
  for (unsigned k = 0; k <= kPcNumber; ++k) {
    std::uint32_t value = 0;
    gdb::read_register(current(), k, value);
    text += word_to_hex(value);
  }
  return text;
}

std::string Session::write_registers(const std::string& hex) {
  std::vector<std::uint8_t> bytes;
  if (!from_hex(hex, bytes) || bytes.size() % 4 != 0 || bytes.size() / 4 > register_count()) return kError;
  for (std::size_t k = 0; k < bytes.size() / 4; ++k) {
    const std::uint32_t value = bytes[4 * k] | std::uint32_t{bytes[4 * k + 1]} << 8 |
                                std::uint32_t{bytes[4 * k + 2]} << 16 | std::uint32_t{bytes[4 * k + 3]} << 24;
    gdb::write_register(current(), static_cast<unsigned>(k), value);
  }
  return "OK";
}

std::string Session::read_register(const std::string& packet) {
  std::size_t at = 1;
  std::uint64_t number = 0;
  std::uint32_t value = 0;
  if (!take_number(packet, at, number) || number >= register_count()) return kError;
  return gdb::read_register(current(), static_cast<unsigned>(number), value) ? word_to_hex(value) : kError;
}

std::string Session::write_register(const std::string& packet) {
  std::size_t at = 1;
  std::uint64_t number = 0;
  std::vector<std::uint8_t> b;
  if (!take_number(packet, at, number) || at >= packet.size() || packet[at] != '=') return kError;
  if (number >= register_count() || !from_hex(packet.substr(at + 1), b) || b.size() != 4) return kError;
  const std::uint32_t value =
      b[0] | std::uint32_t{b[1]} << 8 | std::uint32_t{b[2]} << 16 | std::uint32_t{b[3]} << 24;
  return gdb::write_register(current(), static_cast<unsigned>(number), value) ? "OK" : kError;
}

std::string Session::read_memory(const std::string& packet) {
  std::size_t at = 1;
  std::uint64_t address = 0, length = 0;
  if (!take_number(packet, at, address) || at >= packet.size() || packet[at++] != ',' ||
      !take_number(packet, at, length))
    return kError;
  std::vector<std::uint8_t> data(std::min(length, kMostBytes));
  if (!target_.read(current_, static_cast<std::uint32_t>(address), data.data(),
                    static_cast<std::uint32_t>(data.size())))
    return kError;
  return to_hex(data.data(), data.size());
}

std::string Session::write_memory(const std::string& packet, bool binary) {
  std::size_t at = 1;
  std::uint64_t address = 0, length = 0;
  if (!take_number(packet, at, address) || at >= packet.size() || packet[at++] != ',' ||
      !take_number(packet, at, length) || at >= packet.size() || packet[at++] != ':')
    return kError;
  std::vector<std::uint8_t> data(packet.begin() + static_cast<std::ptrdiff_t>(at), packet.end());
  if (!binary && !from_hex(packet.substr(at), data)) return kError;
  if (data.size() != length) return kError;
  if (length == 0) return "OK";  // GDB asks whether X is known
  return target_.write(current_, static_cast<std::uint32_t>(address), data.data(),
                       static_cast<std::uint32_t>(length))
             ? "OK"
             : kError;
}

// Breakpoints.

std::string Session::breakpoint(const std::string& packet) {
  const bool insert = packet[0] == 'Z';
  std::size_t at = 3;
  std::uint64_t address = 0, kind = 0;
  if (packet.size() < 4 || packet[2] != ',' || !take_number(packet, at, address) || at >= packet.size() ||
      packet[at++] != ',' || !take_number(packet, at, kind))
    return kError;
  // What is watched of a device is kept and compared.
  if (address > 0xffffffffU || kind > kMostBytes) return kError;
  const auto place = static_cast<std::uint32_t>(address);
  Watchpoint w;
  w.address = place;
  w.bytes = static_cast<std::uint32_t>(kind);
  switch (packet[1]) {
    case '0':
    case '1':
      for (unsigned k = 0; k < target_.harts(); ++k) {
        if (insert)
          target_.hart(k).add_breakpoint(place);
        else
          target_.hart(k).remove_breakpoint(place);
      }
      if (insert)
        breakpoints_.insert(place);
      else
        breakpoints_.erase(place);
      return "OK";
    case '2':
      w.writes = true;
      return watch(w, insert);
    case '3':
      w.reads = true;
      return watch(w, insert);
    case '4':
      w.reads = w.writes = true;
      return watch(w, insert);
    default:
      return {};
  }
}

std::string Session::watch(const Watchpoint& watchpoint, bool insert) {
  if (watchpoint.bytes == 0) return kError;
  const auto it = std::find(watchpoints_.begin(), watchpoints_.end(), watchpoint);
  const bool known = it != watchpoints_.end();
  if (known == insert) return "OK";  // the same twice is the same
  for (unsigned k = 0; k < target_.harts(); ++k) {
    if (insert)
      target_.hart(k).add_watchpoint(watchpoint);
    else
      target_.hart(k).remove_watchpoint(watchpoint);
  }
  if (insert)
    watchpoints_.push_back(watchpoint);
  else
    watchpoints_.erase(it);
  return "OK";
}

// Resumption.

Reaction Session::resume(const std::string& packet) {
  Reaction r;
  std::vector<Action> actions(actions_.size(), Action::kHold);
  std::vector<bool> decided(actions_.size(), false);
  // "vCont;s:1;c": the first action that names a thread, or none and thus all, is its own.
  for (std::size_t at = 5; at < packet.size();) {
    const std::size_t end = std::min(packet.find(';', at + 1), packet.size());
    const std::string item = packet.substr(at + 1, end - at - 1);
    at = end;
    const std::size_t colon = item.find(':');
    int hart = -1;
    if (item.empty() || (colon != std::string::npos && !thread_of(item.substr(colon + 1), hart))) {
      r.answer = kError;
      return r;
    }
    const bool step = item[0] == 's' || item[0] == 'S';
    if (!step && item[0] != 'c' && item[0] != 'C') {
      r.answer = kError;
      return r;
    }
    for (std::size_t k = 0; k < actions.size(); ++k) {
      if (decided[k] || (hart >= 0 && static_cast<std::size_t>(hart) != k)) continue;
      decided[k] = true;
      actions[k] = step ? Action::kStep : Action::kContinue;
    }
  }
  actions_ = actions;
  r.answers = false;
  r.next = Reaction::Next::kResume;
  return r;
}

Reaction Session::resume_plain(const std::string& packet) {
  Reaction r;
  // "c ADDRESS", "C SIGNAL;ADDRESS": from another place.
  const bool with_signal = packet[0] == 'C' || packet[0] == 'S';
  const std::size_t from = with_signal ? packet.find(';') : 0;
  if (from != std::string::npos && packet.size() > from + 1) {
    std::size_t at = from + 1;
    std::uint64_t address = 0;
    if (!take_number(packet, at, address)) {
      r.answer = kError;
      return r;
    }
    current().set_pc(static_cast<std::uint32_t>(address));
  }
  const bool step = packet[0] == 's' || packet[0] == 'S';
  for (std::size_t k = 0; k < actions_.size(); ++k)
    actions_[k] = !step ? Action::kContinue : k == current_ ? Action::kStep : Action::kHold;
  r.answers = false;
  r.next = Reaction::Next::kResume;
  return r;
}

}  // namespace meshkv::riscv::gdb
