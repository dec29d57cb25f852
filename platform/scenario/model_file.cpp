#include "platform/scenario/model_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <stdexcept>

#include "platform/scenario/json_file.h"
#include "platform/scenario/model_refusal.h"

namespace meshkv::platform {
namespace {

using Names = std::initializer_list<const char*>;

/// Values that a Hugging Face configuration class supplies where its config.json says nothing.
struct ClassDefaults {
  int kv_heads = 0;  ///< 0: as many as heads
  int head_dim = 0;  ///< 0: hidden size / heads
};

ClassDefaults class_defaults(const std::string& type) {
  static const std::map<std::string, ClassDefaults> table{
      {"mistral", {8, 0}},  {"mixtral", {8, 0}},  {"qwen2", {32, 0}},       {"qwen3", {32, 128}},
      {"gemma", {16, 256}}, {"gemma2", {4, 256}}, {"gemma3_text", {4, 256}}};
  const auto found = table.find(type);
  return found == table.end() ? ClassDefaults{} : found->second;
}

const Json* find_any(const Json& config, Names names) {
  for (const char* name : names) {
    const auto found = config.find(name);
    if (found != config.end() && !found->is_null()) return &*found;
  }
  return nullptr;
}

std::string alternatives(Names names) {
  std::string text;
  for (const char* name : names)
    text += text.empty() ? name : std::string(text.find('(') == std::string::npos ? " (or " : ", ") + name;
  return names.size() > 1 ? text + ")" : text;
}

int positive(const Json& value, const std::string& name, int maximum) {
  if (value.is_array())
    throw std::runtime_error(name + " is a list: layers that differ in it cannot be modelled");
  const bool whole = value.is_number_integer() ||
                     (value.is_number_float() && value.get<double>() == std::floor(value.get<double>()));
  if (!whole || value.get<double>() < 1 || value.get<double>() > maximum)
    throw std::runtime_error(name + ": found " + shown(value) + "; allowed: integer 1 to " +
                             std::to_string(maximum));
  return static_cast<int>(value.get<double>());
}

int required(const Json& config, Names names, int maximum) {
  const Json* value = find_any(config, names);
  if (!value) throw std::runtime_error("is not a decoder's config.json: it has no " + alternatives(names));
  return positive(*value, *names.begin(), maximum);
}

int optional(const Json& config, Names names, int maximum, int otherwise) {
  const Json* value = find_any(config, names);
  return value ? positive(*value, *names.begin(), maximum) : otherwise;
}

bool flag(const Json& config, const char* name, bool otherwise) {
  const Json* value = find_any(config, {name});
  if (!value) return otherwise;
  if (!value->is_boolean())
    throw std::runtime_error(std::string(name) + ": found " + shown(*value) + "; allowed: true or false");
  return value->get<bool>();
}

std::string text_of(const Json& config, const char* name) {
  const Json* value = find_any(config, {name});
  return value && value->is_string() ? value->get<std::string>() : "";
}

int read_kv_heads(const Json& config, const std::string& type, int heads) {
  constexpr int kMax = 65535;
  if (type == "falcon" || type == "RefinedWeb" || type == "RefinedWebModel") {
    const int declared = optional(config, {"num_kv_heads", "n_head_kv"}, kMax, heads);
    if (flag(config, "new_decoder_architecture", false)) return declared;
    return flag(config, "multi_query", true) ? 1 : declared;
  }
  if (flag(config, "multi_query", false)) return 1;  // gpt_bigcode
  if (flag(config, "multi_query_attention", false))  // chatglm
    return optional(config, {"multi_query_group_num"}, kMax, 1);
  if (const Json* attention = find_any(config, {"attn_config"});
      attention && attention->is_object()) {  // mpt, dbrx
    if (text_of(*attention, "attn_type") == "multiquery_attention") return 1;
    return optional(*attention, {"kv_n_heads"}, kMax, heads);
  }
  const int otherwise = class_defaults(type).kv_heads > 0 ? class_defaults(type).kv_heads : heads;
  return optional(config, {"num_key_value_heads", "num_kv_heads", "n_head_kv", "num_query_groups"}, kMax,
                  otherwise);
}

/// Whether layer i of `type` has the sliding window, where the file has no `layer_types`.
bool slides(const Json& config, const std::string& type, int layer) {
  constexpr int kMax = 1 << 20;
  const Json* pattern = find_any(config, {"sliding_window_pattern"});
  const bool repeats = pattern && !pattern->is_string();
  if (type == "gemma2" || type == "gpt_oss") return layer % 2 == 0;
  if (type == "gemma3_text" || repeats)
    return (layer + 1) % optional(config, {"sliding_window_pattern"}, kMax, 6) != 0;
  if (type == "cohere2") return (layer + 1) % 4 != 0;
  if (type.rfind("qwen", 0) == 0) {
    // 0 is a legal value here: all layers slide.
    const Json* from = find_any(config, {"max_window_layers"});
    if (from && *from == 0) return true;
    return layer >= optional(config, {"max_window_layers"}, kMax, 28);
  }
  return true;
}

bool has_windows(const Json& config, const std::string& type) {
  const bool by_switch = type.rfind("qwen", 0) == 0;
  return flag(config, "use_sliding_window", !by_switch);
}

int default_window(const std::string& type) {
  if (type == "gemma2" || type == "gemma3_text" || type == "cohere2" || type.rfind("qwen", 0) == 0)
    return 4096;
  return type == "gpt_oss" ? 128 : 0;
}

std::vector<int> windows_by_type(const Json& types, int layers, int window) {
  if (!types.is_array() || types.size() != static_cast<std::size_t>(layers))
    throw std::runtime_error("layer_types: found " + shown(types) +
                             "; allowed: a list with one entry for each of " + std::to_string(layers) +
                             " layers");
  std::vector<int> result;
  for (const Json& t : types) {
    if (t == "sliding_attention" && window == 0)
      throw std::runtime_error("layer_types names sliding_attention, but sliding_window is missing");
    if (t != "sliding_attention" && t != "full_attention")
      throw std::runtime_error(
          "layer_types: found " + shown(t) +
          ", which cannot be modelled; allowed: \"full_attention\", \"sliding_attention\"");
    result.push_back(t == "sliding_attention" ? window : 0);
  }
  return result;
}

/// gpt_neo: [[["global", "local"], 12]] and window_size.
std::vector<int> gpt_neo_windows(const Json& config, int layers) {
  const int window = optional(config, {"window_size"}, 1 << 30, 256);
  std::vector<int> result;
  for (const Json& entry : *find_any(config, {"attention_types"})) {
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_array() || !entry[1].is_number_unsigned() ||
        entry[1].get<std::uint64_t>() > 10000)
      break;
    for (std::uint64_t i = 0; i < entry[1].get<std::uint64_t>(); ++i)
      for (const Json& kind : entry[0]) result.push_back(kind == "local" ? window : 0);
  }
  if (result.size() != static_cast<std::size_t>(layers))
    throw std::runtime_error("attention_types does not name one kind for each of " + std::to_string(layers) +
                             " layers");
  return result;
}

std::vector<int> read_windows(const Json& config, const std::string& type, int layers) {
  if (find_any(config, {"attention_types"}) && find_any(config, {"attention_types"})->is_array())
    return gpt_neo_windows(config, layers);
  // An explicit null switches the window off; an absent key leaves the class default.
  const auto key = config.find("sliding_window");
  const int otherwise = key == config.end() ? default_window(type) : 0;
  int window = has_windows(config, type) ? optional(config, {"sliding_window"}, 1 << 30, otherwise) : 0;
  if (const Json* types = find_any(config, {"layer_types"})) return windows_by_type(*types, layers, window);
  std::vector<int> result(static_cast<std::size_t>(layers), 0);
  if (window == 0) return result;
  for (int l = 0; l < layers; ++l)
    if (slides(config, type, l)) result[static_cast<std::size_t>(l)] = window;
  return result;
}

}  // namespace

