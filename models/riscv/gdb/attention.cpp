#include "models/riscv/gdb/attention.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <stdexcept>

namespace meshkv::riscv::gdb {

Attention::Attention(const char* name) : sc_prim_channel(name) {
  if (::pipe2(pipe_, O_CLOEXEC | O_NONBLOCK) != 0)
    throw std::runtime_error("no pipe for the debugger's thread");
  thread_ = std::thread([this] { watch(); });
}

Attention::~Attention() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    quit_ = true;
  }
  wake();
  thread_.join();
  ::close(pipe_[0]);
  ::close(pipe_[1]);
}

void Attention::wake() {
  changed_.notify_all();
  const char byte = 0;
  // A full pipe wakes as well.
  [[maybe_unused]] const ssize_t n = ::write(pipe_[1], &byte, 1);
}

void Attention::arm(int descriptor) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    descriptor_ = descriptor;
    armed_ = true;
  }
  wake();
}

void Attention::disarm() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    armed_ = false;
  }
  wake();
}

void Attention::keep_alive(bool keep) {
  if (keep == kept_) return;
  kept_ = keep;
  if (keep)
    async_attach_suspending();
  else
    async_detach_suspending();
}

void Attention::watch() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return armed_ || quit_; });
    if (quit_) return;
    pollfd waited[2] = {{descriptor_, POLLIN, 0}, {pipe_[0], POLLIN, 0}};
    lock.unlock();
    ::poll(waited, 2, -1);
    char bytes[64];
    if (waited[1].revents != 0) {
      while (::read(pipe_[0], bytes, sizeof bytes) > 0) {
      }
    }
    lock.lock();
    if (quit_) return;
    if (armed_ && waited[0].revents != 0 && waited[0].fd == descriptor_) {
      armed_ = false;
      async_request_update();
    }
  }
}

}  // namespace meshkv::riscv::gdb
