// What a scenario must satisfy beyond the range of each key: relations between keys, capacities, windows.
#include <algorithm>
#include <cctype>
#include <numeric>

#include "models/mare/head_mask.h"
#include "models/takv/placement.h"
#include "models/workload/mapping.h"
#include "models/workload/segments.h"
#include "platform/elf/program_files.h"
#include "platform/run/replay_file.h"
#include "platform/scenario/capacity.h"
#include "platform/scenario/scenario.h"

namespace meshkv::platform {
namespace {

bool is_power_of_two(int value) {
  return value > 0 && (value & (value - 1)) == 0;
}

class Relations {
 public:
  Relations(const Scenario& scenario, std::vector<Problem>& problems)
      : scenario_(scenario), c_(scenario.config), problems_(problems) {}

  void check() {
    check_name();
    check_presets();
    check_fabric();
    if (c_.data && c_.workload_kind != WorkloadKind::kDecode)
      add({"data"}, std::string("found true; allowed with workload.kind \"") + kind_name(c_.workload_kind) +
                        "\": false");
    if (c_.workload_kind == WorkloadKind::kDecode) check_decode();
    if (c_.workload_kind == WorkloadKind::kSynthetic) check_synthetic();
    if (c_.workload_kind == WorkloadKind::kMemory) check_memory_workload();
  }

 private:
  const Json* given(const std::string& path) const { return scenario_.merged.find(path); }

  /// Reports at the first of `paths` that the user wrote, so that the message names a place to edit.
  void add(std::initializer_list<const char*> paths, const std::string& text) {
    const char* path = *paths.begin();
    for (const char* p : paths)
      if (given(p)) {
        path = p;
        break;
      }
    const std::string& origin = scenario_.merged.origin(path);
    problems_.push_back({origin.empty() ? scenario_.file : origin, path, text});
  }

  /// A key with a problem of its own: relations with it would only repeat that.
  bool sound(const char* path) const {
    return std::none_of(problems_.begin(), problems_.end(), [&](const Problem& p) { return p.path == path; });
  }

  void check_name() {
    const std::string& name = c_.name;
    const bool fine = !name.empty() && name.size() <= 100 && name[0] != '.' &&
                      std::all_of(name.begin(), name.end(), [](unsigned char ch) {
                        return std::isalnum(ch) || ch == '.' || ch == '_' || ch == '-';
                      });
    if (!fine)
      add({"name"}, "found " + shown(name) +
                        "; allowed: up to 100 letters, digits, . _ - (it names the results' folder)");
  }

  void check_presets() {
    if (given("preset") && given("compare"))
      add({"compare"}, "stands beside preset; allowed: one of them (null takes a key back)");
    if (given("compare") && c_.workload_kind != WorkloadKind::kDecode)
      add({"compare"},
          "presets differ in decode workloads only; allowed: no compare with this workload.kind");
  }

  void check_fabric() {
    if (!is_power_of_two(c_.noc.flit_bits))
      add({"noc.flit_bits"}, "found " + std::to_string(c_.noc.flit_bits) + "; allowed: a power of two");
    if (c_.lt.chunk_flits != 0 && (c_.lt.chunk_flits < 8 || !is_power_of_two(c_.lt.chunk_flits)))
      add({"lt.chunk_flits"},
          "found " + std::to_string(c_.lt.chunk_flits) + "; allowed: a power of two from 8 on, or 0");
    if (!is_power_of_two(c_.mare.bloom_bits))
      add({"mare.bloom_bits"}, "found " + std::to_string(c_.mare.bloom_bits) + "; allowed: a power of two");
    if (c_.noc.vn1_vc_policy == noc::Vn1VcPolicy::kPerClass && c_.noc.vcs_per_vn < 2)
      add({"noc.vcs_per_vn"}, "found " + std::to_string(c_.noc.vcs_per_vn) +
                                  "; allowed: 2 or more with noc.vn1_vc_policy \"per_class\"");
    if (const Json* a = given("takv.a"); a && sound("takv.a") && sound("mesh.height")) {
      takv::PlacementConfig placement = c_.placement;
      placement.kind =
          takv::PlacementKind::kTakv;  // a wrong stride is wrong even where a preset does not use it
      if (auto reason = takv::validate(placement, c_.noc.mesh)) {
        const std::string prefix = "takv.a = " + std::to_string(placement.a) + " ";
        const bool repeats = reason->rfind(prefix, 0) == 0;
        add({"takv.a"}, "found " + shown(*a) + "; " + (repeats ? reason->substr(prefix.size()) : *reason));
      }
    }
    check_mapping();
    check_memory();
  }