workload::ModelShape read_model(const Json& file, const std::string& name) {
  if (!file.is_object())
    throw std::runtime_error("is not a Hugging Face config.json: it holds no JSON object");
  refuse_unsupported(file);
  // Multimodal files keep the decoder apart.
  const Json* inner = find_any(file, {"text_config", "llm_config"});
  const bool nested = inner && inner->is_object() && !find_any(file, {"num_hidden_layers", "n_layer"});
  const Json& config = nested ? *inner : file;
  if (nested) refuse_unsupported(config);

  const Json* type_value = find_any(config, {"model_type"});
  if (type_value && !type_value->is_string())
    throw std::runtime_error("model_type: found " + shown(*type_value) + "; allowed: text");
  const std::string type = text_of(config, "model_type");
  workload::ModelShape model;
  model.name = name;
  model.layers = required(config, {"num_hidden_layers", "n_layer", "n_layers", "num_layers"}, 10000);
  model.heads = required(config, {"num_attention_heads", "n_head", "n_heads", "num_heads"}, 65535);
  model.kv_heads = read_kv_heads(config, type, model.heads);
  const int default_dim = class_defaults(type).head_dim;
  model.head_dim = optional(config, {"head_dim", "kv_channels"}, 65536, default_dim);
  if (model.head_dim == 0) {
    const int hidden = required(config, {"hidden_size", "n_embd", "n_embed", "d_model"}, 1 << 24);
    if (hidden % model.heads != 0)
      throw std::runtime_error("hidden_size " + std::to_string(hidden) + " is not a multiple of the " +
                               std::to_string(model.heads) + " heads, and there is no head_dim");
    model.head_dim = hidden / model.heads;
  }
  if (model.kv_heads > model.heads || model.heads % model.kv_heads != 0)
    throw std::runtime_error("num_attention_heads " + std::to_string(model.heads) + " is not a multiple of " +
                             std::to_string(model.kv_heads) + " KV heads");
  model.window_tokens = read_windows(config, type, model.layers);
  return model;
}

workload::ModelShape read_model_file(const std::string& file) {
  return read_model(parse_json(read_text_file(file)), std::filesystem::path(file).stem().string());
}

Json model_summary(const workload::ModelShape& model) {
  Json json{{"name", model.name},
            {"layers", model.layers},
            {"heads", model.heads},
            {"kv_heads", model.kv_heads},
            {"head_dim", model.head_dim}};
  const auto& windows = model.window_tokens;
  const bool same = std::all_of(windows.begin(), windows.end(), [&](int w) { return w == windows.front(); });
  if (windows.empty())
    json["window_tokens"] = 0;
  else if (same)
    json["window_tokens"] = windows.front();
  else
    json["window_tokens"] = windows;
  return json;
}

}  // namespace meshkv::platform
