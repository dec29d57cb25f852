// How far the runs of a scenario are, on a terminal.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "platform/run/simulate.h"

namespace meshkv::platform {

class NoProgress : public ProgressSink {
 public:
  void update(Cycle, double) override {}
};

/// Limits how often something is shown: ten times a second.
class Pace {
 public:
  bool due();

 private:
  std::chrono::steady_clock::time_point next_{};
};

/// One line on stderr that shows all runs of a scenario, and goes away at the end.
class ProgressLine {
 public:
  /// Shows nothing unless stderr is a terminal and `wanted`.
  ProgressLine(std::vector<std::string> names, bool wanted);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void update(std::size_t run, Cycle cycles, double fraction);
  void finished(std::size_t run);
  /// A line of a controller's console, above the line of progress; with the run's name if there are several.
  void console(std::size_t run, int column, const std::string& line);

 private:
  struct Run {
    std::string name;
    Cycle cycles = 0;
    double fraction = -1;
    bool done = false;
  };
  void show();
  std::vector<Run> runs_;
  bool wanted_;
  bool active_;
  Pace pace_;
  std::chrono::steady_clock::time_point start_;
};

/// A run in this process.
class LocalProgress : public ProgressSink {
 public:
  LocalProgress(ProgressLine& line, std::size_t run) : line_(line), run_(run) {}
  void update(Cycle cycles, double fraction) override { line_.update(run_, cycles, fraction); }
  void console(int column, const std::string& line) override { line_.console(run_, column, line); }

 private:
  ProgressLine& line_;
  std::size_t run_;
};

}  // namespace meshkv::platform
