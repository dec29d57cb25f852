#include "platform/regress/process_pool.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <iostream>
#include <memory>
#include <stdexcept>

namespace meshkv::platform {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kKeptBytes = 65536;
constexpr int kReapMs = 5;  // between a closed pipe and the process's end

[[noreturn]] void system_failure(const char* what) {
  throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

/// After fork(), in the child: only what is safe there.
[[noreturn]] void become(char* const* arguments, int err, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);  // it died before prctl()
  setpgid(0, 0);                        // a timeout kills children too
  const int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  execv(arguments[0], arguments);
  const char* reason = std::strerror(errno);
  const ssize_t ignored = write(STDERR_FILENO, reason, std::strlen(reason));
  (void)ignored;
  _exit(127);
}

class Process {
 public:
  Process(std::size_t index, const std::vector<std::string>& command) : start_(Clock::now()) {
    end_.index = index;
    std::vector<char*> arguments;
    for (const std::string& a : command) arguments.push_back(const_cast<char*>(a.c_str()));
    arguments.push_back(nullptr);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) system_failure("pipe");
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ < 0) system_failure("fork");
    if (pid_ == 0) become(arguments.data(), ends[1], parent);
    setpgid(pid_, pid_);  // whoever is first
    close(ends[1]);
    fd_ = ends[0];
    fcntl(fd_, F_SETFL, O_NONBLOCK);
  }
  ~Process() {
    if (fd_ >= 0) close(fd_);
    if (pid_ > 0) {
      kill(-pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  int fd() const { return fd_; }  ///< -1: closed by the process
  double age_s() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  const ProcessEnd& end() const { return end_; }

  void receive() {
    char buffer[16384];
    for (;;) {
      const ssize_t n = read(fd_, buffer, sizeof buffer);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return;
      if (n == 0) {
        close(fd_);
        fd_ = -1;
        return;
      }
      const std::size_t room = kKeptBytes - std::min(kKeptBytes, end_.err.size());
      end_.err.append(buffer, std::min(room, static_cast<std::size_t>(n)));
    }
  }

  void kill_late() {
    if (end_.timed_out) return;
    end_.timed_out = true;
    kill(-pid_, SIGKILL);
  }

  /// Whether it has ended; then end() is complete.
  bool reap() {
    int status = 0;
    rusage usage{};
    if (wait4(pid_, &status, WNOHANG, &usage) != pid_) return false;
    kill(-pid_, SIGKILL);  // children that it left behind
    pid_ = -1;
    if (fd_ >= 0) receive();
    const auto seconds = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    end_.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    end_.wall_s = age_s();
    if (WIFEXITED(status)) end_.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) end_.signal = WTERMSIG(status);
    return true;
  }

 private:
  ProcessEnd end_;
  Clock::time_point start_;
  pid_t pid_ = -1;
  int fd_ = -1;
};

/// Sleeps until a process says something, closes its pipe, or is due to be killed.
void wait_for(const std::vector<std::unique_ptr<Process>>& running, double timeout_s) {
  std::vector<pollfd> waits;
  double sleep_s = 3600;
  for (const auto& p : running) {
    if (p->fd() >= 0) waits.push_back({p->fd(), POLLIN, 0});
    if (p->fd() < 0) sleep_s = std::min(sleep_s, kReapMs * 1e-3);
    if (timeout_s > 0) sleep_s = std::min(sleep_s, std::max(0.001, timeout_s - p->age_s()));
  }
  poll(waits.data(), waits.size(), std::max(1, static_cast<int>(sleep_s * 1000)));
}

}  // namespace

void run_processes(const std::vector<std::vector<std::string>>& commands, int jobs, double timeout_s,
                   const std::function<void(const ProcessEnd&)>& ended) {
  std::vector<std::unique_ptr<Process>> running;
  std::size_t next = 0;
  std::cout.flush();  // a child must not print it again
  while (next < commands.size() || !running.empty()) {
    while (next < commands.size() && running.size() < static_cast<std::size_t>(jobs)) {
      running.push_back(std::make_unique<Process>(next, commands[next]));
      ++next;
    }
    wait_for(running, timeout_s);
    for (std::size_t i = running.size(); i-- > 0;) {
      Process& p = *running[i];
      if (p.fd() >= 0) p.receive();
      const bool may_be_over = p.fd() < 0 || p.end().timed_out;
      if (!may_be_over || !p.reap()) {
        if (timeout_s > 0 && p.age_s() >= timeout_s) p.kill_late();
        continue;
      }
      const std::unique_ptr<Process> done = std::move(running[i]);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
      ended(done->end());
    }
  }
}

}  // namespace meshkv::platform
