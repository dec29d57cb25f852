#include <catch2/catch.hpp>
#include <numeric>

#include "platform/scenario/json_file.h"
#include "platform/scenario/model_file.h"
#include "tests/platform/support.h"
#include "tests/support/paths.h"

using namespace meshkv;
using namespace meshkv::platform;
using Catch::Matchers::Contains;

namespace {

workload::ModelShape shape(const std::string& json) {
  return read_model(parse_json(json), "m");
}

std::string reason(const std::string& json) {
  try {
    shape(json);
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "accepted";
}

/// A llama-like file of 4 layers, 8 heads, hidden size 256, with more keys.
std::string like(const std::string& type, const std::string& more) {
  return R"({"model_type": ")" + type +
         R"(", "num_hidden_layers": 4, "num_attention_heads": 8, "hidden_size": 256)" +
         (more.empty() ? "" : ", ") + more + "}";
}

}  // namespace

TEST_CASE("LLaMA-2-7B and Mistral-7B", "[platform][model]") {
  const auto llama = read_model_file(test::llama_path());
  REQUIRE(llama.name == "llama-2-7b");
  REQUIRE((llama.layers == 32 && llama.heads == 32 && llama.kv_heads == 32 && llama.head_dim == 128));
  REQUIRE(llama.window_tokens == std::vector<int>(32, 0));
  const auto mistral = read_model_file(test::source_dir() + "/scenarios/models/mistral-7b-v0.1.json");
  REQUIRE((mistral.kv_heads == 8 && mistral.group_size() == 4));
  REQUIRE(mistral.window_tokens == std::vector<int>(32, 4096));
}

TEST_CASE("Heads and head dimension by family", "[platform][model]") {
  REQUIRE(shape(like("llama", "")).kv_heads == 8);  // old LLaMA files have no num_key_value_heads
  REQUIRE(shape(like("llama", R"("num_key_value_heads": null)")).kv_heads == 8);
  REQUIRE(shape(like("llama", R"("num_key_value_heads": 2, "head_dim": 64)")).head_dim == 64);
  REQUIRE(shape(like("qwen3", R"("num_key_value_heads": 2)")).head_dim == 128);
  REQUIRE(shape(like("gemma", R"("num_key_value_heads": 1, "head_dim": 256)")).kv_heads == 1);
  REQUIRE(shape(like("mixtral", "")).kv_heads == 8);
  REQUIRE(shape(like("phi3", R"("num_key_value_heads": 8, "sliding_window": 2047)")).window_tokens ==
          std::vector<int>(4, 2047));
  const auto gpt2 = shape(R"({"model_type": "gpt2", "n_layer": 12, "n_head": 12, "n_embd": 768})");
  REQUIRE((gpt2.layers == 12 && gpt2.kv_heads == 12 && gpt2.head_dim == 64));
  REQUIRE(
      shape(R"({"model_type": "gpt_bigcode", "n_layer": 2, "n_head": 16, "n_embd": 64, "multi_query": true})")
          .kv_heads == 1);
  REQUIRE(
      shape(
          R"({"model_type": "mpt", "n_layers": 2, "n_heads": 4, "d_model": 64, "attn_config": {"kv_n_heads": 2}})")
          .kv_heads == 2);
}

TEST_CASE("Falcon's three ways to say how many KV heads", "[platform][model]") {
  const auto falcon = [](const std::string& more) { return shape(like("falcon", more)).kv_heads; };
  REQUIRE(falcon("") == 1);
  REQUIRE(falcon(R"("multi_query": true, "num_kv_heads": 8)") == 1);
  REQUIRE(falcon(R"("multi_query": false)") == 8);
  REQUIRE(falcon(R"("new_decoder_architecture": true, "num_kv_heads": 2)") == 2);
  REQUIRE(falcon(R"("new_decoder_architecture": true, "n_head_kv": 4, "multi_query": true)") == 4);
}

TEST_CASE("Sliding windows by layer", "[platform][model]") {
  using V = std::vector<int>;
  REQUIRE(shape(like("mistral", R"("sliding_window": null)")).window_tokens == V{0, 0, 0, 0});
  REQUIRE(shape(like("mistral", R"("sliding_window": 100)")).window_tokens == V{100, 100, 100, 100});
  REQUIRE(
      shape(like("qwen2", R"("num_key_value_heads": 2, "sliding_window": 100, "use_sliding_window": false)"))
          .window_tokens == V{0, 0, 0, 0});
  REQUIRE(shape(like("qwen2", R"("num_key_value_heads": 2, "sliding_window": 100)")).window_tokens ==
          V{0, 0, 0, 0});
  REQUIRE(shape(like("qwen2", R"("num_key_value_heads": 2, "sliding_window": 100, "use_sliding_window": true,
                                 "max_window_layers": 3)"))
              .window_tokens == V{0, 0, 0, 100});
  REQUIRE(shape(like("gemma2", R"("num_key_value_heads": 4, "sliding_window": 64)")).window_tokens ==
          V{64, 0, 64, 0});
  REQUIRE(shape(like("gemma3_text", R"("sliding_window": 64, "sliding_window_pattern": 3)")).window_tokens ==
          V{64, 64, 0, 64});
  REQUIRE(shape(like("llama", R"("sliding_window": 9, "layer_types": ["full_attention", "sliding_attention",
                              "full_attention", "sliding_attention"])"))
              .window_tokens == V{0, 9, 0, 9});
  REQUIRE(
      shape(R"({"model_type": "gpt_neo", "num_layers": 4, "num_heads": 2, "hidden_size": 8, "window_size": 16,
                    "attention_types": [[["global", "local"], 2]]})")
          .window_tokens == V{0, 16, 0, 16});
  REQUIRE_THAT(reason(like("x", R"("layer_types": ["full_attention"])")),
               Contains("one entry for each of 4 layers"));
  REQUIRE_THAT(
      reason(like("x", R"("sliding_window": 4, "layer_types": ["full_attention","conv","conv","conv"])")),
      Contains("\"conv\", which cannot be modelled"));
}

