#include "platform/run/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "platform/scenario/printable.h"

namespace meshkv::platform {

bool Pace::due() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return false;
  next_ = now + std::chrono::milliseconds(100);
  return true;
}

ProgressLine::ProgressLine(std::vector<std::string> names, bool wanted)
    : wanted_(wanted),
      active_(wanted && isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()) {
  for (std::string& name : names) runs_.push_back({std::move(name), 0, -1, false});
}

ProgressLine::~ProgressLine() {
  if (active_) std::fputs("\r\033[K", stderr);
}

void ProgressLine::update(std::size_t run, Cycle cycles, double fraction) {
  runs_[run].cycles = cycles;
  runs_[run].fraction = fraction;
  if (active_ && pace_.due()) show();
}

void ProgressLine::finished(std::size_t run) {
  runs_[run].done = true;
  if (active_) show();
}

void ProgressLine::console(std::size_t run, int column, const std::string& line) {
  if (!wanted_) return;
  const std::string name = runs_.size() > 1 ? runs_[run].name + " " : "";
  std::fprintf(stderr, "%s%sdc_%d| %s\n", active_ ? "\r\033[K" : "", name.c_str(), column,
               printable(line).c_str());
  if (active_) show();
}

void ProgressLine::show() {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  std::string line;
  Cycle cycles = 0;
  for (const Run& run : runs_) {
    cycles += run.cycles;
    if (!line.empty()) line += "  ";
    line += run.name + " ";
    if (run.done)
      line += "done";
    else if (run.cycles == 0)
      line += "waits";
    else if (run.fraction >= 0)
      line += std::to_string(static_cast<int>(run.fraction * 100)) + " %";
    else
      line += std::to_string(run.cycles) + " cycles";
  }
  char speed[64];
  std::snprintf(speed, sizeof speed, "   %.0f s, %.2f M cycles/s", seconds,
                seconds > 0 ? static_cast<double>(cycles) / seconds / 1e6 : 0.0);
  line += speed;
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 && line.size() >= size.ws_col)
    line.resize(size.ws_col - 1U);
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
}

}  // namespace meshkv::platform
