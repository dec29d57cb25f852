#include "platform/scenario/model_refusal.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <stdexcept>
#include <vector>

namespace meshkv::platform {
namespace {

constexpr const char* kEncoderDecoder = "an encoder-decoder model";
constexpr const char* kEncoder = "an encoder without decoding";
constexpr const char* kStateSpace = "a state-space, recurrent or hybrid model, whose state is no KV cache";
constexpr const char* kLatent =
    "a model with multi-head latent attention (MLA), which caches no K and V per head";
constexpr const char* kChunked = "a model with chunked attention";
constexpr const char* kCross = "a decoder with cross-attention layers";
constexpr const char* kSharedKv = "a decoder whose layers share KV caches";
constexpr const char* kPerLayer = "a decoder whose layers differ in their heads";

const std::map<std::string, const char*>& refused_types() {
  static const std::map<std::string, const char*> types = [] {
    std::map<std::string, const char*> all;
    const auto add = [&](const char* reason, std::initializer_list<const char*> names) {
      for (const char* name : names) all[name] = reason;
    };
    add(kEncoderDecoder, {"t5",
                          "mt5",
                          "umt5",
                          "longt5",
                          "switch_transformers",
                          "bart",
                          "mbart",
                          "pegasus",
                          "pegasus_x",
                          "marian",
                          "m2m_100",
                          "blenderbot",
                          "blenderbot-small",
                          "led",
                          "prophetnet",
                          "fsmt",
                          "whisper",
                          "speech_to_text",
                          "seamless_m4t",
                          "encoder-decoder",
                          "bigbird_pegasus",
                          "plbart",
                          "t5gemma"});
    add(kEncoder, {"bert",       "roberta",  "xlm-roberta", "xlm-roberta-xl", "camembert",  "distilbert",
                   "albert",     "electra",  "deberta",     "deberta-v2",     "modernbert", "mpnet",
                   "longformer", "big_bird", "nomic_bert",  "ernie",          "vit",        "clip",
                   "siglip",     "wav2vec2", "hubert",      "xlnet",          "esm"});
    add(kStateSpace, {"mamba",
                      "mamba2",
                      "falcon_mamba",
                      "jamba",
                      "recurrent_gemma",
                      "zamba",
                      "zamba2",
                      "bamba",
                      "rwkv",
                      "rwkv5",
                      "rwkv6",
                      "rwkv7",
                      "retnet",
                      "xlstm",
                      "falcon_h1",
                      "nemotron_h",
                      "granitemoehybrid",
                      "lfm2",
                      "lfm2_moe",
                      "qwen3_next",
                      "kimi_linear",
                      "minimax",
                      "plamo2",
                      "hymba",
                      "stripedhyena"});
    add(kLatent, {"deepseek_v2", "deepseek_v3", "deepseek_v32", "minicpm3", "kimi_k2", "longcat_flash"});
    add(kChunked, {"llama4", "llama4_text"});
    add(kCross, {"mllama", "mllama_text_model"});
    add(kSharedKv, {"gemma3n", "gemma3n_text"});
    add(kPerLayer, {"openelm", "nemotron-nas", "deci"});
    return all;
  }();
  return types;
}

/// Keys that give a kind away whatever the model is called.
const std::vector<std::pair<const char*, const char*>>& refused_keys() {
  static const std::vector<std::pair<const char*, const char*>> keys{
      {"kv_lora_rank", kLatent},           {"ssm_cfg", kStateSpace},
      {"mamba_d_state", kStateSpace},      {"ssm_state_size", kStateSpace},
      {"attn_layer_period", kStateSpace},  {"block_types", kStateSpace},
      {"_block_types", kStateSpace},       {"hybrid_override_pattern", kStateSpace},
      {"linear_attn_config", kStateSpace}, {"lru_width", kStateSpace},
      {"cross_attention_layers", kCross},  {"num_kv_shared_layers", kSharedKv},
      {"block_configs", kPerLayer},        {"attention_chunk_size", kChunked}};
  return keys;
}

std::string lower(std::string s) {
  std::transform(s.begin(), s.end(), s.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return s;
}

/// "T5ForConditionalGeneration" without a model_type: the architecture's first word is the type.
std::string type_of(const Json& config) {
  const auto type = config.find("model_type");
  if (type != config.end() && type->is_string()) return type->get<std::string>();
  const auto architectures = config.find("architectures");
  if (architectures == config.end() || !architectures->is_array() || architectures->empty() ||
      !architectures->front().is_string())
    return "";
  const std::string name = architectures->front().get<std::string>();
  return lower(name.substr(0, std::min(name.find("For"), name.find("Model"))));
}

bool means_something(const Json& value) {
  return !value.is_null() && value != 0 && value != false && value != "";
}

[[noreturn]] void refuse(const std::string& name, const char* reason, const std::string& evidence) {
  throw std::runtime_error("cannot be modelled: " + (name.empty() ? "it" : "\"" + name + "\"") + " is " +
                           reason + evidence);
}

}  // namespace

void refuse_unsupported(const Json& config) {
  const std::string type = type_of(config);
  const auto is_true = [&](const char* key) {
    const auto found = config.find(key);
    return found != config.end() && *found == true;
  };
  if (is_true("is_encoder_decoder")) refuse(type, kEncoderDecoder, " (is_encoder_decoder)");
  const auto by_type = refused_types().find(type);
  const bool decoding_encoder =
      by_type != refused_types().end() && by_type->second == kEncoder && is_true("is_decoder");
  if (by_type != refused_types().end() && !decoding_encoder) refuse(type, by_type->second, "");
  for (const auto& [key, reason] : refused_keys()) {
    const auto found = config.find(key);
    if (found != config.end() && means_something(*found)) refuse(type, reason, std::string(" (") + key + ")");
  }
}

}  // namespace meshkv::platform