TEST_CASE("The text part of a multimodal file", "[platform][model]") {
  const auto model =
      shape(R"({"model_type": "gemma3", "vision_config": {}, "text_config": {"model_type": "gemma3_text",
      "num_hidden_layers": 6, "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 32, "hidden_size": 256,
      "sliding_window": 512}})");
  REQUIRE(model.window_tokens == std::vector<int>{512, 512, 512, 512, 512, 0});
}

TEST_CASE("What cannot be modelled is refused by name", "[platform][model]") {
  REQUIRE_THAT(reason(like("t5", R"("is_encoder_decoder": true)")),
               Contains("\"t5\" is an encoder-decoder model"));
  REQUIRE_THAT(reason(like("mbart", "")), Contains("encoder-decoder"));
  REQUIRE_THAT(reason(like("newkind", R"("is_encoder_decoder": true)")), Contains("encoder-decoder"));
  REQUIRE_THAT(reason(like("bert", "")), Contains("encoder without decoding"));
  REQUIRE_THAT(reason(R"({"architectures": ["BertForMaskedLM"], "num_hidden_layers": 2})"),
               Contains("\"bert\" is an encoder"));
  REQUIRE_THAT(reason(like("deepseek_v3", R"("kv_lora_rank": 512)")), Contains("MLA"));
  REQUIRE_THAT(reason(like("someone", R"("kv_lora_rank": 512)")),
               Contains("MLA") && Contains("kv_lora_rank"));
  REQUIRE_THAT(reason(R"({"model_type": "mamba", "state_size": 16, "hidden_size": 768})"),
               Contains("state-space"));
  REQUIRE_THAT(reason(like("jamba", "")), Contains("hybrid"));
  REQUIRE_THAT(reason(like("recurrent_gemma", "")), Contains("recurrent"));
  REQUIRE_THAT(reason(like("llama4", "")), Contains("chunked"));
  REQUIRE_THAT(reason(like("openelm", "")), Contains("layers differ"));
  REQUIRE_THAT(
      reason(
          R"({"model_type": "x", "num_hidden_layers": 2, "num_attention_heads": [1, 2], "hidden_size": 8})"),
      Contains("num_attention_heads is a list"));
}

TEST_CASE("Broken model files say what is wrong", "[platform][model]") {
  REQUIRE_THAT(reason("{}"), Contains("it has no num_hidden_layers (or n_layer"));
  REQUIRE_THAT(reason("[1]"), Contains("no JSON object"));
  REQUIRE_THAT(reason(R"({"num_hidden_layers": 4})"), Contains("it has no num_attention_heads"));
  REQUIRE_THAT(reason(R"({"num_hidden_layers": 4, "num_attention_heads": 8})"),
               Contains("it has no hidden_size"));
  REQUIRE_THAT(reason(like("llama", R"("num_key_value_heads": 3)")),
               Contains("not a multiple of 3 KV heads"));
  REQUIRE_THAT(reason(like("llama", R"("num_key_value_heads": 0)")), Contains("found 0"));
  REQUIRE_THAT(reason(like("llama", R"("num_key_value_heads": "8")")), Contains("found \"8\""));
  REQUIRE_THAT(reason(like("llama", R"("num_key_value_heads": -8)")), Contains("found -8"));
  REQUIRE_THAT(reason(R"({"num_hidden_layers": 4, "num_attention_heads": 7, "hidden_size": 100})"),
               Contains("not a multiple of the 7 heads"));
  REQUIRE_THAT(
      reason(R"({"num_hidden_layers": 99999999999999999999, "num_attention_heads": 8, "hidden_size": 64})"),
      Contains("allowed: integer 1 to 10000"));
  REQUIRE_THAT(reason(like("qwen2", R"("num_key_value_heads": 8, "use_sliding_window": "no")")),
               Contains("use_sliding_window"));
}

TEST_CASE("A model's problem names the scenario, the key and the model's file", "[platform][model]") {
  test::TemporaryFolder folder;
  folder.write("m.json", R"({"model_type": "llama", )");
  const std::string file = folder.write("s.json", R"({"model": "m.json"})");
  REQUIRE_THAT(test::problems_of(file).at(0),
               Catch::Matchers::StartsWith(file + ": model: " + folder.path("m.json") + ": line 1, column"));
  REQUIRE(test::problems_of(folder.write("t.json", "{}")).at(0) ==
          folder.path("t.json") + ": model: is missing; a decode workload needs a Hugging Face config.json");
}