  void check_mapping() {
    const auto reason = workload::Mapping::validate(c_.mapping, c_.noc.mesh);
    if (!reason || !sound("mesh.height") || !sound("mesh.width")) return;
    // "mapping.reduce_root_row = 8 is not ..."
    const std::string path = reason->substr(0, reason->find(' '));
    const bool named = path.rfind("mapping.", 0) == 0 && reason->find(" = ") == path.size();
    if (named)
      add({path.c_str()}, "found " + reason->substr(path.size() + 3));
    else
      add({"mapping.policy"}, *reason);
  }

  void check_memory() {
    const int channels = c_.memory.hbm_pseudo_channels;
    if (channels % memory::kPseudoChannelsPerController != 0)
      add({"memory.hbm_pseudo_channels"},
          "found " + std::to_string(channels) +
              "; allowed: a multiple of 4, the pseudo-channels of a controller");
    const int packet_bytes = c_.noc.vc_depth_flits * c_.noc.flit_bits / 8;
    if (c_.memory.chunk_bytes < packet_bytes)
      add({"memory.chunk_bytes", "noc.vc_depth_flits", "noc.flit_bits"},
          "a KV_DATA packet of " + std::to_string(packet_bytes) +
              " bytes (noc.vc_depth_flits times noc.flit_bits) does not fit a chunk of " +
              std::to_string(c_.memory.chunk_bytes) + "; allowed: memory.chunk_bytes of at least a packet");
    if (c_.lt.chunk_flits != 0 && c_.lt.chunk_flits < c_.noc.vc_depth_flits)
      add({"lt.chunk_flits", "noc.vc_depth_flits"},
          "a packet of " + std::to_string(c_.noc.vc_depth_flits) + " flits does not fit a chunk of " +
              std::to_string(c_.lt.chunk_flits) + "; allowed: lt.chunk_flits of at least noc.vc_depth_flits");
    if (!is_power_of_two(c_.memory.chunk_bytes))
      add({"memory.chunk_bytes"},
          "found " + std::to_string(c_.memory.chunk_bytes) + "; allowed: a power of two");
    if (c_.memory.sram_bytes % c_.memory.sram_banks != 0)
      add({"memory.sram_banks", "memory.sram_bytes"},
          std::to_string(c_.memory.sram_bytes) + " bytes do not divide into " +
              std::to_string(c_.memory.sram_banks) +
              " banks; allowed: memory.sram_bytes a multiple of memory.sram_banks");
    if (2 * c_.memory.chunk_bytes > c_.memory.sram_bytes)
      add({"memory.chunk_bytes", "memory.sram_bytes"}, "found " + std::to_string(c_.memory.chunk_bytes) +
                                                           "; allowed: at most half of memory.sram_bytes, " +
                                                           std::to_string(c_.memory.sram_bytes / 2) +
                                                           ", so that one chunk fills while another drains");
  }

