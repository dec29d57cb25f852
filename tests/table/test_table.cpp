// Tables of published figures: formulas, verdicts, pages, drift, search.
#include <catch2/catch.hpp>
#include <filesystem>

#include "platform/table/expression.h"
#include "platform/table/row_table.h"
#include "platform/table/row_verdict.h"
#include "platform/table/table_search.h"
#include "tests/platform/support.h"

using namespace meshkv;
using namespace meshkv::platform;
using namespace meshkv::test;
using Catch::Matchers::Contains;

namespace {

double value_of(const std::string& formula) {
  return evaluate(formula, [](const std::string& name) { return name == "a:x" ? 6.0 : 0.5; });
}

std::string error_of_formula(const std::string& formula) {
  try {
    value_of(formula);
  } catch (const ExpressionError& e) {
    return e.what();
  }
  return "";
}

constexpr const char* kModel =
    R"({"model_type": "llama", "architectures": ["LlamaForCausalLM"], "num_hidden_layers": 6,
        "num_attention_heads": 8, "num_key_value_heads": 8, "head_dim": 32, "hidden_size": 256})";

/// A folder of two small scenarios, one of which draws its layers.
void write_folder(const TemporaryFolder& folder, const std::string& rows) {
  folder.write("few/models/model.json", kModel);
  folder.write("few/fixed.json",
               R"({"model": "models/model.json", "mesh": {"width": 4, "height": 4}, "seed": 1,
                   "compare": ["shared", "takv_only"], "kv_layout": {"segment_tokens": 16},
                   "workload": {"context_tokens": 64}})");
  folder.write("few/drawn.json",
               R"({"model": "models/model.json", "mesh": {"width": 4, "height": 4}, "seed": 1,
                   "preset": "meshkv", "kv_layout": {"segment_tokens": 16},
                   "workload": {"context_tokens": 64, "sample": {"draw_layers": 2}}})");
  folder.write("few/table.json", R"({"title": "Few", "seeds": [1, 2, 3], "rows": [)" + rows + "]}");
}

ProgramResult regress(const TemporaryFolder& folder, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"regress", folder.path("few"), "--jobs",
                                     "1",       "--store",          folder.path("store")};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_program(arguments);
}

std::string line_with(const std::string& text, const std::string& word) {
  const std::size_t at = text.find(word);
  if (at == std::string::npos) return "";
  const std::size_t begin = text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

// 8 heads, one tile each; 4 segments of 64 flits: delivered 8 * 4 * 64 a layer.
constexpr const char* kRows = R"rows(
  {"id": "exact", "unit": "flits", "published": 12288, "ours": "[fixed:shared.scoreboard.delivered]"},
  {"id": "drawn", "published": 4096, "ours": "[drawn:scoreboard.delivered]"},
  {"id": "below", "published": 2, "ours": "[drawn:pad.mac_utilisation]", "neutral": 0,
   "bound": {"at_most": "1", "text": "no share is more"}},
  {"id": "above", "published": 0.5, "ours": "12288 / [fixed:takv_only.scoreboard.delivered]", "neutral": 0.8,
   "causes": [{"text": "half of it", "ours": "0.5 * [fixed:takv_only.scoreboard.delivered] / 12288",
               "claim": "within 10 %"},
              {"text": "some of it", "ours": "0.7", "claim": "half of the way"}]},
  {"id": "least", "published": 0.2, "at_least": true, "ours": "[drawn:pad.mac_utilisation]"},
  {"id": "range", "published": [2, 4], "ours": "best(1, 5, 3, 9, 7, 8)"
}
)rows";

}  // namespace

TEST_CASE("Formulas are calculated with the usual precedence", "[table]") {
  REQUIRE(value_of("1 + 2 * 3") == 7);
  REQUIRE(value_of("(1 + 2) * 3 - -1") == 10);
  REQUIRE(value_of("[a:x] / [b] / 4") == 3);
  REQUIRE(value_of("min(3, [a:x], 5) + max(1, 2) + abs(0 - 4)") == 9);
  REQUIRE(value_of("best(16, 1, 64, 3, 256, 2)") == 64);
  REQUIRE(value_of("1.5e2") == 150);
  REQUIRE(names_in("[a:x] / ([b:y.z] + 1)") == std::vector<std::string>{"a:x", "b:y.z"});
}

