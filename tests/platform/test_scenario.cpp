#include <catch2/catch.hpp>

#include "tests/platform/support.h"

using namespace meshkv;
using namespace meshkv::platform;
using meshkv::test::problems_of;
using meshkv::test::TemporaryFolder;

namespace {

std::string with_model(const std::string& rest) {
  return "{\"model\": \"" + test::llama_path() + "\"" + rest + "}";
}

}  // namespace

TEST_CASE("A scenario with a model alone is the paper's MeshKV", "[platform][scenario]") {
  TemporaryFolder folder;
  const Scenario s = load_scenario(folder.write("small.v1.json", with_model("")), {});
  REQUIRE(s.config.name == "small.v1");
  REQUIRE(s.config.preset == "meshkv");
  REQUIRE(s.config.placement.kind == takv::PlacementKind::kTakv);
  REQUIRE((s.config.mare.multicast && s.config.mare.duplicate_suppression && s.config.placement.swaps));
  REQUIRE(s.config.placement.a == 9);
  REQUIRE(s.config.decode.model.layers == 32);
  REQUIRE(s.config.noc.tag_filter);
  REQUIRE(s.config.mode == TimingMode::kAt);
}

TEST_CASE("Presets set the switches, explicit keys win", "[platform][scenario]") {
  TemporaryFolder folder;
  const std::string file =
      folder.write("s.json", with_model(R"(, "compare": ["cent", "shared", "takv_only", "meshkv"],
                                                     "fabric": {"pad": false, "swaps": false})"));
  const Scenario s = load_scenario(file, {});
  REQUIRE(s.compare.size() == 4);
  const RunConfig cent = s.config_for("cent"), shared = s.config_for("shared"),
                  takv = s.config_for("takv_only"), full = s.config_for("meshkv");
  REQUIRE(cent.placement.kind == takv::PlacementKind::kCent);
  REQUIRE(shared.placement.kind == takv::PlacementKind::kShared);
  REQUIRE(takv.placement.kind == takv::PlacementKind::kTakv);
  REQUIRE_FALSE((cent.mare.multicast || shared.mare.multicast || takv.mare.multicast));
  REQUIRE_FALSE((cent.noc.tag_filter || takv.noc.tag_filter));
  REQUIRE((full.mare.multicast && full.mare.duplicate_suppression && full.noc.tag_filter));
  for (const RunConfig& c : {cent, shared, takv, full}) REQUIRE_FALSE((c.pad.enabled || c.placement.swaps));
}

TEST_CASE("extends merges files, the later one wins, --set wins over all", "[platform][scenario]") {
  TemporaryFolder folder;
  folder.write("base/a.json",
               R"({"seed": 5, "mesh": {"width": 4, "height": 4}, "model": "m.json", "clock_mhz": 100})");
  folder.write("base/m.json", test::read_file(test::llama_path()));
  folder.write("base/b.json", R"({"mesh": {"height": 6}, "takv": {"a": 5}})");
  const std::string file =
      folder.write("top.json", R"({"extends": ["base/a.json", "base/b.json"], "seed": 7, "takv": {"a": 1}})");
  const Scenario s = load_scenario(file, {"mesh.width=3", "takv.a=null", "description=plain text"});
  REQUIRE(s.config.noc.mesh.width == 3);
  REQUIRE(s.config.noc.mesh.height == 6);
  REQUIRE(s.config.seed == 7);
  REQUIRE(s.config.clock_mhz == 100);
  REQUIRE(s.config.placement.a == 5);  // null: back to the default, width + 1 = 4 or the next valid one
  REQUIRE(s.config.description == "plain text");
  REQUIRE(s.config.decode.model.heads == 32);  // found beside the file that names it
}

TEST_CASE("extends cycles, missing files and wrong types are errors", "[platform][scenario]") {
  TemporaryFolder folder;
  const std::string a = folder.write("a.json", R"({"extends": "b.json"})");
  const std::string b = folder.write("b.json", R"({"extends": "a.json"})");
  REQUIRE(problems_of(a) ==
          std::vector<std::string>{b + ": extends: found " + a +
                                   ", which extends this file in turn; allowed: no cycles"});
  const std::string c = folder.write("c.json", R"({"extends": "none.json"})");
  REQUIRE(problems_of(c).at(0) == c + ": extends: " + folder.path("none.json") + ": no such file");
  const std::string d = folder.write("d.json", R"({"extends": 3})");
  REQUIRE(problems_of(d).at(0) == d + ": extends: found 3; allowed: path of a file, or a list of them");
  const std::string e = folder.write("e.json", "{]");
  const std::string f = folder.write("f.json", R"({"extends": "e.json"})");
  REQUIRE(problems_of(f).at(0).rfind(e + ": line 1, column 2", 0) == 0);
}

TEST_CASE("A chain of extends that doubles is stopped", "[platform][scenario]") {
  TemporaryFolder folder;
  for (int i = 0; i < 40; ++i) {
    const std::string next = "\"" + std::to_string(i + 1) + ".json\"";
    folder.write(std::to_string(i) + ".json", "{\"extends\": [" + next + "," + next + "]}");
  }
  folder.write("40.json", "{}");
  REQUIRE(problems_of(folder.path("0.json")).at(0).find("more than 1000 files") != std::string::npos);
}

TEST_CASE("All problems are reported at once, each with its file and path", "[platform][scenario]") {
  TemporaryFolder folder;
  const std::string base = folder.write("base.json", R"({"mesh": {"width": 1}, "mare": {"tgas": 3}})");
  const std::string file =
      folder.write("s.json", with_model(R"(, "extends": "base.json", "mesh": {"height": "8"},
      "workload": {"context_tokens": -1}, "preset": "cnet", "fabric": [])"));
  const auto lines = problems_of(file, {"noc.vcs_per_vn=2.5", "lt=3"});
  REQUIRE(
      lines ==
      std::vector<std::string>{
          base + ": mesh.width: found 1; allowed: integer 2 to 32",
          file + ": mesh.height: found \"8\"; allowed: integer 2 to 32",
          base + ": mare.tgas: unknown key; did you mean mare.tags?",
          file + ": workload.context_tokens: found -1; allowed: integer 1 to 16777216",
          file + ": preset: found \"cnet\"; allowed: one of \"cent\", \"shared\", \"takv_only\", \"meshkv\"",
          file + ": fabric: found []; allowed: an object, {...}",
          "--set noc.vcs_per_vn=2.5: noc.vcs_per_vn: found 2.5; allowed: integer 1 to 4",
          "--set lt=3: lt: found 3; allowed: an object, {...}"});
}

TEST_CASE("Relations between keys", "[platform][scenario]") {
  TemporaryFolder folder;
  const std::string file = folder.write("s.json", with_model(""));
  const auto problem = [&](std::vector<std::string> settings) {
    const auto lines = problems_of(file, settings);
    CAPTURE(lines);
    REQUIRE(lines.size() == 1);
    return lines[0];
  };
  using Catch::Matchers::Contains;
  REQUIRE_THAT(problem({"takv.a=4"}), Contains("takv.a: found 4") && Contains("coprime to mesh.height = 8"));
  REQUIRE_THAT(problem({"mesh.height=6", "takv.a=9"}),
               Contains("takv.a: found 9") && Contains("mesh.height = 6"));
  REQUIRE_THAT(problem({"workload.shared_prefix_tokens=40000"}), Contains("allowed: 0 to 32768"));
  REQUIRE_THAT(problem({"kv_layout.heads_per_line=3"}), Contains("divisor of the model's 32 KV heads"));
  REQUIRE_THAT(problem({"workload.sample.layers=[0,32]"}), Contains("found layer 32; allowed: 0 to 31"));
  REQUIRE_THAT(problem({"workload.sample.segments.from=512"}), Contains("found 512; allowed: 0 to 511"));
  REQUIRE_THAT(problem({"workload.sample.segments.to=513"}), Contains("found 513; allowed: 1 to 512"));
  REQUIRE_THAT(problem({"workload.sample.segments={\"from\":8,\"to\":8}"}),
               Contains("more than workload.sample.segments.from"));
  REQUIRE_THAT(problem({"workload.streams=8"}),
               Contains("needs 128.0 GiB") && Contains("hold only 40.0 GiB"));
  REQUIRE_THAT(problem({"memory.spill=false"}),
               Contains("needs 16.0 GiB") && Contains("HBM holds only 8.0 GiB"));
  REQUIRE_THAT(problem({"workload.context_tokens=16777216", "workload.streams=1024"}),
               Contains("268435456 segments"));
  REQUIRE_THAT(problem({"name=../x"}), Contains("found \"../x\""));
  REQUIRE_THAT(problem({"mapping.reduce_root_row=8"}), Contains("not a row of the mesh: 0 to 7"));
  REQUIRE_THAT(problem({"noc.flit_bits=384"}), Contains("found 384; allowed: a power of two"));
  REQUIRE_THAT(problem({"memory.chunk_bytes=256"}), Contains("a KV_DATA packet of 512 bytes"));
  REQUIRE_THAT(problem({"lt.chunk_flits=8", "noc.vc_depth_flits=16"}),
               Contains("a packet of 16 flits") && Contains("at least noc.vc_depth_flits"));
  REQUIRE_THAT(problem({"controllers.barrier_cycles=0"}), Contains("allowed: integer 1 to"));
  REQUIRE_THAT(problem({"preset=cent", "compare=[\"cent\"]"}), Contains("beside preset"));
  REQUIRE_THAT(problem({"compare=[\"cent\",\"cent\"]"}), Contains("distinct presets"));
  REQUIRE_THAT(problem({"workload.trace=x"}), Contains("not part of this version"));
  for (const char* bad : {R"(mode=["lt","at"])", R"(mode=[])", R"(mode=[{"mode":"at"},{"mode":"lt"}])",
                          R"(mode=[{"mode":"at","layers":0}])", R"(mode=[{"mode":"at","layer":1}])"})
    REQUIRE_THAT(problem({bad}), Contains("a list of phases"));
  REQUIRE_THAT(problem({"controllers.kind=rv64"}),
               Contains("allowed: one of \"sequencer\", \"rv32\", \"native\""));
  REQUIRE(problems_of(file, {"memory.spill=ignore", "workload.streams=8"}).empty());
  REQUIRE(problems_of(file, {"workload.streams=8", "workload.shared_prefix_tokens=32768"}).empty());
}

TEST_CASE("Synthetic and memory workloads have keys of their own", "[platform][scenario]") {
  TemporaryFolder folder;
  const std::string mesh =
      folder.write("s.json", R"({"workload": {"kind": "synthetic", "injection_rate": 0.3}})");
  REQUIRE(load_scenario(mesh, {}).config.synthetic.injection_rate == 0.3);
  using Catch::Matchers::Contains;
  const auto first = [&](const std::string& file, std::vector<std::string> settings) {
    const auto lines = problems_of(file, settings);
    return lines.empty() ? std::string("valid") : lines[0];
  };
  REQUIRE_THAT(first(mesh, {"workload.pattern=hotspot", "workload.hotspot_node=64"}),
               Contains("allowed: 0 to 63"));
  REQUIRE_THAT(first(mesh, {"workload.pattern=transpose", "mesh.width=4"}),
               Contains("undefined on a 4x8 mesh"));
  REQUIRE_THAT(first(mesh, {"workload.pattern=bitcomp", "mesh.width=3"}), Contains("undefined for 24 nodes"));
  REQUIRE_THAT(first(mesh, {"workload.pattern=replay"}), Contains("workload.packets: is missing"));
  REQUIRE_THAT(first(mesh, {"workload.pattern=stride"}), Contains("allowed: one of \"uniform\""));
  REQUIRE_THAT(first(mesh, {"workload.readers=2"}), Contains("belongs to workload.kind \"memory\""));
  REQUIRE_THAT(first(mesh, {"compare=[\"cent\"]"}), Contains("decode workloads only"));

  const std::string memory =
      folder.write("m.json", R"({"workload": {"kind": "memory", "pattern": "stride"}})");
  REQUIRE(load_scenario(memory, {}).config.memory_workload.pattern == memory::AccessPattern::kStride);
  REQUIRE(load_scenario(memory, {"workload.offered_fraction=0.5"}).config.memory_workload.offered_fraction ==
          0.5);
  REQUIRE(load_scenario(memory, {}).config.memory_workload.offered_fraction == 0);
  REQUIRE_THAT(first(memory, {"memory.hbm_pseudo_channels=4", "workload.channels=8"}),
               Contains("allowed: 1 to 4 (memory.hbm_pseudo_channels)"));
  REQUIRE_THAT(first(memory, {"workload.device=ddr", "workload.channels=3"}), Contains("allowed: 1 to 2"));
  REQUIRE_THAT(first(memory, {"workload.channel_policy=random_per_slice"}),
               Contains("workload.channel_policy: random_per_slice needs slice_bytes"));
  REQUIRE_THAT(first(memory, {"workload.pattern=uniform"}), Contains("allowed: one of \"sequential\""));
}

TEST_CASE("A multi-query model runs with the default layout", "[platform][scenario]") {
  TemporaryFolder folder;
  folder.write(
      "m.json",
      R"({"model_type": "falcon", "num_hidden_layers": 4, "num_attention_heads": 8, "hidden_size": 512})");
  const Scenario s = load_scenario(folder.write("s.json", R"({"model": "m.json"})"), {});
  REQUIRE(s.config.decode.model.kv_heads == 1);
  REQUIRE(s.config.decode.layout.heads_per_line == 1);
}
