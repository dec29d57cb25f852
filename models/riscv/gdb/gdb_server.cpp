#include "models/riscv/gdb/gdb_server.h"

#include <algorithm>
#include <cstdio>

namespace meshkv::riscv::gdb {

GdbServer::GdbServer(sc_core::sc_module_name name, int port, std::vector<HartModule*> harts,
                     std::ostream& log)
    : sc_module(name), harts_(std::move(harts)), log_(log), connection_(port), attention_("attention") {
  for (HartModule* hart : harts_) hart->set_debugger(this);
  SC_HAS_PROCESS(GdbServer);
  SC_METHOD(attend);
  dont_initialize();
  sensitive << attention_.event();
  SC_METHOD(look);
  dont_initialize();
  sensitive << look_event_;
}

GdbServer::~GdbServer() {
  attention_.disarm();
  for (HartModule* hart : harts_) hart->set_debugger(nullptr);
}

std::uint64_t GdbServer::cycle() const {
  return sc_core::sc_time_stamp().value() / harts_.front()->config().period.value();
}

unsigned GdbServer::number_of(const HartModule& hart) const {
  return static_cast<unsigned>(std::find(harts_.begin(), harts_.end(), &hart) - harts_.begin());
}

bool GdbServer::read(unsigned k, std::uint32_t address, std::uint8_t* data, std::uint32_t bytes) {
  return harts_[k]->debug_read(address, data, bytes);
}

bool GdbServer::write(unsigned k, std::uint32_t address, const std::uint8_t* data, std::uint32_t bytes) {
  return harts_[k]->debug_write(address, data, bytes);
}

void GdbServer::start_of_simulation() {
  log_ << "gdb: waiting on 127.0.0.1:" << port() << " (gdb-multiarch FILE -ex 'target remote :" << port()
       << "')" << std::endl;
  connection_.accept();
  begin_session();
  serve({});
}

void GdbServer::begin_session() {
  Target& target = *this;
  session_ = std::make_unique<Session>(target);
  reader_ = PacketReader();
  events_.clear();
  attention_.keep_alive(ended_ < harts());
  for (HartModule* hart : harts_) hart->hart().stop_at_ebreak(true);
}

void GdbServer::drop() {
  session_->clear();
  session_.reset();
  devices_.clear();
  connection_.drop();
  attention_.keep_alive(false);
  for (HartModule* hart : harts_) {
    hart->hart().stop_at_ebreak(false);
    hart->cancel_step();
    hart->hold(false);
  }
}

void GdbServer::hart_stopped(HartModule& hart, StopReason reason) {
  // When all have ended the kernel has nothing to wait for.
  if (reason == StopReason::kRequested && ++ended_ == harts()) attention_.keep_alive(false);
  if (!session_ || reason == StopReason::kRequested)
    return;  // a program that has ended is finish()'s business
  const unsigned k = number_of(hart);
  const bool stepping = session_->actions()[k] == Action::kStep;
  if (reason == StopReason::kBudget && !stepping) return;  // a limit
  const std::uint32_t pc = hart.hart().pc();
  const bool at_ebreak = reason == StopReason::kBreakpoint && !session_->has_breakpoint(pc);
  serve(session_->stopped(k, reason));
  // An ebreak of the program's own stops once; whoever goes on from it wants the trap. Whoever goes on from a
  // watchpoint without taking it back wants the access.
  if ((at_ebreak || reason == StopReason::kWatchpoint) && hart.hart().pc() == pc)
    hart.hart().pass_breakpoint();
}

bool GdbServer::receive() {
  const std::optional<std::string> bytes = connection_.receive();
  if (!bytes) {
    drop();
    return false;
  }
  for (Event& event : reader_.feed(bytes->data(), bytes->size())) events_.push_back(std::move(event));
  return true;
}

void GdbServer::attend() {
  if (!session_ && connection_.ready()) {
    connection_.accept();
    begin_session();
    serve({});
    return;
  }
  if (session_ && events_.empty() && connection_.ready()) receive();
  // While it runs GDB has nothing to say but that it wants to stop it.
  bool interrupted = false;
  for (const Event& event : events_) interrupted = interrupted || event.kind == EventKind::kInterrupt;
  events_.clear();
  if (interrupted) {
    for (HartModule* hart : harts_) hart->cancel_step();
    serve(session_->interrupted());
  } else {
    attention_.arm(connection_.descriptor());
  }
}

void GdbServer::serve(const std::string& stop) {
  attention_.disarm();
  if (!stop.empty()) send(stop);
  bool standing = true;
  while (standing) {
    if (events_.empty()) {
      if (!receive()) break;
      continue;
    }
    const Event event = std::move(events_.front());
    events_.pop_front();
    standing = answer(event);
  }
  if (session_ && !events_.empty())
    attention_.call();  // a Ctrl-C that came with the resumption
  else
    attention_.arm(connection_.descriptor());
}

bool GdbServer::answer(const Event& event) {
  switch (event.kind) {
    case EventKind::kRejected:
      connection_.send(last_frame_);
      return true;
    case EventKind::kDamaged:
      if (session_->acknowledges()) connection_.send("-");
      return true;
    case EventKind::kAcknowledged:
    case EventKind::kInterrupt:
      return true;  // it stands already
    case EventKind::kPacket:
      break;
  }
  if (session_->acknowledges()) connection_.send("+");
  const Reaction r = session_->handle(event.payload);
  if (r.answers) send(r.answer);
  switch (r.next) {
    case Reaction::Next::kStay:
      return true;
    case Reaction::Next::kResume:
      go_on();
      return false;
    case Reaction::Next::kDetach:
      break;
    case Reaction::Next::kKill:
      killed_ = true;
      for (HartModule* hart : harts_) hart->request_stop();
      break;
  }
  drop();
  return false;
}

void GdbServer::send(const std::string& payload) {
  last_frame_ = frame(payload);
  connection_.send(last_frame_);
}

void GdbServer::go_on() {
  for (unsigned k = 0; k < harts(); ++k) {
    const Action action = session_->actions()[k];
    harts_[k]->cancel_step();
    if (action == Action::kStep) harts_[k]->step();
    harts_[k]->hold(action == Action::kHold);
  }
  note_devices();
}

// Device registers that change of themselves: looked at once a quantum while they are watched.

bool GdbServer::in_ram(unsigned k, const Watchpoint& watchpoint) const {
  const HartModuleConfig& config = harts_[k]->config();
  return watchpoint.address - config.ram_base < config.ram_bytes;
}

void GdbServer::note_devices() {
  devices_.clear();
  for (const Watchpoint& w : session_->watchpoints()) {
    for (unsigned k = 0; k < harts(); ++k) {
      if (!w.writes || in_ram(k, w)) continue;
      WatchedDevice device{w, k, std::vector<std::uint8_t>(w.bytes)};
      if (read(k, w.address, device.value.data(), w.bytes)) devices_.push_back(std::move(device));
    }
  }
  look_event_.cancel();
  const HartModuleConfig& config = harts_.front()->config();
  if (!devices_.empty()) look_event_.notify(config.period * static_cast<double>(config.quantum_cycles));
}

void GdbServer::look() {
  if (!session_) return;
  for (const WatchedDevice& device : devices_) {
    std::vector<std::uint8_t> now(device.value.size());
    if (!read(device.hart, device.watchpoint.address, now.data(), device.watchpoint.bytes) ||
        now == device.value)
      continue;
    // GDB steps on before it looks at the value. A hart that sleeps would not: its WFI ends, as any WFI may.
    Hart& hart = harts_[device.hart]->hart();
    if (hart.waiting()) hart.set_pc(hart.pc());
    serve(session_->changed(device.hart, device.watchpoint));
    return;
  }
  const HartModuleConfig& config = harts_.front()->config();
  if (!devices_.empty()) look_event_.notify(config.period * static_cast<double>(config.quantum_cycles));
}

void GdbServer::finish(int exit_code) {
  attention_.disarm();
  if (!session_) return;
  char text[16];
  std::snprintf(text, sizeof text, "W%02x", static_cast<unsigned>(exit_code) & 0xffU);
  send(text);
  session_->clear();
  session_.reset();
  connection_.finish();
}

}  // namespace meshkv::riscv::gdb