TEST_CASE("A wrong formula says what and where", "[table]") {
  REQUIRE_THAT(error_of_formula("1 +"), Contains("character 4"));
  REQUIRE_THAT(error_of_formula("(1"), Contains("expected )"));
  REQUIRE_THAT(error_of_formula("1 2"), Contains("operator"));
  REQUIRE_THAT(error_of_formula("[a"), Contains("expected ]"));
  REQUIRE_THAT(error_of_formula("most(1)"), Contains("unknown function most"));
  REQUIRE_THAT(error_of_formula(std::string(101, '(')), Contains("more than 100 brackets"));
  std::string calls;
  for (int i = 0; i < 101; ++i) calls += "max(";
  REQUIRE_THAT(error_of_formula(calls), Contains("more than 100 brackets"));
  REQUIRE(value_of(std::string(200001, '-') + "2") == -2);
  REQUIRE_THAT(error_of_formula("1 / (2 - 2)"), Contains("division by zero"));
}

TEST_CASE("A table is judged from results, with reasons and intervals", "[table][regress]") {
  TemporaryFolder folder;
  write_folder(folder, kRows);
  const ProgramResult result = regress(folder);
  INFO(result.out << result.err);
  REQUIRE(result.exit_code == 0);
  REQUIRE_THAT(result.out, Contains("\n4 of 6 rows within 10 %\n"));
  REQUIRE(result.out.rfind("rows within 10 %\n") == result.out.size() - 17);
  const std::string page = read_file(folder.path("store/few.md"));
  REQUIRE_THAT(line_with(page, "| exact"), Contains("| 12288 | 12288 | flits | within 10 % | Agrees. |"));
  // Layers are alike in what they deliver, whichever are drawn.
  REQUIRE_THAT(line_with(page, "| drawn"), Contains("| 4096 | 4096 ± 0 |"));
  REQUIRE_THAT(line_with(page, "| below"), Contains("same direction"));
  REQUIRE_THAT(line_with(page, "| below"), Contains("at most 1, which the paper exceeds: no share is more"));
  REQUIRE_THAT(line_with(page, "| above"), Contains("contradicted"));
  REQUIRE_THAT(line_with(page, "| above"), Contains("With half of it: 0.5 (within 10 %)."));
  REQUIRE_THAT(line_with(page, "| above"), Contains("With some of it: 0.7 (more than half of the way)."));
  REQUIRE_THAT(page, Contains("6 are within or explained"));
  REQUIRE_THAT(read_file(folder.path("store/few.html")), Contains("id=\"range\""));
}

TEST_CASE("Rows that drift fail a regression", "[table][regress]") {
  TemporaryFolder folder;
  write_folder(folder, kRows);
  REQUIRE_THAT(regress(folder).out, Contains("note: there is no"));
  REQUIRE(regress(folder, {"--update-tables"}).exit_code == 0);
  REQUIRE_FALSE(std::filesystem::exists(folder.path("few/golden/fixed.json")));
  REQUIRE(regress(folder).exit_code == 0);
  std::string golden = read_file(folder.path("few/golden/table.json"));
  golden.replace(golden.find("12288"), 5, "12289");
  folder.write("few/golden/table.json", golden);
  const ProgramResult drifted = regress(folder);
  REQUIRE(drifted.exit_code == 1);
  REQUIRE_THAT(drifted.out, Contains("rows are not what they were"));
  REQUIRE_THAT(drifted.out, Contains("exact"));
}

