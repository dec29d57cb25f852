#include "platform/scenario/schema.h"

#include <set>

#include "platform/scenario/fault_list.h"
#include "platform/scenario/schema_relations.h"

namespace meshkv::platform {
namespace {

constexpr const char* kDraft = "https://json-schema.org/draft/2020-12/schema";

Json nullable(const char* type) {
  return Json::array({type, "null"});
}

Json number_schema(const Parameter& p, const char* type) {
  Json schema{{"type", nullable(type)}};
  const auto bound = [&](double v) {
    return p.type == ParameterType::kReal ? Json(v) : Json(static_cast<std::int64_t>(v));
  };
  schema["minimum"] = bound(p.minimum);
  schema["maximum"] = bound(p.maximum);
  return schema;
}

Json text_list_schema(Json items) {
  return Json{{"type", "array"}, {"items", std::move(items)}, {"minItems", 1}};
}

Json checks_schema() {
  Json number{{"type", "number"}};
  std::string presets;
  for (const std::string& name : preset_names()) presets += (presets.empty() ? "" : "|") + name;
  const std::string metric = "^(runs\\.(" + presets + ")\\.)?(metrics\\.|bounds\\.|cycles$)";
  Json check{{"type", "object"}};
  check["properties"] = Json{{"metric", {{"type", "string"}, {"pattern", metric}}},
                             {"min", number},
                             {"max", number},
                             {"equals", number},
                             {"within_percent", {{"type", "number"}, {"minimum", 0}}}};
  check["required"] = Json::array({"metric"});
  check["anyOf"] =
      Json::array({Json{{"required", Json::array({"min"})}}, Json{{"required", Json::array({"max"})}},
                   Json{{"required", Json::array({"equals"})}}});
  check["dependentRequired"] = Json{{"within_percent", Json::array({"equals"})}};
  check["additionalProperties"] = false;
  return Json{{"type", nullable("array")}, {"items", std::move(check)}};
}

Json choice_schema(const Parameter& p) {
  Json values = Json::array();
  for (const Choice& c : p.choices)
    if (c.available) values.push_back(c.value);
  values.push_back(nullptr);
  return Json{{"enum", std::move(values)}};
}

Json mode_schema() {
  const Json name{{"enum", Json::array({"lt", "at"})}};
  const Json layers{{"type", "integer"}, {"minimum", 1}, {"maximum", 100000}};
  const Json phase{{"type", "object"},
                   {"properties", Json{{"mode", name}, {"layers", layers}}},
                   {"required", Json::array({"mode"})},
                   {"additionalProperties", false}};
  return Json{{"anyOf", Json::array({name, Json{{"type", "array"}, {"items", phase}, {"minItems", 1}},
                                     Json{{"type", "null"}}})}};
}

Json type_schema(const Parameter& p) {
  const Json name{{"type", "string"}, {"minLength", 1}};
  switch (p.type) {
    case ParameterType::kBoolean:
      return Json{{"type", nullable("boolean")}};
    case ParameterType::kInteger:
      return number_schema(p, "integer");
    case ParameterType::kReal:
      return number_schema(p, "number");
    case ParameterType::kText:
      return Json{{"type", nullable("string")}};
    case ParameterType::kFile:
      return Json{{"type", nullable("string")}, {"minLength", 1}};
    case ParameterType::kChoice:
      return choice_schema(p);
    case ParameterType::kIntegerList: {
      Json item{{"type", "integer"},
                {"minimum", static_cast<std::int64_t>(p.minimum)},
                {"maximum", static_cast<std::int64_t>(p.maximum)}};
      return Json{{"type", nullable("array")},
                  {"items", std::move(item)},
                  {"minItems", 1},
                  {"uniqueItems", !p.repeats}};
    }
    case ParameterType::kFileList:
      return Json{{"anyOf", Json::array({name, text_list_schema(name)})}};
    case ParameterType::kPresetList: {
      Json list = text_list_schema(Json{{"enum", preset_names()}});
      list["type"] = nullable("array");
      list["uniqueItems"] = true;
      return list;
    }
    case ParameterType::kChecks:
      return checks_schema();
    case ParameterType::kFaults:
      return faults_schema();
    case ParameterType::kMode:
      return mode_schema();
  }
  return Json::object();
}

Json leaf_schema(const Parameter& p) {
  Json schema = type_schema(p);
  const Json relation = key_relation(p.path);
  if (!relation.is_null()) schema["allOf"] = Json::array({relation});
  schema["description"] = p.meaning + (p.unit.empty() ? "" : " [" + p.unit + "]");
  const Json value = p.default_value();
  if (!value.is_null() && value != "") schema["default"] = value;
  return schema;
}

Json new_group() {
  return Json{{"type", nullable("object")}, {"properties", Json::object()}, {"additionalProperties", false}};
}

/// Puts a leaf at its path below `root`, making the groups above it.
void insert(Json& root, const std::string& path, Json leaf) {
  Json* at = &root;
  std::size_t begin = 0;
  for (std::size_t dot; (dot = path.find('.', begin)) != std::string::npos; begin = dot + 1) {
    Json& properties = (*at)["properties"];
    const std::string key = path.substr(begin, dot - begin);
    if (!properties.contains(key)) properties[key] = new_group();
    at = &properties[key];
  }
  (*at)["properties"][path.substr(begin)] = std::move(leaf);
}

/// What a key may hold while nothing is known of the workload's kind.
Json any_kind(const std::string& path) {
  Json variants = Json::array();
  for (const Parameter& p : parameters())
    if (p.path == path) variants.push_back(leaf_schema(p));
  if (variants.size() == 1) return variants[0];
  Json schema{{"anyOf", variants}, {"description", variants[0]["description"]}};
  return schema;
}

/// The keys of `workload` once its kind is known: those of other kinds may be null only.
Json keys_of(WorkloadKind kind) {
  Json root = Json{{"properties", Json::object()}};
  std::set<std::string> own;
  for (const Parameter& p : parameters())
    if (p.only_for == kind) {
      insert(root, p.path, leaf_schema(p));
      own.insert(p.path);
    }
  for (const Parameter& p : parameters())
    if (p.only_for && own.count(p.path) == 0) insert(root, p.path, Json{{"type", "null"}});
  root["properties"]["workload"].erase("additionalProperties");
  return root;
}

Json kind_rules() {
  Json rules = Json::array();
  for (WorkloadKind kind : {WorkloadKind::kDecode, WorkloadKind::kSynthetic, WorkloadKind::kMemory})
    rules.push_back(
        {{"if", says("workload.kind", Json{{"const", kind_name(kind)}})}, {"then", keys_of(kind)}});
  // A file that stands alone and names no kind is a decode workload, which needs a model.
  const Json other_kind = says("workload.kind", Json{{"enum", Json::array({"synthetic", "memory"})}});
  Json decode = keys_of(WorkloadKind::kDecode);
  decode["required"] = Json::array({"model"});
  decode["properties"]["model"] = Json{{"type", "string"}};
  rules.push_back(
      {{"if", {{"allOf", Json::array({stands_alone(), Json{{"not", other_kind}}})}}}, {"then", decode}});
  return rules;
}

}  // namespace

Json scenario_schema() {
  Json root = new_group();
  for (const Parameter& p : parameters()) insert(root, p.path, any_kind(p.path));
  Json schema{{"$schema", kDraft}, {"title", "MeshKV-VP scenario"}};
  schema.update(root);
  schema["type"] = "object";
  schema["allOf"] = kind_rules();
  for (const Json& relation : key_relations()) schema["allOf"].push_back(relation);
  return schema;
}

}  // namespace meshkv::platform
