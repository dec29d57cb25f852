#include "platform/trace/trace_files.h"

#include <filesystem>

#include "platform/run/part_files.h"
#include "platform/scenario/input_error.h"
#include "platform/scenario/parameter.h"

namespace meshkv::platform {
namespace fs = std::filesystem;

namespace {

const char* extension(TraceKind kind) {
  return kind == TraceKind::kVcd ? ".vcd" : ".json";
}

/// Names that a glob may match, of what a trace of this kind can show.
std::vector<std::string> instances_of(TraceKind kind, const RunConfig& config) {
  const bool chip = config.workload_kind == WorkloadKind::kDecode;
  const std::string root = chip ? "chip." : "mesh.";
  std::vector<std::string> names;
  for (int n = 0; n < config.noc.mesh.nodes(); ++n) {
    const Coord at = config.noc.mesh.coord(static_cast<NodeId>(n));
    const std::string tile = root + "tile_" + std::to_string(at.x) + "_" + std::to_string(at.y);
    if (kind == TraceKind::kPerfetto) {
      names.push_back(tile);
      continue;
    }
    for (int p = 0; p < kPorts; ++p)
      names.push_back(tile + ".router.port_" + port_name(static_cast<Port>(p)));
  }
  if (!chip || kind != TraceKind::kPerfetto) return names;
  for (int x = 0; x < config.noc.mesh.width; ++x) {
    names.push_back("chip.dc_" + std::to_string(x));
    names.push_back("chip.hbm_" + std::to_string(x));
  }
  for (int i = 0; i < 2; ++i) names.push_back("chip.ddr_" + std::to_string(i));
  return names;
}

}  // namespace

void check_trace(const TraceConfig& trace, const RunConfig& config) {
  if (trace.kind == TraceKind::kNone) return;
  if (config.workload_kind == WorkloadKind::kMemory)
    throw InputError("--trace", "", "a memory workload has neither mesh nor tiles to trace");
  bool at = config.mode == TimingMode::kAt;
  for (const ModePhase& phase : config.phases) at = at || phase.mode == TimingMode::kAt;
  if (trace.kind == TraceKind::kVcd && !at)
    throw InputError("--trace", "",
                     "found \"vcd\", which shows flits and credits; in mode lt there are none");
  const std::vector<std::string> names = instances_of(trace.kind, config);
  for (const std::string& name : names)
    if (trace.wants(name)) return;
  throw InputError("--trace-instances", "",
                   "found " + shown(trace.instances) + ", which matches nothing; instances are like " +
                       names.front() + " or " + names.back());
}

TraceFiles::TraceFiles(std::string folder, const TraceConfig& trace)
    : folder_(std::move(folder)), trace_(trace) {
  std::error_code error;
  if (trace.kind != TraceKind::kNone)
    fs::create_directories(fs::absolute(folder_).lexically_normal().parent_path(), error);
}

TraceFiles::~TraceFiles() {
  std::error_code error;
  for (const std::string& part : parts_) fs::remove(part, error);
}

TraceConfig TraceFiles::of(const std::string& preset) {
  TraceConfig config = trace_;
  if (config.kind == TraceKind::kNone) return config;
  const std::string name = "trace" + (preset.empty() ? "" : "." + preset) + extension(config.kind);
  std::string bare = fs::absolute(folder_).lexically_normal().string();
  while (bare.size() > 1 && bare.back() == '/') bare.pop_back();
  names_.push_back((fs::path(folder_) / name).string());
  parts_.push_back(config.file = bare + part_mark() + "-" + name);
  return config;
}

void TraceFiles::place() {
  std::vector<std::string> all{"trace"};
  for (const std::string& preset : preset_names()) all.push_back("trace." + preset);
  std::error_code error;
  for (const std::string& name : all)
    for (const TraceKind kind : {TraceKind::kPerfetto, TraceKind::kVcd})
      fs::remove(fs::path(folder_) / (name + extension(kind)), error);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    fs::rename(parts_[i], names_[i], error);
    if (error) throw InputError("--out", "", names_[i] + " cannot be made: " + error.message());
  }
  parts_.clear();
}

}  // namespace meshkv::platform