TEST_CASE("A cause that does not move its figure as claimed fails a regression", "[table][regress]") {
  TemporaryFolder folder;
  write_folder(folder, R"({"id": "far", "published": 1, "ours": "[fixed:shared.scoreboard.delivered] / 6144",
                           "causes": [{"text": "most", "ours": "1.3", "claim": "within 10 %"},
                                      {"text": "little", "ours": "1.6", "claim": "half of the way"},
                                      {"text": "much", "ours": "0.7", "claim": "half of the way"}]},
                          {"id": "lost", "published": 1, "ours": "2"})");
  const ProgramResult result = regress(folder);
  INFO(result.out << result.err);
  REQUIRE(result.exit_code == 1);
  REQUIRE_THAT(result.out, Contains("causes do not move the figures as claimed"));
  REQUIRE_THAT(result.out,
               Contains("far: with most: 1.3 (more than half of the way); claimed: within 10 %\n"));
  REQUIRE_THAT(result.out, Contains("far: with little: 1.6 (not the cause); claimed: half of the way\n"));
  REQUIRE_THAT(result.out, !Contains("far: with much"));
  const std::string page = read_file(folder.path("store/few.md"));
  REQUIRE_THAT(
      page, Contains("1 are within or explained by a computed bound or a tested cause; unexplained: lost."));
  REQUIRE_THAT(line_with(page, "| lost"), Contains("100 % above the paper. Unexplained."));
}

TEST_CASE("A wrong table is refused with every problem", "[table][regress]") {
  TemporaryFolder folder;
  write_folder(folder, R"({"id": "a", "published": "x", "ours": "[missing:noc.traffic]"},
                          {"id": "a|b", "published": [2, 1], "ours": "1e308 * 10"},
                          {"id": "a", "ours": "1 +", "publishd": 1,
                           "causes": [{"text": "none", "ours": "1"}, {"text": "b", "ours": "1", "claim": "all"}]})");
  const ProgramResult result = regress(folder);
  REQUIRE(result.exit_code == 2);
  for (const char* words :
       {"rows[0].published", "missing.json: no such file",
        "rows[1].id: found \"a|b\"; allowed: text of letters",
        "rows[1].published: found [2,1]; allowed: a number, or [lowest, highest]",
        "rows[1].ours: \"1e308 * 10\": is no finite number",
        "rows[2].publishd: unknown key; did "
        "you mean published?",
        "rows[2]: published is missing", "rows[2].ours", "rows[2].causes[0]: claim is missing",
        "rows[2].causes[1].claim: found \"all\"; allowed: within 10 %, half of the way", "found \"a\" twice"})
    REQUIRE_THAT(result.err, Contains(words));
}

TEST_CASE("Names that no run will have are refused before anything is run", "[table][regress]") {
  TemporaryFolder folder;
  write_folder(folder, R"({"id": "a", "published": 1, "ours": "[fixed:shared.noc.trafic]"},
                          {"id": "b", "published": 1, "ours": "[fixed:meshkv.noc.traffic]",
                           "causes": [{"text": "c", "ours": "[drawn:decode.step_cycles.last] / [drawn:pad.mac]",
                                       "claim": "within 10 %"}]})");
  const ProgramResult result = regress(folder);
  INFO(result.out << result.err);
  REQUIRE(result.exit_code == 2);
  REQUIRE(result.out.empty());
  REQUIRE_THAT(result.err,
               Contains("rows[0].ours: found [fixed:shared.noc.trafic], which is no metric of its "
                        "runs; did you mean shared.noc.traffic?"));
  REQUIRE_THAT(result.err,
               Contains("rows[1].ours: found [fixed:meshkv.noc.traffic], which does not begin with a "
                        "preset of its comparison: shared, takv_only"));
  REQUIRE_THAT(result.err, Contains("rows[1].causes[0].ours: found [drawn:pad.mac]"));
  REQUIRE_THAT(result.err, !Contains("step_cycles"));
}

