// Trace Event Format (JSON), as ui.perfetto.dev opens it: spans on tracks, counters, flows. One cycle is one
// microsecond of the trace.
//
// Events come in any order and leave in the order of their times: they wait until the caller says that
// nothing earlier can come. Spans that belong together are accepted or left out together, so that no flow
// loses an end.
#pragma once

#include <cstdint>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "platform/trace/trace_config.h"
#include "platform/trace/trace_file.h"

namespace meshkv::platform {

/// Spans of one meaning that may overlap: they are put on as many tracks as that takes.
struct TrackGroup {
  int process = 0;
  std::string name;
  struct Lane {
    int thread;
    Cycle end;
  };
  std::vector<Lane> lanes;
  bool is_open = false;  ///< begin() without end()
};

class PerfettoWriter {
 public:
  PerfettoWriter(const TraceConfig& config);

  /// A row of tracks; shown in the order in which they are made.
  int process(const std::string& name);
  TrackGroup tracks(int process, const std::string& name) { return {process, name, {}, false}; }

  enum class Flow : std::uint8_t { kNone, kStart, kStep, kEnd };
  struct Span {
    TrackGroup* group;
    Cycle begin, end;  ///< at least a cycle long
    std::string name;
    std::string arguments;    ///< members of a JSON object, or empty
    Flow flow = Flow::kNone;  ///< an arrow leaves, passes or ends at the span's begin
  };
  /// All or, beyond the limit, none. `flow`: number of the arrow that connects them.
  bool add(const std::vector<Span>& spans, std::uint64_t flow = 0);
  /// A span whose end is not known yet, on a track that has no other; room for its end is kept.
  void begin(TrackGroup& track, Cycle at, const std::string& name);
  void end(TrackGroup& track, Cycle at);
  /// `arguments`: a number a series.
  bool counter(int process, const std::string& name, Cycle at, const std::string& arguments);

  /// Nothing that begins before `cycle` will be added.
  void advance(Cycle cycle);
  /// Writes all that waits, the marker if something was left out, and the end.
  TraceOutcome finish(Cycle end);
  const std::string& failure() const { return file_.failure(); }

  const TraceConfig& config() const { return config_; }

 private:
  struct Event {
    Cycle at;
    std::uint64_t order;
    std::string text;
    bool operator>(const Event& o) const { return at != o.at ? at > o.at : order > o.order; }
  };
  bool accept(std::vector<Event>& events);
  void write(const std::string& text);
  void metadata(const char* what, int process, int thread, const std::string& name);
  int lane(TrackGroup& group, Cycle begin, Cycle end);

  TraceConfig config_;
  TraceFile file_;
  bool first_ = true;
  int processes_ = 0;
  int threads_ = 0;
  std::uint64_t order_ = 0;
  Cycle advanced_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> waiting_;
  TraceOutcome outcome_;
};

/// A JSON string with its quotes.
std::string json_text(const std::string& text);

}  // namespace meshkv::platform
