#include "platform/scenario/schema_relations.h"

#include <map>

namespace meshkv::platform {
namespace {

Json object(std::initializer_list<std::pair<const char*, Json>> members) {
  Json json = Json::object();
  for (const auto& [key, value] : members) json[key] = value;
  return json;
}

Json list(std::initializer_list<Json> items) {
  Json json = Json::array();
  for (const Json& item : items) json.push_back(item);
  return json;
}

/// `schema` for what stands at `path`; `required`: and something does.
Json nested(const std::string& path, Json schema, bool required) {
  for (std::size_t end = path.size(); end != std::string::npos;) {
    const std::size_t dot = end == 0 ? std::string::npos : path.rfind('.', end - 1);
    const std::size_t begin = dot == std::string::npos ? 0 : dot + 1;
    const std::string key = path.substr(begin, end - begin);
    Json level = required ? object({{"type", "object"}, {"required", list({key})}}) : Json::object();
    level["properties"][key] = std::move(schema);
    schema = std::move(level);
    end = dot;
  }
  return schema;
}

Json constant(const Json& value) {
  return object({{"const", value}});
}
Json negated(Json schema) {
  return object({{"not", std::move(schema)}});
}
Json any_of(Json schemas) {
  return object({{"anyOf", std::move(schemas)}});
}
Json all_of(Json schemas) {
  return object({{"allOf", std::move(schemas)}});
}
Json one_of_values(Json values) {
  return object({{"enum", std::move(values)}});
}
Json null_only() {
  return object({{"type", "null"}});
}
Json when(Json condition, Json then) {
  return object({{"if", std::move(condition)}, {"then", std::move(then)}});
}

Json says_nothing(const std::string& path) {
  return negated(says(path, negated(null_only())));
}

/// The value is known from this file alone, and satisfies `schema`.
Json has(const std::string& path, const Json& schema, bool default_satisfies) {
  const Json said = says(path, schema);
  if (!default_satisfies) return said;
  return any_of(list({said, all_of(list({stands_alone(), says_nothing(path)}))}));
}

Json integer(double minimum, double maximum) {
  return object({{"type", "integer"},
                 {"minimum", static_cast<std::int64_t>(minimum)},
                 {"maximum", static_cast<std::int64_t>(maximum)}});
}

Json tiles() {
  return integer(2, 32);
}

Json powers_of_two(std::int64_t from, std::int64_t to, Json more) {
  for (std::int64_t value = from; value <= to; value *= 2) more.push_back(value);
  more.push_back(nullptr);
  return one_of_values(std::move(more));
}

/// takv.a: odd, and sharing no factor with the mesh's height.
void add_stride(Json& all) {
  for (int prime : {3, 5, 7, 11, 13, 17, 19, 23, 29, 31}) {
    Json height = tiles();
    height["multipleOf"] = prime;
    const Json stride =
        any_of(list({one_of_values(list({0, nullptr})), negated(object({{"multipleOf", prime}}))}));
    all.push_back(when(says("mesh.height", height), schema_at("takv.a", stride)));
  }
}

void add_mapping(Json& all) {
  for (int height = 2; height < 32; ++height)
    all.push_back(when(has("mesh.height", constant(height), height == 8),
                       schema_at("mapping.reduce_root_row", object({{"maximum", height - 1}}))));
  for (int width = 2; width < 32; ++width)
    all.push_back(when(all_of(list({has("mesh.width", constant(width), width == 8),
                                    says("mapping.policy", constant("layer_following"))})),
                       schema_at("mapping.follow_columns", object({{"maximum", width}}))));
}

void add_presets(Json& all) {
  const char* kind = "workload.kind";
  all.push_back(when(says("preset", negated(null_only())), schema_at("compare", null_only())));
  all.push_back(
      when(says(kind, one_of_values(list({"synthetic", "memory"}))), schema_at("compare", null_only())));
  all.push_back(when(says(kind, one_of_values(list({"synthetic", "memory"}))),
                     schema_at("data", one_of_values(list({false, nullptr})))));
  all.push_back(
      when(says(kind, constant("synthetic")), schema_at("mode", one_of_values(list({"at", nullptr})))));
  all.push_back(
      when(says(kind, constant("memory")), schema_at("mode", one_of_values(list({"lt", "at", nullptr})))));
  all.push_back(when(has("noc.vn1_vc_policy", constant("per_class"), true),
                     schema_at("noc.vcs_per_vn", object({{"minimum", 2}}))));
}

Json with_metric_pattern(const char* pattern) {
  const Json metric = object({{"properties", object({{"metric", object({{"pattern", pattern}})}})}});
  return schema_at("checks", object({{"items", metric}}));
}

void add_checks(Json& all) {
  all.push_back(when(says("compare", object({{"type", "array"}})), with_metric_pattern("^runs\\.")));
  all.push_back(when(all_of(list({stands_alone(), says_nothing("compare")})),
                     with_metric_pattern("^(metrics|bounds|cycles)")));
}

/// The mesh is known, and is none of `shapes`.
Json mesh_is_none_of(Json shapes) {
  return all_of(list({has("mesh.width", tiles(), true), has("mesh.height", tiles(), true),
                      negated(any_of(std::move(shapes)))}));
}

Json not_pattern(const char* name) {
  return schema_at("workload.pattern", negated(constant(name)));
}

void add_traffic(Json& all) {
  Json squares = Json::array();
  for (int side = 2; side <= 32; ++side)
    squares.push_back(all_of(
        list({has("mesh.width", constant(side), side == 8), has("mesh.height", constant(side), side == 8)})));
  const Json power = one_of_values(list({2, 4, 8, 16, 32}));
  const Json powers = list({all_of(list({has("mesh.width", power, true), has("mesh.height", power, true)}))});
  all.push_back(when(mesh_is_none_of(squares), not_pattern("transpose")));
  all.push_back(when(mesh_is_none_of(powers), not_pattern("bitcomp")));
  const Json named = object(
      {{"required", list({"packets"})}, {"properties", object({{"packets", object({{"type", "string"}})}})}});
  all.push_back(when(all_of(list({stands_alone(), says("workload.pattern", constant("replay"))})),
                     object({{"properties", object({{"workload", named}})}})));
  const Json others = one_of_values(
      list({"uniform", "transpose", "bitcomp", "neighbor", "hotspot", "multicast", "request_reply"}));
  all.push_back(when(has("workload.pattern", others, true), schema_at("workload.packets", null_only())));
}

/// bf16 is a format of 16 bits.
void add_format(Json& all) {
  all.push_back(when(says("kv_layout.bits_per_element", one_of_values(list({4, 8}))),
                     schema_at("kv_layout.format", one_of_values(list({"fp16", nullptr})))));
}

/// Files of values belong to data: true.
void add_values(Json& all) {
  for (const char* path : {"values.keys", "values.values", "values.queries"})
    all.push_back(
        when(has("data", one_of_values(list({false, nullptr})), true), schema_at(path, null_only())));
}

/// A sequencer decides nothing.
void add_swaps(Json& all) {
  const Json decodes = has("workload.kind", one_of_values(list({"decode", nullptr})), true);
  const Json sequencer = has("controllers.kind", one_of_values(list({"sequencer", nullptr})), true);
  const Json hardware = one_of_values(list({"hardware", nullptr}));
  all.push_back(when(all_of(list({decodes, sequencer})), schema_at("takv.swaps_by", hardware)));
}

void add_memory_workload(Json& all) {
  constexpr std::int64_t kChannelBytes = 268435456;
  const Json memory = says("workload.kind", constant("memory"));
  all.push_back(when(memory, schema_at("workload.slice_bytes", object({{"maximum", kChannelBytes}}))));
  all.push_back(when(all_of(list({memory, says("workload.pattern", constant("stride"))})),
                     schema_at("workload.stride_bytes", object({{"maximum", kChannelBytes}}))));
  all.push_back(when(all_of(list({memory, has("workload.slice_bytes", constant(0), true)})),
                     schema_at("workload.channel_policy", negated(constant("random_per_slice")))));
}

}  // namespace

Json schema_at(const std::string& path, Json schema) {
  return nested(path, std::move(schema), false);
}

Json says(const std::string& path, Json schema) {
  return nested(path, std::move(schema), true);
}

Json stands_alone() {
  return negated(any_of(list({object({{"required", list({"extends"})}}), says("abstract", constant(true))})));
}

Json key_relation(const std::string& path) {
  static const std::map<std::string, Json> table{
      {"name", object({{"pattern", "^([A-Za-z0-9_-][A-Za-z0-9._-]{0,99})?$"}})},
      {"noc.flit_bits", powers_of_two(64, 4096, Json::array())},
      {"mare.bloom_bits", powers_of_two(8, 65536, Json::array())},
      {"memory.chunk_bytes", powers_of_two(64, 16384, Json::array())},
      {"lt.chunk_flits", powers_of_two(8, 1024, list({0}))},
      {"memory.hbm_pseudo_channels", object({{"multipleOf", 4}})},
      {"workload.trace", one_of_values(list({"", nullptr}))},  // request traces are of a later version
      {"takv.a", any_of(list({one_of_values(list({0, nullptr})), negated(object({{"multipleOf", 2}}))}))}};
  const auto found = table.find(path);
  return found == table.end() ? Json() : found->second;
}

Json key_relations() {
  Json all = Json::array();
  add_presets(all);
  add_checks(all);
  add_stride(all);
  add_mapping(all);
  add_traffic(all);
  add_memory_workload(all);
  add_values(all);
  add_format(all);
  add_swaps(all);
  return all;
}

}  // namespace meshkv::platform