TEST_CASE("A row without a number fails a regression", "[table][regress]") {
  TemporaryFolder folder;
  write_folder(folder, R"({"id": "a", "published": 1, "ours": "[drawn:decode.step_cycle.last]"})");
  const ProgramResult result = regress(folder);
  REQUIRE(result.exit_code == 1);
  REQUIRE_THAT(result.out, Contains("table.json: a: a run has no such number"));
}

TEST_CASE("A search for what the table does not have is refused", "[table][sweep]") {
  TemporaryFolder folder;
  write_folder(folder, kRows);
  folder.write("few/search.json",
               R"({"table": "table.json", "rows": ["exakt", "dr*"], "readings": {"hops": ["traffic"]},
                   "axes": {"workload.context_tokens": [128]}})");
  const ProgramResult result = run_program({"sweep", folder.path("few/search.json")});
  REQUIRE(result.exit_code == 2);
  REQUIRE_THAT(result.err, Contains("rows[0]: found \"exakt\", which is no row of"));
  REQUIRE_THAT(result.err, Contains("did you mean exact?"));
  REQUIRE_THAT(result.err, !Contains("rows[1]"));
  REQUIRE_THAT(result.err, Contains("readings.hops: stands in no formula of"));
}

TEST_CASE("A search judges a table at every point", "[table][sweep]") {
  TemporaryFolder folder;
  write_folder(folder, kRows);
  folder.write("few/search.json",
               R"({"table": "table.json", "one_at_a_time": true, "seeds": [1], "rows": ["exact", "drawn"],
                   "readings": {"delivered": ["lost"]},
                   "axes": {"workload.context_tokens": [128], "kv_layout.heads_per_line": [1, 4]}})");
  const std::string page = folder.path("page.md");
  const ProgramResult result =
      run_program({"sweep", folder.path("few/search.json"), "--jobs", "1", "--store", folder.path("store"),
                   "--out", folder.path("out"), "--markdown", page});
  INFO(result.out << result.err);
  REQUIRE(result.exit_code == 0);
  REQUIRE_THAT(result.out, Contains("2 of 2  the base\n"));
  REQUIRE_THAT(result.out, Contains("0 of 2  workload.context_tokens=128\n"));
  REQUIRE_THAT(result.out, Contains("best:  the base;"));
  REQUIRE_THAT(result.out, Contains("0 of 2  lost for delivered\n"));
  REQUIRE_THAT(read_file(folder.path("out/table.csv")), Contains("within"));
  const std::string text = read_file(page);
  REQUIRE_THAT(text, Contains("Written by `./vp sweep " + folder.path("few/search.json") + " --markdown " +
                              page + "`"));
  REQUIRE_THAT(text, Contains("| the base | 2 |  |  |\n"));
  REQUIRE_THAT(text, Contains("| workload.context_tokens=128 | 0 |  | drawn, exact |\n"));
  REQUIRE_THAT(text, Contains("| lost for delivered | 0 |  | drawn, exact |\n"));
  REQUIRE_THAT(text, Contains("Best: the base.\n\nWithin 10 % at no point: none.\n"));
}

TEST_CASE("Layers are drawn by the seed and written into the results", "[decode][sample]") {
  TemporaryFolder folder;
  write_folder(folder, kRows);
  std::vector<Json> drawn;
  for (const char* seed : {"1", "1", "2"}) {
    const auto result = run_program({"run", folder.path("few/drawn.json"), "--quiet", "--out",
                                     folder.path("out"), "--set", std::string("seed=") + seed});
    REQUIRE(result.exit_code == 0);
    const Json parameters = Json::parse(read_file(folder.path("out/results.json")))["parameters"];
    REQUIRE(parameters["workload"]["sample"]["draw_layers"] == 0);
    drawn.push_back(parameters["workload"]["sample"]["layers"]);
    REQUIRE(drawn.back().size() == 2);
  }
  REQUIRE(drawn[0] == drawn[1]);
  REQUIRE(drawn[0] != drawn[2]);
  REQUIRE(run_program({"check", folder.path("few/drawn.json"), "--set", "workload.sample.draw_layers=7"})
              .exit_code == 2);
  REQUIRE(run_program({"check", folder.path("few/drawn.json"), "--set", "workload.sample.layers=[1]"})
              .exit_code == 2);
}