  void check_decode() {
    const workload::DecodeConfig& d = c_.decode;
    if (!c_.trace.empty()) add({"workload.trace"}, "request traces are not part of this version");
    const auto& lengths = d.stream_context_tokens;
    if (!lengths.empty() && lengths.size() != static_cast<std::size_t>(d.streams)) {
      add({"workload.stream_context_tokens", "workload.streams"},
          "found " + std::to_string(lengths.size()) + " numbers; allowed: one for each of the " +
              std::to_string(d.streams) + " workload.streams");
      return;
    }
    const long shortest =
        lengths.empty() ? d.context_tokens : *std::min_element(lengths.begin(), lengths.end());
    if (d.shared_prefix_tokens > shortest)
      add({"workload.shared_prefix_tokens"},
          "found " + std::to_string(d.shared_prefix_tokens) + "; allowed: 0 to " + std::to_string(shortest) +
              (lengths.empty() ? " (workload.context_tokens)"
                               : " (the shortest of workload.stream_context_tokens)"));
    if (d.layout.bf16 && d.layout.bits_per_element != 16)
      add({"kv_layout.format"}, "found \"bf16\"; allowed with kv_layout.bits_per_element " +
                                    std::to_string(d.layout.bits_per_element) +
                                    ": \"fp16\", the format of scales and zeros");
    if (d.sampled_segment_to >= 0 && d.sampled_segment_from >= d.sampled_segment_to)
      add({"workload.sample.segments.to"}, "found " + std::to_string(d.sampled_segment_to) +
                                               "; allowed: more than workload.sample.segments.from, " +
                                               std::to_string(d.sampled_segment_from));
    if (!sound("model") || !sound("workload.sample.segments.to")) return;
    check_layout();
    const double slots = slots_per_layer(d);
    if (slots > kMaxSlotsPerLayer) {
      add({"workload.context_tokens", "workload.streams"},
          "makes " + std::to_string(static_cast<long long>(slots)) +
              " segments a layer; allowed: up to 4194304 (fewer tokens or streams, or larger "
              "kv_layout.segment_tokens)");
      return;
    }
    check_values();
    check_controllers();
    if (check_sampled_layers()) {
      check_sampled_segments();
      check_capacity();
    }
  }

  void check_layout() {
    const auto& d = c_.decode;
    if (d.model.kv_heads > mare::kMaxKvHeads)
      add({"model"}, "the model has " + std::to_string(d.model.kv_heads) + " KV heads; allowed: up to " +
                         std::to_string(mare::kMaxKvHeads) + ", the width of a head mask");
    if (d.model.kv_heads % d.layout.heads_per_line != 0)
      add({"kv_layout.heads_per_line", "model"}, "found " + std::to_string(d.layout.heads_per_line) +
                                                     "; allowed: a divisor of the model's " +
                                                     std::to_string(d.model.kv_heads) + " KV heads");
    const double slice_flits = 2.0 * d.layout.segment_tokens * d.layout.heads_per_line * d.model.head_dim *
                               d.layout.bits_per_element / c_.noc.flit_bits;
    if (slice_flits > 16777216)
      add({"kv_layout.segment_tokens", "model"}, "a slice would have more than 16777216 flits");
  }

  void check_values() {
    const data::ValueFiles& files = c_.value_files;
    if (!files.any()) return;
    const std::initializer_list<const char*> paths = {"values.keys", "values.values", "values.queries"};
    if (!c_.data) {
      add(paths, "belongs to data: true");
      return;
    }
    const auto check = [&](const char* path, const data::ValueFiles& file) {
      try {
        if (file.any()) data::FileValues(file, c_.decode, nullptr);
      } catch (const std::runtime_error& e) {
        add({path}, e.what());
      }
    };
    check("values.keys", {files.keys, "", ""});
    check("values.values", {"", files.values, ""});
    check("values.queries", {"", "", files.queries});
  }

  void check_controllers() {
    using controller::ControllerKind;
    try {
      if (c_.controllers.kind == ControllerKind::kRv32) load_program(c_.controllers.firmware);
      if (c_.controllers.kind == ControllerKind::kNative) check_native_program(c_.controllers.firmware);
    } catch (const std::runtime_error& e) {
      add({"controllers.firmware", "controllers.kind"}, e.what());
    }
    if (c_.placement.swaps_by != takv::SwapsBy::kFirmware) return;
    const std::string found = "found \"firmware\"; allowed with ";
    if (c_.controllers.kind == ControllerKind::kSequencer)
      add({"takv.swaps_by"}, found + "controllers.kind \"sequencer\": \"hardware\"");
    if (!c_.placement.swaps) add({"takv.swaps_by"}, found + "fabric.swaps false: \"hardware\"");
    if (c_.placement.kind != takv::PlacementKind::kTakv)
      add({"takv.swaps_by"}, found +
                                 "this fabric.placement: \"hardware\"; a column decides for the layers whose "
                                 "homes it has, and only \"takv\" keeps those of a layer together");
  }

