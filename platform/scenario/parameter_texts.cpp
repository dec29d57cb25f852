#include "platform/scenario/parameter_texts.h"

#include <map>

#include "platform/scenario/fault_list.h"

namespace meshkv::platform {
namespace {

std::string default_text(const Parameter& p) {
  if (!p.default_note.empty()) return p.default_note;
  const Json value = p.default_value();
  if (value.is_null() || value == "") return "none";
  return value.dump();
}

std::string scope_text(const Parameter& p) {
  return p.only_for ? kind_name(*p.only_for) : "";
}

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
  Json check{{"type", "object"}};
  check["properties"] = Json{{"metric", {{"type", "string"}, {"minLength", 1}}},
                             {"min", number},
                             {"max", number},
                             {"equals", number},
                             {"within_percent", {{"type", "number"}, {"minimum", 0}}}};
  check["required"] = Json::array({"metric"});
  check["anyOf"] =
      Json::array({Json{{"required", Json::array({"min"})}}, Json{{"required", Json::array({"max"})}},
                   Json{{"required", Json::array({"equals"})}}});
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
      return Json{{"anyOf", Json::array({name, text_list_schema(name), Json{{"type", "null"}}})}};
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
  schema["description"] = p.meaning + (p.unit.empty() ? "" : " [" + p.unit + "]");
  const Json value = p.default_value();
  if (!value.is_null() && value != "") schema["default"] = value;
  return schema;
}

Json new_group() {
  return Json{{"type", nullable("object")}, {"properties", Json::object()}, {"additionalProperties", false}};
}

void insert(Json& root, const Parameter& p) {
  Json* at = &root;
  std::size_t begin = 0;
  for (std::size_t dot; (dot = p.path.find('.', begin)) != std::string::npos; begin = dot + 1) {
    Json& properties = (*at)["properties"];
    const std::string key = p.path.substr(begin, dot - begin);
    if (!properties.contains(key)) properties[key] = new_group();
    at = &properties[key];
  }
  (*at)["properties"][p.path.substr(begin)] = leaf_schema(p);
}

/// workload.* of one kind, as an object schema whose `kind` must be that kind.
Json workload_schema(WorkloadKind kind, const char* name) {
  Json root = new_group();
  for (const Parameter& p : parameters())
    if (p.path.rfind("workload.", 0) == 0 && (!p.only_for || *p.only_for == kind)) insert(root, p);
  Json schema = std::move(root["properties"]["workload"]);
  schema["type"] = "object";
  schema["properties"]["kind"] = Json{{"const", name}};
  return schema;
}

}  // namespace

std::string parameters_as_text() {
  std::string text;
  for (const Parameter& p : parameters()) {
    text += p.path;
    if (p.only_for) text += "  (workload.kind " + scope_text(p) + ")";
    text += "\n    " + p.meaning + "\n    " + p.allowed() + (p.unit.empty() ? "" : ", in " + p.unit) +
            "; default: " + default_text(p) + "; source: " + p.source + "\n";
  }
  return text;
}

std::string parameters_as_markdown() {
  std::string text =
      "# Parameters\n\nWritten by `./vp params --markdown` from the declarations that validate scenarios; a "
      "test keeps "
      "it up to date.\nA value of `null` takes a key back to its default.\n\n"
      "| path | allowed | unit | default | meaning | source |\n|---|---|---|---|---|---|\n";
  for (const Parameter& p : parameters()) {
    text += "| `" + p.path + "`" + (p.only_for ? " (" + scope_text(p) + ")" : "") + " | " + p.allowed() +
            " | " + p.unit + " | " + default_text(p) + " | " + p.meaning + " | " + p.source + " |\n";
  }
  return text;
}

Json parameters_as_schema() {
  Json root = new_group();
  root["type"] = "object";
  for (const Parameter& p : parameters())
    if (p.path.rfind("workload.", 0) != 0) insert(root, p);
  // A file that is extended, or extends another, need not say its workload.kind: then the keys of any kind
  // do.
  Json synthetic = workload_schema(WorkloadKind::kSynthetic, "synthetic");
  Json memory = workload_schema(WorkloadKind::kMemory, "memory");
  Json decode = workload_schema(WorkloadKind::kDecode, "decode");
  for (Json* schema : {&synthetic, &memory}) (*schema)["required"] = Json::array({"kind"});
  root["properties"]["workload"] =
      Json{{"anyOf", Json::array({decode, synthetic, memory, Json{{"type", "null"}}})}};
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "MeshKV-VP scenario"}};
  schema.update(root);
  return schema;
}

}  // namespace meshkv::platform