TEST_CASE("A router of the paper's Table I needs more than one block RAM", "[decode][storage]") {
  TemporaryFolder folder;
  const auto run = run_program({"run", "scenarios/paper/t5-32k.json", "--quiet", "--out", folder.path("out"),
                                "--set", "compare=null", "--set", "preset=meshkv", "--set", "mode=lt",
                                "--set", "workload.sample.segments.to=226"});
  REQUIRE(run.exit_code == 0);
  const Json storage = Json::parse(read_file(folder.path("out/results.json")))["metrics"]["storage"];
  // 5 ports, 4 VCs, 8 flits of 512 bits; 512 segments, 32 layers, 16 line groups, 128 packets: 25 bits a tag.
  REQUIRE(storage["router_fifo_bits"] == 81920);
  REQUIRE(storage["router_tag_bits"] == 16 * 25);
  REQUIRE(storage["router_bloom_bits"] == 256);
  REQUIRE(storage["router_bits"] == 82576);
  REQUIRE(storage["router_bits"].get<int>() > 4 * 18 * 1024);  // "approximately one 18-Kb BRAM"
  REQUIRE(storage["tile_bits"] == 82576 + 8 * 294912 + 2 * 48 * 512);
  REQUIRE(storage["max_blocks_per_tile"] == 256);
}

TEST_CASE("docs/paper.md says what the golden table holds", "[table][paper]") {
  const RowTable table = read_row_table(meshkv::test::source_dir() + "/scenarios/paper/table.json");
  const Json golden =
      Json::parse(read_file(meshkv::test::source_dir() + "/scenarios/paper/golden/table.json"))["expected"];
  const std::string page = read_file(meshkv::test::source_dir() + "/docs/paper.md");
  int within = 0, explained = 0;
  for (const TableRow& row : table.rows) {
    CAPTURE(row.id);
    const std::string key = "metrics." + row.id;
    if (is_within(row, golden.at(key).get<double>())) {
      ++within;
    } else if (golden.at(key + ".explained") == 1) {
      ++explained;
    } else {
      REQUIRE_THAT(page, Contains("`" + row.id + "`"));  // among those that nothing explains
    }
  }
  REQUIRE(table.rows.size() == 46);
  REQUIRE_THAT(page, Contains(std::to_string(within) + " of 46 rows are within 10 %"));
  REQUIRE_THAT(page, Contains(std::to_string(within + explained) + " are within or explained"));
}

TEST_CASE("The pages of the paper's searches have the points that are searched", "[table][paper][sweep]") {
  for (const std::string name : {"search", "search_combined"}) {
    const std::string file = "scenarios/paper/" + name + ".json", written = "docs/paper_" + name + ".md";
    const Sweep sweep = read_sweep(meshkv::test::source_dir() + "/" + file);
    const std::string page = read_file(meshkv::test::source_dir() + "/" + written);
    CAPTURE(file);
    REQUIRE_THAT(page, Contains("Written by `./vp sweep " + file + " --markdown " + written + "`"));
    for (std::size_t point = 0; point < sweep.points(); ++point)
      REQUIRE_THAT(page, Contains("\n| " + point_text(sweep, point) + " | "));
    for (const auto& [from, instead] : sweep.readings)
      for (const std::string& to : instead)
        REQUIRE_THAT(page, Contains("\n| " + to + " for " + from + " | "));
    REQUIRE_THAT(page, !Contains("no result"));
  }
}

TEST_CASE("The paper's table is what it was, from its one base file", "[.long][table][paper]") {
  TemporaryFolder folder;
  const ProgramResult result =
      run_program({"regress", "scenarios/paper", "--store", folder.path("store"), "--quiet"});
  INFO(result.out << result.err);
  REQUIRE(result.exit_code == 0);
  REQUIRE_THAT(result.out, Contains("of 46 rows within 10 %"));
}