  bool check_sampled_layers() {
    const auto& d = c_.decode;
    bool fine = true;
    if (d.drawn_layers > d.model.layers) {
      add({"workload.sample.draw_layers"}, "found " + std::to_string(d.drawn_layers) + "; allowed: 0 to " +
                                               std::to_string(d.model.layers) + " (" + d.model.name + ")");
      fine = false;
    }
    if (d.drawn_layers > 0 && !d.sampled_layers.empty()) {
      add({"workload.sample.draw_layers"},
          "stands beside workload.sample.layers; allowed: one of them (null takes a key back)");
      fine = false;
    }
    for (int layer : d.sampled_layers) {
      if (layer < d.model.layers) continue;
      add({"workload.sample.layers"}, "found layer " + std::to_string(layer) + "; allowed: 0 to " +
                                          std::to_string(d.model.layers - 1) + " (" + d.model.name + ")");
      fine = false;
    }
    return fine;
  }

  void check_sampled_segments() {
    const auto& d = c_.decode;
    if (!d.sampled()) return;
    const workload::SegmentTable table(d);
    std::size_t most = 0;
    for (int layer : table.layers()) most = std::max(most, table.needed_unsampled(layer));
    const std::string range = " (a step reads " + std::to_string(most) + " segments of a sampled layer)";
    if (static_cast<std::size_t>(d.sampled_segment_from) >= most)
      add({"workload.sample.segments.from"}, "found " + std::to_string(d.sampled_segment_from) +
                                                 "; allowed: 0 to " + std::to_string(most - 1) + range);
    if (d.sampled_segment_to > static_cast<int>(most))
      add({"workload.sample.segments.to"}, "found " + std::to_string(d.sampled_segment_to) +
                                               "; allowed: 1 to " + std::to_string(most) + range);
  }

  void check_capacity() {
    if (c_.memory.spill == memory::Spill::kIgnore) return;
    const Capacity capacity = kv_capacity(c_);
    const auto& d = c_.decode;
    const std::string need = "the KV cache needs " + bytes_text(static_cast<double>(capacity.cache_bytes)) +
                             " (" + d.model.name + ", " + std::to_string(d.context_tokens) + " tokens, " +
                             std::to_string(d.streams) + (d.streams == 1 ? " stream), " : " streams), ");
    const double hbm = static_cast<double>(capacity.hbm_bytes);
    const double ddr = static_cast<double>(capacity.ddr_bytes);
    const auto paths = {"workload.context_tokens", "workload.streams", "memory.hbm_bytes",
                        "memory.ddr_bytes"};
    const std::string fix =
        "; allowed: fewer workload.context_tokens or workload.streams, or more "
        "workload.shared_prefix_tokens";
    if (capacity.cache_bytes > capacity.hbm_bytes + capacity.ddr_bytes) {
      add(paths, need + "but HBM " + bytes_text(hbm) + " and DDR4 " + bytes_text(ddr) + " hold only " +
                     bytes_text(hbm + ddr) + fix);
    } else if (c_.memory.spill == memory::Spill::kRefuse && capacity.cache_bytes > capacity.hbm_bytes) {
      add({"memory.spill"},
          need + "but HBM holds only " + bytes_text(hbm) + " and memory.spill is false" + fix);
    }
  }

