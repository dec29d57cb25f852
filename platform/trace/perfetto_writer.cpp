#include "platform/trace/perfetto_writer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace meshkv::platform {

namespace {

constexpr std::uint64_t kEndBytes = 1024;

std::string number(std::uint64_t v) {
  return std::to_string(v);
}

std::string at_track(const char* phase, int process, int thread, Cycle at) {
  return std::string("{\"ph\":\"") + phase + "\",\"pid\":" + std::to_string(process) +
         ",\"tid\":" + std::to_string(thread) + ",\"ts\":" + number(at);
}

const char* flow_phase(PerfettoWriter::Flow flow) {
  switch (flow) {
    case PerfettoWriter::Flow::kStart:
      return "s";
    case PerfettoWriter::Flow::kStep:
      return "t";
    default:
      return "f";
  }
}

}  // namespace

std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

PerfettoWriter::PerfettoWriter(const TraceConfig& config)
    : config_(config), file_(config.file, config.limit_bytes, kEndBytes) {
  const std::string head =
      "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"time\":\"1 us is one cycle of the fabric clock\"},\n"
      "\"traceEvents\":[";
  file_.claim(head.size());
  file_.write(head);
}

void PerfettoWriter::write(const std::string& text) {
  file_.write(first_ ? "\n" : ",\n");
  first_ = false;
  file_.write(text);
  ++outcome_.events;
}

/// Names of tracks are not subject to the limit's cut, only counted: without them a trace cannot be read.
void PerfettoWriter::metadata(const char* what, int process, int thread, const std::string& name) {
  const std::string text = std::string("{\"ph\":\"M\",\"pid\":") + std::to_string(process) +
                           ",\"tid\":" + std::to_string(thread) + ",\"name\":\"" + what +
                           "\",\"args\":{\"name\":" + json_text(name) + "}}";
  file_.claim(text.size() + 2);
  write(text);
}

int PerfettoWriter::process(const std::string& name) {
  const int process = ++processes_;
  metadata("process_name", process, 0, name);
  const std::string text =
      std::string("{\"ph\":\"M\",\"pid\":") + std::to_string(process) +
      ",\"tid\":0,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":" + std::to_string(process) + "}}";
  file_.claim(text.size() + 2);
  write(text);
  return process;
}

int PerfettoWriter::lane(TrackGroup& group, Cycle begin, Cycle end) {
  for (TrackGroup::Lane& lane : group.lanes) {
    if (lane.end > begin) continue;
    lane.end = end;
    return lane.thread;
  }
  const int thread = ++threads_;
  const std::string suffix = group.lanes.empty() ? "" : " (" + std::to_string(group.lanes.size() + 1) + ")";
  metadata("thread_name", group.process, thread, group.name + suffix);
  group.lanes.push_back({thread, end});
  return thread;
}

bool PerfettoWriter::accept(std::vector<Event>& events) {
  std::uint64_t bytes = 0;
  for (const Event& e : events) bytes += e.text.size() + 2;
  // After the first that finds no room nothing is accepted any more: a trace with holes would mislead.
  if (outcome_.cut_at || !file_.claim(bytes)) {
    if (!outcome_.cut_at) outcome_.cut_at = events.front().at;
    outcome_.left_out += events.size();
    return false;
  }
  for (Event& e : events) waiting_.push(std::move(e));
  return true;
}

bool PerfettoWriter::add(const std::vector<Span>& spans, std::uint64_t flow) {
  std::vector<Event> events;
  for (const Span& span : spans) {
    const Cycle begin = std::max(span.begin, advanced_), end = std::max(span.end, begin + 1);
    if (outcome_.cut_at) {  // counted, without a track of its own
      events.push_back({begin, 0, ""});
      if (span.flow != Flow::kNone) events.push_back({begin, 0, ""});
      continue;
    }
    const int thread = lane(*span.group, begin, end);
    std::string text = at_track("X", span.group->process, thread, begin) + ",\"dur\":" + number(end - begin) +
                       ",\"name\":" + json_text(span.name);
    if (!span.arguments.empty()) text += ",\"args\":{" + span.arguments + "}";
    events.push_back({begin, order_++, text + "}"});
    if (span.flow == Flow::kNone) continue;
    text = at_track(flow_phase(span.flow), span.group->process, thread, begin) +
           ",\"cat\":\"segment\",\"name\":\"segment\",\"id\":" + number(flow);
    if (span.flow != Flow::kStart) text += ",\"bp\":\"e\"";
    events.push_back({begin, order_++, text + "}"});
  }
  return events.empty() || accept(events);
}

void PerfettoWriter::begin(TrackGroup& track, Cycle at, const std::string& name) {
  constexpr std::uint64_t kEnd = 96;
  if (track.is_open || (!outcome_.cut_at && !file_.claim(kEnd))) return;
  const Cycle time = std::max(at, advanced_);
  const int thread = outcome_.cut_at ? 0 : lane(track, time, kNever);
  std::vector<Event> events{
      {time, order_++, at_track("B", track.process, thread, time) + ",\"name\":" + json_text(name) + "}"}};
  track.is_open = accept(events);
}

void PerfettoWriter::end(TrackGroup& track, Cycle at) {
  if (!track.is_open) return;
  track.is_open = false;
  TrackGroup::Lane& lane = track.lanes.back();
  const Cycle time = std::max(at, advanced_);
  lane.end = time;
  waiting_.push({time, order_++, at_track("E", track.process, lane.thread, time) + "}"});
}

bool PerfettoWriter::counter(int process, const std::string& name, Cycle at, const std::string& arguments) {
  const Cycle time = std::max(at, advanced_);
  std::vector<Event> events{
      {time, order_++,
       at_track("C", process, 0, time) + ",\"name\":" + json_text(name) + ",\"args\":{" + arguments + "}}"}};
  return accept(events);
}

void PerfettoWriter::advance(Cycle cycle) {
  while (!waiting_.empty() && waiting_.top().at < cycle) {
    write(waiting_.top().text);
    waiting_.pop();
  }
  advanced_ = std::max(advanced_, cycle);
}

TraceOutcome PerfettoWriter::finish(Cycle end) {
  Cycle last = end;
  while (!waiting_.empty()) {
    last = std::max(last, waiting_.top().at);
    write(waiting_.top().text);
    waiting_.pop();
  }
  if (outcome_.cut_at)
    write("{\"ph\":\"i\",\"pid\":1,\"tid\":0,\"ts\":" + number(last) +
          ",\"s\":\"g\",\"name\":\"trace cut\",\"args\":{\"at_cycle\":" + number(*outcome_.cut_at) +
          ",\"limit_bytes\":" + number(config_.limit_bytes) +
          ",\"events_left_out\":" + number(outcome_.left_out) + "}}");
  file_.write("\n]}\n");
  file_.close();
  outcome_.bytes = file_.written();
  return outcome_;
}

}  // namespace meshkv::platform
