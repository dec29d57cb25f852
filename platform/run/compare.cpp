#include "platform/run/compare.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <iostream>
#include <optional>

namespace meshkv::platform {
namespace {

// What a child writes to its pipe, one message a line: "P <cycles> <fraction>", at the end "R <json>" with
// its result or "E <reason>"; "C <column> <line>" of a console.

void write_line(int fd, const std::string& text) {
  const std::string line = text + "\n";
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t n = write(fd, line.data() + done, line.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(static_cast<int>(ExitCode::kDefect));  // the parent is gone
    done += static_cast<std::size_t>(n);
  }
}

class PipeProgress : public ProgressSink {
 public:
  explicit PipeProgress(int fd) : fd_(fd) {}
  void update(Cycle cycles, double fraction) override {
    if (pace_.due()) write_line(fd_, "P " + std::to_string(cycles) + " " + std::to_string(fraction));
  }
  void console(int column, const std::string& line) override {
    write_line(fd_, "C " + std::to_string(column) + " " + line);
  }

 private:
  int fd_;
  Pace pace_;
};

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text;
}

Json to_json(const FinishedRun& run) {
  const SimulationResult& r = run.result;
  return Json{{"outcome", static_cast<int>(r.outcome)},
              {"reason", r.reason},
              {"metrics", r.metrics},
              {"bounds", r.bounds},
              {"warnings", r.warnings},
              {"details", r.details},
              {"consoles", r.consoles},
              {"trace", r.trace},
              {"cycles", r.cycles},
              {"flit_hops", r.host_flit_hops},
              {"wall_s", r.host_wall_s},
              {"rss", run.peak_rss_bytes}};
}

FinishedRun from_json(const Json& json, const RunConfig& config) {
  FinishedRun run;
  run.config = config;
  SimulationResult& r = run.result;
  r.outcome = static_cast<Outcome>(json.at("outcome").get<int>());
  r.reason = json.at("reason").get<std::string>();
  r.metrics = json.at("metrics");
  r.bounds = json.at("bounds");
  r.warnings = json.at("warnings");
  r.details = json.at("details");
  r.consoles = json.at("consoles").get<std::vector<std::string>>();
  r.trace = json.at("trace");
  r.cycles = json.at("cycles").get<Cycle>();
  r.host_flit_hops = json.at("flit_hops").get<std::uint64_t>();
  r.host_wall_s = json.at("wall_s").get<double>();
  run.peak_rss_bytes = json.at("rss").get<std::uint64_t>();
  return run;
}

[[noreturn]] void child(const RunConfig& config, const RunFunction& run, int fd) {
  // A child must not go on when its parent was killed.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  PipeProgress progress(fd);
  int status = 0;
  try {
    write_line(fd,
               "R " + to_json(run(config, progress)).dump(-1, ' ', false, Json::error_handler_t::replace));
  } catch (const std::exception& e) {
    write_line(fd, "E " + one_line(e.what()));
    status = static_cast<int>(ExitCode::kDefect);
  }
  std::cout.flush();
  std::cerr.flush();
  // Not exit(): what the parent registered to happen at its end is not the child's business.
  _exit(status);
}

class Child {
 public:
  Child(const RunConfig& config, std::size_t index, const RunFunction& run) : config_(config), index_(index) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw ChildError(std::string("pipe: ") + std::strerror(errno));
    std::cout.flush();
    std::cerr.flush();
    pid_ = fork();
    if (pid_ < 0) throw ChildError(std::string("fork: ") + std::strerror(errno));
    if (pid_ == 0) {
      close(ends[0]);
      child(config, run, ends[1]);
    }
    close(ends[1]);
    fd_ = ends[0];
  }
  Child(Child&& other) noexcept { *this = std::move(other); }
  Child& operator=(Child&& other) noexcept {
    std::swap(config_, other.config_);
    std::swap(index_, other.index_);
    std::swap(pid_, other.pid_);
    std::swap(fd_, other.fd_);
    std::swap(text_, other.text_);
    std::swap(last_, other.last_);
    return *this;
  }
  ~Child() {
    if (fd_ >= 0) close(fd_);
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
  }

  int fd() const { return fd_; }
  std::size_t index() const { return index_; }

  /// Reads what there is. False: the child has closed its pipe.
  bool receive(ProgressLine& progress) {
    char buffer[65536];
    const ssize_t n = read(fd_, buffer, sizeof buffer);
    if (n < 0) return errno == EINTR;
    if (n == 0) return false;
    text_.append(buffer, static_cast<std::size_t>(n));
    for (std::size_t end; (end = text_.find('\n')) != std::string::npos; text_.erase(0, end + 1)) {
      const std::string line = text_.substr(0, end);
      unsigned long long cycles = 0;
      double fraction = 0;
      if (std::sscanf(line.c_str(), "P %llu %lf", &cycles, &fraction) == 2)
        progress.update(index_, cycles, fraction);
      else if (line.rfind("C ", 0) == 0)
        progress.console(index_, std::atoi(line.c_str() + 2), line.substr(line.find(' ', 2) + 1));
      else
        last_ = line;
    }
    return true;
  }

  /// After receive() was false. The result, or nothing and the reason.
  std::optional<FinishedRun> finish(std::string& reason) {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && last_.rfind("R ", 0) == 0)
      return from_json(Json::parse(last_.substr(2)), *config_ptr());
    reason = config_ptr()->preset + ": ";
    if (last_.rfind("E ", 0) == 0)
      reason += last_.substr(2);
    else if (WIFSIGNALED(status))
      reason += std::string("ended by signal ") + std::to_string(WTERMSIG(status)) + " (" +
                strsignal(WTERMSIG(status)) + ")";
    else
      reason += "ended with status " + std::to_string(WEXITSTATUS(status)) + " and no result";
    return std::nullopt;
  }

 private:
  const RunConfig* config_ptr() const { return &*config_; }
  std::optional<RunConfig> config_;
  std::size_t index_ = 0;
  pid_t pid_ = -1;
  int fd_ = -1;
  std::string text_;
  std::string last_;
};

}  // namespace

std::vector<FinishedRun> run_in_children(const std::vector<RunConfig>& configs, int jobs,
                                         ProgressLine& progress, const RunFunction& run) {
  std::vector<std::optional<FinishedRun>> results(configs.size());
  std::vector<std::string> reasons(configs.size());
  std::vector<Child> running;
  std::size_t next = 0;
  while (next < configs.size() || !running.empty()) {
    while (next < configs.size() && running.size() < static_cast<std::size_t>(jobs)) {
      running.emplace_back(configs[next], next, run);
      ++next;
    }
    std::vector<pollfd> waits;
    for (const Child& c : running) waits.push_back({c.fd(), POLLIN, 0});
    if (poll(waits.data(), waits.size(), -1) < 0) continue;
    for (std::size_t i = waits.size(); i-- > 0;) {
      if (waits[i].revents == 0 || running[i].receive(progress)) continue;
      const std::size_t index = running[i].index();
      results[index] = running[i].finish(reasons[index]);
      progress.finished(index);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  std::string failed;
  for (const std::string& reason : reasons)
    if (!reason.empty()) failed += (failed.empty() ? "" : "\n") + reason;
  if (!failed.empty()) throw ChildError(failed);
  std::vector<FinishedRun> runs;
  for (auto& result : results) runs.push_back(std::move(*result));
  return runs;
}

}  // namespace meshkv::platform
