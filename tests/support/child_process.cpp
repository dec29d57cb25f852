#include "tests/support/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>

namespace meshkv::test {
namespace {

constexpr int kPatienceMs = 120000;

struct Pipe {
  Pipe() {
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  }
  int ends[2];
};

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command) : name_(command.front()) {
  const Pipe in, out, failed;
  std::vector<char*> arguments;
  for (const std::string& a : command) arguments.push_back(const_cast<char*>(a.c_str()));
  arguments.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::dup2(in.ends[0], 0);
    ::dup2(out.ends[1], 1);
    ::dup2(out.ends[1], 2);
    ::execvp(arguments[0], arguments.data());
    const int why = errno;
    [[maybe_unused]] const ssize_t n = ::write(failed.ends[1], &why, sizeof why);
    ::_exit(127);
  }
  ::close(in.ends[0]);
  ::close(out.ends[1]);
  ::close(failed.ends[1]);
  input_ = in.ends[1];
  output_ = out.ends[0];
  int why = 0;
  const bool started = ::read(failed.ends[0], &why, sizeof why) <= 0;
  ::close(failed.ends[0]);
  if (started && pid_ > 0) return;
  if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
  ::close(input_);
  ::close(output_);
  throw std::runtime_error(name_ + " cannot be started: " + std::strerror(why));
}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::close(input_);
  ::close(output_);
}

void ChildProcess::write(const std::string& text) {
  if (::write(input_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw std::runtime_error(name_ + " takes no input any more");
}

void ChildProcess::signal(int number) {
  ::kill(pid_, number);
}

bool ChildProcess::read_more() {
  pollfd p{output_, POLLIN, 0};
  if (::poll(&p, 1, kPatienceMs) <= 0)
    throw std::runtime_error(name_ + " has said nothing more for two minutes than: " + pending_);
  char buffer[4096];
  const ssize_t n = ::read(output_, buffer, sizeof buffer);
  if (n <= 0) return false;
  pending_.append(buffer, static_cast<std::size_t>(n));
  return true;
}

std::string ChildProcess::read_until(const std::string& text) {
  std::size_t at = 0;
  while ((at = pending_.find(text)) == std::string::npos) {
    if (!read_more()) throw std::runtime_error(name_ + " ended without \"" + text + "\": " + pending_);
  }
  const std::string found = pending_.substr(0, at + text.size());
  pending_.erase(0, at + text.size());
  return found;
}

int ChildProcess::wait(std::string* rest) {
  while (read_more()) {
  }
  if (rest != nullptr) *rest = pending_;
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace meshkv::test
