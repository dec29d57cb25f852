// What is decoded, how it is mapped, and the two workloads that exercise one part of the chip alone.
#include "platform/scenario/parameter_builder.h"

namespace meshkv::platform {

using namespace declare;

namespace {

constexpr double kMaxTokens = 16777216;  // 16M: beyond any model, still safe in all products of sizes
constexpr double kMaxCycles = 1e12;

std::vector<Parameter> tagged(WorkloadKind kind, std::vector<Parameter> some) {
  for (Parameter& p : some) p.only_for = kind;
  return some;
}

void append(std::vector<Parameter>& all, std::vector<Parameter> some) {
  std::move(some.begin(), some.end(), std::back_inserter(all));
}

std::vector<Parameter> mapping_parameters() {
  using workload::MappingPolicy;
  return {
      text("model", ParameterType::kFile, MESHKV_FIELD(model_path),
           {"A Hugging Face config.json; needed by workload.kind decode", "DESIGN 9"}),
      integer("kv_layout.segment_tokens", "tokens", 1, 65536, MESHKV_FIELD(decode.layout.segment_tokens),
              {"Tokens of a KV block (P)", "paper eq. 3"}),
      with_default_note(
          "2, or 1 where that does not divide the model's KV heads",
          integer("kv_layout.heads_per_line", "KV heads", 1, 1024, MESHKV_FIELD(decode.layout.heads_per_line),
                  {"KV heads that share one line (flit); divides the model's KV heads",
                   "study of the paper's figures, 7"})),
      choice<int>("kv_layout.bits_per_element", MESHKV_FIELD(decode.layout.bits_per_element),
                  {{16, 16}, {8, 8}, {4, 4}, {2, 2}},
                  {"Bits of a cached number; 8, 4, 2: asymmetric quantisation, keys per channel and values "
                   "per token, whose scales and zeros are stored and travel too (docs/data.md)",
                   "paper III-A: FP16; KIVI"}),
      choice<bool>("kv_layout.format", MESHKV_FIELD(decode.layout.bf16), {{"fp16", false}, {"bf16", true}},
                   {"What 16 bits of a cached number mean", "paper III-A: FP16"}),
      choice<MappingPolicy>(
          "mapping.policy", MESHKV_FIELD(mapping.policy),
          {{"half_copies", MappingPolicy::kHalfCopies},
           {"column_split", MappingPolicy::kColumnSplit},
           {"head_per_tile", MappingPolicy::kHeadPerTile},
           {"layer_following", MappingPolicy::kLayerFollowing}},
          {"Which tile computes which head and segment", "study of the paper's figures, 1"}),
      integer("mapping.reduce_root_row", "", 0, 31, MESHKV_FIELD(mapping.reduce_root_row),
              {"Row of the column reduce roots", "paper IV"}),
      with_default_note(
          "4, or mesh.width where that is less",
          integer("mapping.follow_columns", "columns", 1, 32, MESHKV_FIELD(mapping.follow_columns),
                  {"layer_following: columns around the layer's home column",
                   "study of the paper's figures, 1"}))};
}

std::vector<Parameter> traffic_parameters() {
  using P = workload::TrafficPattern;
  return {choice<P>(
              "workload.pattern", MESHKV_FIELD(synthetic.pattern),
              {{"uniform", P::kUniform},
               {"transpose", P::kTranspose},
               {"bitcomp", P::kBitcomp},
               {"neighbor", P::kNeighbor},
               {"hotspot", P::kHotspot},
               {"replay", P::kReplay},
               {"multicast", P::kMulticast},
               {"request_reply", P::kRequestReply}},
              {"Destinations of synthetic traffic, or a file of packets; multicast: KV_DATA on trees to "
               "random sets of tiles; request_reply: KV_FETCHes to uniform homes, each answered by a KV_DATA",
               "BookSim2; DESIGN 4"}),
          integer("workload.multicast_fanout", "tiles", 1, 1024, MESHKV_FIELD(synthetic.multicast_fanout),
                  {"multicast: destinations of a packet", "DESIGN 4"}),
          integer("workload.home_requests", "", 1, 1024, MESHKV_FIELD(synthetic.home_requests),
                  {"request_reply: requests that a home holds before it refuses the next", "DESIGN 4"}),
          integer("workload.hotspot_node", "node", 0, 1023, MESHKV_FIELD(synthetic.hotspot_node),
                  {"hotspot: the node (x + width * y) that all send to", "BookSim2"}),
          text("workload.packets", ParameterType::kFile, MESHKV_FIELD(synthetic.packets),
               {"replay: CSV or CSV.gz with the columns created, src, dst and optionally flits, ejected",
                "DESIGN 12"}),
          real("workload.injection_rate", "flits/node/cycle", 0, 1, MESHKV_FIELD(synthetic.injection_rate),
               {"Offered load", "BookSim2"}),
          integer("workload.packet_flits", "flits", 1, 1024, MESHKV_FIELD(synthetic.packet_flits),
                  {"Length of a packet", "BookSim2"}),
          integer("workload.warmup_cycles", "cycles", 0, kMaxCycles, MESHKV_FIELD(synthetic.warmup_cycles),
                  {"Cycles before the measured window", "BookSim2"}),
          integer("workload.measure_cycles", "cycles", 1, kMaxCycles, MESHKV_FIELD(synthetic.measure_cycles),
                  {"Measured window: packets created in it count", "BookSim2"})};
}

}  // namespace

std::vector<Parameter> decode_parameters() {
  std::vector<Parameter> all = mapping_parameters();
  append(
      all,
      tagged(
          WorkloadKind::kDecode,
          {integer("workload.context_tokens", "tokens", 1, kMaxTokens, MESHKV_FIELD(decode.context_tokens),
                   {"Tokens in the cache of every stream (T)", "paper IX"}),
           integer("workload.streams", "", 1, 1024, MESHKV_FIELD(decode.streams),
                   {"Streams that are decoded together (B)", "paper IX"}),
           [] {
             Parameter p =
                 text("workload.stream_context_tokens", ParameterType::kIntegerList,
                      MESHKV_FIELD(decode.stream_context_tokens),
                      {"Tokens in the cache of each stream, where they differ; one number a stream, instead "
                       "of workload.context_tokens",
                       "DESIGN 9"});
             p.minimum = 1;
             p.maximum = kMaxTokens;
             p.repeats = true;
             p.default_note = "workload.context_tokens for all";
             p.get = [](const RunConfig& config) {
               return config.decode.stream_context_tokens.empty() ? Json()
                                                                  : Json(config.decode.stream_context_tokens);
             };
             return p;
           }(),
           integer("workload.shared_prefix_tokens", "tokens", 0, kMaxTokens,
                   MESHKV_FIELD(decode.shared_prefix_tokens),
                   {"Tokens that all streams have in common; whole segments of them are shared", "DESIGN 9"}),
           with_default_note(
               "what the run needs",
               integer("workload.reserved_tokens", "tokens", 0, kMaxTokens,
                       MESHKV_FIELD(decode.reserved_tokens),
                       {"Room in the cache of every stream: its blocks have their homes and their places "
                        "before they are filled",
                        "DESIGN 9"})),
           integer("workload.steps", "steps", 1, 1e6, MESHKV_FIELD(decode.steps),
                   {"Decode steps to simulate", "DESIGN 9"}),
           text("workload.trace", ParameterType::kFile, MESHKV_FIELD(trace),
                {"Request trace with shared prefixes; not part of this version", "DESIGN 9"}),
           [] {
             Parameter p = text("workload.sample.layers", ParameterType::kIntegerList,
                                MESHKV_FIELD(decode.sampled_layers),
                                {"Simulate only these layers; absent: all", "DESIGN 9"});
             p.maximum = 9999;
             p.default_note = "all";
             p.get = [](const RunConfig& config) {
               return config.decode.sampled_layers.empty() ? Json() : Json(config.decode.sampled_layers);
             };
             return p;
           }(),
           integer("workload.sample.draw_layers", "layers", 0, 9999, MESHKV_FIELD(decode.drawn_layers),
                   {"Simulate so many layers, drawn by the seed; 0: those of workload.sample.layers",
                    "DESIGN 9"}),
           text("values.keys", ParameterType::kFile, MESHKV_FIELD(value_files.keys),
                {"data: .npy file of keys, [layers, streams, KV heads, tokens, head_dim] (docs/data.md); "
                 "without "
                 "it they come from the seed",
                 "docs/data.md"}),
           text("values.values", ParameterType::kFile, MESHKV_FIELD(value_files.values),
                {"data: .npy file of values, as that of keys", "docs/data.md"}),
           text("values.queries", ParameterType::kFile, MESHKV_FIELD(value_files.queries),
                {"data: .npy file of queries, [steps, layers, streams, heads, head_dim]", "docs/data.md"}),
           integer("workload.sample.segments.from", "segment", 0, kMaxTokens,
                   MESHKV_FIELD(decode.sampled_segment_from),
                   {"First segment to simulate of each layer", "DESIGN 9"}),
           [] {
             Parameter p = integer("workload.sample.segments.to", "segment", 1, kMaxTokens,
                                   MESHKV_FIELD(decode.sampled_segment_to),
                                   {"Segment before which the sample ends", "DESIGN 9"});
             p.default_note = "all";
             p.get = [](const RunConfig& config) {
               const int to = config.decode.sampled_segment_to;
               return to < 0 ? Json() : Json(to);
             };
             return p;
           }()}));
  return all;
}

std::vector<Parameter> synthetic_parameters() {
  return tagged(WorkloadKind::kSynthetic, traffic_parameters());
}

std::vector<Parameter> memory_workload_parameters() {
  using A = memory::AccessPattern;
  using C = memory::ChannelPolicy;
  using D = memory::MemoryDevice;
  const double max_bytes = 1099511627776.0;
  return tagged(
      WorkloadKind::kMemory,
      {integer("workload.readers", "", 1, 1024, MESHKV_FIELD(memory_workload.readers),
               {"Independent initiators", "DESIGN 12"}),
       choice<A>(
           "workload.pattern", MESHKV_FIELD(memory_workload.pattern),
           {{"sequential", A::kSequential},
            {"random", A::kRandom},
            {"stride", A::kStride},
            {"chase", A::kChase}},
           {"Addresses of a reader; chase: random, each after the one before has come back", "DESIGN 12"}),
       integer("workload.access_bytes", "bytes", 1, 65536, MESHKV_FIELD(memory_workload.access_bytes),
               {"Size of one access", "DESIGN 12"}),
       integer(
           "workload.slice_bytes", "bytes", 0, max_bytes, MESHKV_FIELD(memory_workload.slice_bytes),
           {"Bytes that a reader takes before it starts anew elsewhere; 0: one endless stream", "DESIGN 12"}),
       integer("workload.window_bytes", "bytes", 1, 67108864, MESHKV_FIELD(memory_workload.window_bytes),
               {"Outstanding bytes per reader", "DESIGN 12"}),
       integer("workload.stride_bytes", "bytes", 1, max_bytes, MESHKV_FIELD(memory_workload.stride_bytes),
               {"stride: distance of successive accesses", "DESIGN 12"}),
       real("workload.read_fraction", "", 0, 1, MESHKV_FIELD(memory_workload.read_fraction),
            {"Reads among the accesses", "DESIGN 12"}),
       real("workload.offered_fraction", "of peak", 0, 1, MESHKV_FIELD(memory_workload.offered_fraction),
            {"Offered load of all readers, of the channels' peak; 0: as fast as it goes", "DESIGN 12"}),
       integer("workload.channels", "", 1, 32, MESHKV_FIELD(memory_workload.channels),
               {"Channels in use: HBM pseudo-channels, or DDR channels", "DESIGN 12"}),
       choice<C>("workload.channel_policy", MESHKV_FIELD(memory_workload.channel_policy),
                 {{"pinned", C::kPinned},
                  {"random_per_slice", C::kRandomPerSlice},
                  {"interleave_4k", C::kInterleave4K},
                  {"interleave_128", C::kInterleave128}},
                 {"How a reader's addresses spread over the channels", "DESIGN 12"}),
       choice<D>("workload.device", MESHKV_FIELD(memory_workload.device),
                 {{"hbm", D::kHbm}, {"ddr", D::kDdr}}, {"Which memory is exercised", "DESIGN 12"}),
       integer("workload.warmup_cycles", "cycles", 0, kMaxCycles, MESHKV_FIELD(memory_workload.warmup_cycles),
               {"Fabric cycles before the measured window", "DESIGN 12"}),
       integer("workload.measure_cycles", "cycles", 1, kMaxCycles,
               MESHKV_FIELD(memory_workload.measure_cycles),
               {"Fabric cycles of the measured window", "DESIGN 12"})});
}

}  // namespace meshkv::platform
