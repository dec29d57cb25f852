// Lets bytes on a socket interrupt a running simulation: a thread waits for them, the kernel hears of it
// between two delta cycles, even if nothing else is left to simulate.
#pragma once

#include <condition_variable>
#include <mutex>
#include <systemc>
#include <thread>

namespace meshkv::riscv::gdb {

class Attention : public sc_core::sc_prim_channel {
 public:
  explicit Attention(const char* name);
  ~Attention() override;

  /// Notified once in the kernel's thread after the descriptor has become readable.
  const sc_core::sc_event& event() const { return event_; }
  void arm(int descriptor);
  /// As if something had come; from the kernel's thread.
  void call() { event_.notify(sc_core::SC_ZERO_TIME); }
  void disarm();
  /// While kept, the kernel waits for the descriptor when it has nothing else to do, instead of ending.
  void keep_alive(bool keep);

 private:
  void watch();
  void wake();
  void update() override { event_.notify(sc_core::SC_ZERO_TIME); }

  sc_core::sc_event event_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool armed_ = false;
  bool quit_ = false;
  bool kept_ = false;
  int descriptor_ = -1;
  int pipe_[2] = {-1, -1};  ///< written to when the thread has to look again
  std::thread thread_;
};

}  // namespace meshkv::riscv::gdb