  void check_synthetic() {
    const SyntheticWorkload& s = c_.synthetic;
    const MeshShape& mesh = c_.noc.mesh;
    if (c_.mode == TimingMode::kLt)
      add({"mode"}, "found \"lt\"; allowed: \"at\", the mode in which synthetic traffic means something");
    if (s.pattern == workload::TrafficPattern::kHotspot && s.hotspot_node >= mesh.nodes())
      add({"workload.hotspot_node"},
          "found " + std::to_string(s.hotspot_node) + "; allowed: 0 to " + std::to_string(mesh.nodes() - 1) +
              " (" + std::to_string(mesh.width) + "x" + std::to_string(mesh.height) + " mesh)");
    if (s.pattern == workload::TrafficPattern::kTranspose && mesh.width != mesh.height)
      add({"workload.pattern"}, "\"transpose\" is undefined on a " + std::to_string(mesh.width) + "x" +
                                    std::to_string(mesh.height) + " mesh; allowed: a square mesh");
    const int nodes = mesh.nodes();
    if (s.pattern == workload::TrafficPattern::kBitcomp && (nodes & (nodes - 1)) != 0)
      add({"workload.pattern"}, "\"bitcomp\" is undefined for " + std::to_string(nodes) +
                                    " nodes; allowed: a number of nodes that is a power of two");
    if (s.pattern == workload::TrafficPattern::kMulticast) {
      if (s.multicast_fanout > nodes)
        add({"workload.multicast_fanout"}, "found " + std::to_string(s.multicast_fanout) +
                                               "; allowed: 1 to " + std::to_string(nodes) +
                                               ", the tiles of the mesh");
      if (c_.noc.multicast_allocation == noc::MulticastAllocation::kCutThrough &&
          s.packet_flits > c_.noc.vc_depth_flits)
        add({"workload.packet_flits", "noc.vc_depth_flits"},
            "a packet of " + std::to_string(s.packet_flits) + " flits never fits a VC of " +
                std::to_string(c_.noc.vc_depth_flits) +
                " whole; allowed with noc.multicast_allocation \"cut_through\": up to noc.vc_depth_flits");
    }
    if (s.pattern == workload::TrafficPattern::kReplay) check_replay();
    if (s.pattern != workload::TrafficPattern::kReplay && !s.packets.empty())
      add({"workload.packets"}, "belongs to workload.pattern \"replay\"");
    if (s.packet_flits < 1 || s.injection_rate > s.packet_flits)
      add({"workload.injection_rate"},
          "more than one packet a cycle; allowed: at most workload.packet_flits");
  }

  void check_replay() {
    if (c_.synthetic.packets.empty()) {
      if (sound("workload.packets"))
        add({"workload.packets"}, "is missing; replay needs a CSV or CSV.gz file");
      return;
    }
    try {
      read_replay_file(c_.synthetic.packets, c_.noc.mesh.nodes());
    } catch (const std::runtime_error& e) {
      add({"workload.packets"}, c_.synthetic.packets + ": " + e.what());
    }
  }

  void check_memory_workload() {
    const memory::MemoryWorkloadConfig& m = c_.memory_workload;
    const bool hbm = m.device == memory::MemoryDevice::kHbm;
    const int available = hbm ? c_.memory.hbm_pseudo_channels : c_.memory.ddr_channels;
    if (m.channels > available)
      add({"workload.channels"}, "found " + std::to_string(m.channels) + "; allowed: 1 to " +
                                     std::to_string(available) +
                                     (hbm ? " (memory.hbm_pseudo_channels)" : " (memory.ddr_channels)"));
    // "workload.slice_bytes must be ..."
    for (const std::string& problem : memory::problems(m)) {
      const std::size_t space = problem.find(' ');
      const std::string path = problem.substr(0, space);
      if (sound(path.c_str())) add({path.c_str()}, problem.substr(space + 1));
    }
  }

  const Scenario& scenario_;
  const RunConfig& c_;
  std::vector<Problem>& problems_;
};

}  // namespace

void check_relations(const Scenario& scenario, std::vector<Problem>& problems) {
  Relations(scenario, problems).check();
}

}  // namespace meshkv::platform
