// `vp report`: the page is one file that asks for nothing, the drawing is XML, bad input is refused.
#include <catch2/catch.hpp>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <regex>
#include <tuple>

#include "platform/report/assets.h"
#include "platform/run/details.h"
#include "platform/scenario/parameter.h"
#include "tests/platform/support.h"

using namespace meshkv;
using namespace meshkv::test;
using Catch::Matchers::Contains;
using platform::Json;

namespace {

std::string small_run(const TemporaryFolder& folder, const std::string& out, const std::string& preset) {
  const std::string scenario = folder.write("s.json", R"({"model": ")" + llama_path() + R"(",
      "mesh": {"width": 4, "height": 3},
      "workload": {"context_tokens": 1024, "sample": {"layers": [0], "segments": {"from": 0, "to": 4}}}})");
  const ProgramResult run = run_program(
      {"run", scenario, "--set", "preset=\"" + preset + "\"", "--quiet", "--out", folder.path(out)});
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  return folder.path(out);
}

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t begin = text.find(from);
  REQUIRE(begin != std::string::npos);
  const std::size_t end = text.find(to, begin + from.size());
  REQUIRE(end != std::string::npos);
  return text.substr(begin + from.size(), end - begin - from.size());
}

void remove_all(std::string& text, std::string_view what) {
  for (std::size_t at; (at = text.find(what)) != std::string::npos;) text.erase(at, what.size());
}

int count_of(const std::string& text, const std::string& what) {
  int n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("The page holds the results and refers to nothing outside", "[report]") {
  TemporaryFolder folder;
  const std::string a = small_run(folder, "a", "cent"), b = small_run(folder, "b", "meshkv");
  const std::string file = folder.path("page.html");
  const ProgramResult report = run_program({"report", a, b + "/results.json", "--html", file});
  CAPTURE(report.err);
  REQUIRE(report.exit_code == 0);
  REQUIRE(report.err.empty());
  std::string page = read_file(file);

  const Json data =
      Json::parse(between(page, "<script type=\"application/json\" id=\"vp-data\">", "</script>"));
  REQUIRE(data["runs"].size() == 2);
  REQUIRE(data["notes"].empty());
  REQUIRE(data["runs"][0]["label"] == "cent");
  REQUIRE(data["runs"][1]["label"] == "meshkv");
  REQUIRE(data["runs"][0]["results"] == Json::parse(read_file(a + "/results.json")));
  REQUIRE(data["runs"][1]["details"] == Json::parse(read_file(b + "/details.json"))["runs"]["meshkv"]);
  // 4x3 mesh: 2 * (3 * 3 + 4 * 2) links between routers, an injection and an ejection link a tile; cent has
  // more injection links where its memory is.
  const int links = static_cast<int>(data["runs"][1]["details"]["links"]["links"].size());
  REQUIRE(links == 34 + 2 * 12);
  REQUIRE(count_of(page, "class=\"link\"") ==
          links + static_cast<int>(data["runs"][0]["details"]["links"]["links"].size()));

  REQUIRE_THAT(page, Contains("default-src 'none'") && Contains("ISC") && Contains("Mike Bostock"));
  REQUIRE_THAT(page, !Contains("{{"));
  for (const char* vendor : {"d3.min.js", "plot.umd.min.js"})
    remove_all(page, platform::report_asset(vendor));
  remove_all(page, "http://www.w3.org/2000/svg");  // a name, not an address
  for (const char* outside :
       {"http:", "https:", "//cdn", "src=", "<link", "@import", "fetch(", "XMLHttpRequest"}) {
    CAPTURE(outside);
    REQUIRE(page.find(outside) == std::string::npos);
  }
}

TEST_CASE("The drawing is well-formed, has every link, and says what it shows", "[report]") {
  TemporaryFolder folder;
  const std::string a = small_run(folder, "a", "meshkv");
  for (const char* show : {"useful", "back_pressure", "other", "idle"}) {
    const std::string file = folder.path("map.svg");
    REQUIRE(run_program({"report", a, "--svg", file, "--show", show}).exit_code == 0);
    std::istringstream text(read_file(file));
    boost::property_tree::ptree svg;
    REQUIRE_NOTHROW(boost::property_tree::read_xml(text, svg));
    REQUIRE(svg.get<std::string>("svg.<xmlattr>.aria-label") ==
            std::string("heat map of the mesh's links, ") + show);
    REQUIRE(count_of(text.str(), "class=\"link\"") == 58);
  }
  // The busiest link's number is its share.
  const Json links = Json::parse(read_file(a + "/details.json"))["runs"]["meshkv"]["links"];
  const double cycles = links["slice_ends"].back();
  std::uint64_t first = 0;
  for (const Json& slice : links["useful"])
    if (!slice.empty()) first += slice[0].get<std::uint64_t>();
  char title[64];
  std::snprintf(title, sizeof title, "(0, 0) to (1, 0), east: useful %.*f %%",
                100.0 * static_cast<double>(first) / cycles < 9.95 ? 1 : 0,
                100.0 * static_cast<double>(first) / cycles);
  REQUIRE_THAT(read_file(folder.path("map.svg")), Contains(title));
}

TEST_CASE("What is no result of this version is refused with the reason", "[report]") {
  TemporaryFolder folder;
  const std::string good = small_run(folder, "good", "meshkv");
  const std::string text = read_file(good + "/results.json");
  const std::string html = folder.path("page.html");
  const auto error_of = [&](const std::string& content) {
    const std::string file = folder.write("bad/results.json", content);
    const ProgramResult r = run_program({"report", file, "--html", html});
    CAPTURE(r.err);
    REQUIRE(r.exit_code == 2);
    REQUIRE_FALSE(std::filesystem::exists(html));
    return r.err;
  };
  REQUIRE_THAT(error_of("{}"), Contains("is not a results.json"));
  REQUIRE_THAT(error_of("[1]"), Contains("is not a results.json"));
  REQUIRE_THAT(error_of(""), Contains("results.json: "));
  REQUIRE_THAT(error_of(text.substr(0, text.size() / 2)), Contains("line "));
  Json other = Json::parse(text);
  other["format"] = 99;
  REQUIRE_THAT(error_of(other.dump()), Contains("format: found 99"));
  for (const char* key : {"metrics", "parameters", "bounds", "outcome", "checks"}) {
    other = Json::parse(text);
    other.erase(key);
    REQUIRE_THAT(error_of(other.dump()), Contains(key));
  }
  REQUIRE(run_program({"report", folder.path("nowhere"), "--html", html}).exit_code == 2);
  REQUIRE(run_program({"report", good}).exit_code == 2);
  REQUIRE(run_program({"report", "--html", html}).exit_code == 2);
  REQUIRE_THAT(run_program({"report", good, "--svg", html, "--show", "usefull"}).err,
               Contains("did you mean useful?"));
  REQUIRE(run_program({"report", good, "--html", good + "/results.json/page.html"}).exit_code == 2);
  REQUIRE(run_program({"report", good, "--html", folder.path("new/folder/page.html")}).exit_code == 0);
}

TEST_CASE("Results without their details make a page that says so", "[report]") {
  TemporaryFolder folder;
  const std::string out = small_run(folder, "a", "meshkv"), html = folder.path("page.html");
  // Of another run: not mixed up.
  folder.write("a/details.json", R"({"of": "0123456789abcdef", "runs": {"meshkv": {}}})");
  const ProgramResult stale = run_program({"report", out, "--html", html});
  REQUIRE(stale.exit_code == 0);
  REQUIRE_THAT(stale.err, Contains("belongs to another results.json"));
  std::filesystem::remove(folder.path("a/details.json"));
  const ProgramResult none = run_program({"report", out, "--html", html});
  REQUIRE(none.exit_code == 0);
  REQUIRE_THAT(none.err, Contains("no details.json"));
  REQUIRE(run_program({"report", out, "--svg", folder.path("x.svg")}).exit_code == 2);
}

TEST_CASE("Damaged details are not used, and the note says where they are wrong", "[report]") {
  TemporaryFolder folder;
  const std::string out = small_run(folder, "a", "meshkv"), html = folder.path("page.html");
  const Json whole = Json::parse(read_file(out + "/details.json"));
  using Pointer = Json::json_pointer;
  const std::vector<std::tuple<const char*, Json, const char*>> damages{
      {"/links/slice_ends", Json::array(), "links.slice_ends: found []"},
      {"/links/slice_ends/0", "x", "links.slice_ends[0]: found \"x\""},
      {"/links/links/3", "</script>", "links.links[3]: found"},
      {"/links/links/3", "9_0.east", "links.links[3]: found \"9_0.east\""},
      {"/links/mesh/width", -4, "links.mesh.width: found -4"},
      {"/links/useful", Json::array(), "links.useful: found 0 slices"},
      {"/links/control", nullptr, "links.control: found null; expected a list"},
      {"/pad/columns/0", "lajer", "pad.columns: has no layer"},
      {"/pad/tiles/0_0/segments/0", Json::array({1}), "pad.tiles.0_0.segments[0]: found 1 elements"},
      {"/latency/fetch/p50", "soon", "latency.fetch.p50: found \"soon\""},
      {"/latency/fetch/bins/0", 7, "latency.fetch.bins[0]: found 7"}};
  for (const auto& [at, value, reason] : damages) {
    Json damaged = whole;
    damaged["runs"]["meshkv"][Pointer(at)] = value;
    folder.write("a/details.json", damaged.dump());
    const ProgramResult r = run_program({"report", out, "--html", html});
    CAPTURE(at, r.err);
    REQUIRE(r.exit_code == 0);
    REQUIRE_THAT(r.err, Contains("runs.meshkv." + std::string(reason)) && Contains("it is not used"));
  }
  folder.write("a/details.json", whole.dump());
  REQUIRE(run_program({"report", out, "--html", html}).err.empty());
}

TEST_CASE("Results of another shape are refused with the path", "[report]") {
  TemporaryFolder folder;
  const std::string good = small_run(folder, "good", "meshkv");
  const Json whole = Json::parse(read_file(good + "/results.json"));
  using Pointer = Json::json_pointer;
  const std::vector<std::tuple<const char*, Json, const char*>> damages{
      {"/bounds/link_cycles", "many", "bounds.link_cycles: found \"many\"; expected a number"},
      {"/bounds/tightest", 1, "bounds.tightest: found 1; expected a text"},
      {"/metrics/energy/link_pj", nullptr, "metrics.energy.link_pj: found null"},
      {"/metrics/energy", 3, "metrics.energy: found 3; expected an object"},
      {"/parameters/mesh", true, "parameters.mesh: found true"},
      {"/warnings/0", 1, "warnings[0]: found 1; expected a text"},
      {"/checks", Json::array({1}), "checks[0]: found 1; expected an object"}};
  for (const auto& [at, value, reason] : damages) {
    Json damaged = whole;
    damaged[Pointer(at)] = value;
    const std::string file = folder.write("bad/results.json", damaged.dump());
    const ProgramResult r = run_program({"report", file, "--html", folder.path("page.html")});
    CAPTURE(at, r.err);
    REQUIRE(r.exit_code == 2);
    REQUIRE_THAT(r.err, Contains(reason));
  }
}

TEST_CASE("The page works in a browser", "[.long][report]") {
  if (run_shell("command -v chromium", "/").exit_code != 0) {
    WARN("not tested: chromium is not installed (apt-get install chromium)");
    return;
  }
  TemporaryFolder folder;
  const std::string a = small_run(folder, "a", "cent"), b = small_run(folder, "b", "meshkv");
  const std::string file = folder.path("page.html");
  REQUIRE(run_program({"report", a, b, "--html", file}).exit_code == 0);
  std::string page = read_file(file);
  // Before the page's own scripts: what goes wrong is noted. After them: a user's moves.
  const std::string watch = R"(<script>window.wrong = [];
    addEventListener("error", (e) => wrong.push(e.message));
    console.error = console.warn = (...all) => wrong.push(all.join(" "));</script>)";
  const std::string moves = R"(<script>
    const said = {}, $ = (id) => document.getElementById(id);
    try {
      said.ready = document.body.dataset.ready;
      said.fills = new Set([...document.querySelectorAll(".link .fill")].map((p) => p.getAttribute("fill"))).size;
      const before = document.querySelector("figure.mesh .link text").textContent;
      const colours = () => [...document.querySelectorAll(".link .fill")].map((p) => p.getAttribute("fill")).join();
      const whole = colours();
      $("time").value = 2; $("time").dispatchEvent(new Event("input"));
      said.time = $("time-text").textContent; said.moved = colours() !== whole;
      const link = document.querySelectorAll("figure.mesh")[1].querySelector(".link");
      link.querySelector(".fill").dispatchEvent(new PointerEvent("pointermove", {bubbles: true}));
      said.tip = $("tooltip").textContent; said.shown = !$("tooltip").hidden;
      $("relative").value = "0"; $("relative").dispatchEvent(new Event("change"));
      said.difference = $("tooltip").textContent;
      said.captions = [...document.querySelectorAll("figure.mesh figcaption")].map((c) => c.textContent);
      said.zero = [...document.querySelectorAll("figure.mesh")[0].querySelectorAll(".link text")].every((t) => t.textContent === "0");
      const svg = document.querySelector("figure.mesh svg");
      svg.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowDown"}));
      said.keys = $("tooltip").textContent;
      said.charts = document.querySelectorAll("#over-time svg, #pad-chart svg, #latency-charts svg, #bounds-charts svg").length;
      said.rows = document.querySelectorAll("#parameter-table tbody tr").length;
    } catch (e) { wrong.push(e.stack); }
    said.wrong = wrong;
    document.body.replaceChildren(Object.assign(document.createElement("pre"), {id: "said", textContent: JSON.stringify(said)}));
    </script></body>)";
  page.insert(page.find("<style>"), watch);
  page.replace(page.rfind("</body>"), 7, moves);
  const std::string driven = folder.write("driven.html", page);
  const ProgramResult dom = run_shell(
      "chromium --headless --no-sandbox --disable-gpu --virtual-time-budget=20000 --user-data-dir=" +
          quoted(folder.path("profile")) + " --dump-dom " + quoted("file://" + driven),
      folder.path());
  CAPTURE(dom.err);
  std::string said_text = between(dom.out, "<pre id=\"said\">", "</pre>");
  said_text = std::regex_replace(said_text, std::regex("&gt;"), ">");
  const Json said = Json::parse(said_text);
  CAPTURE(said.dump(2));
  REQUIRE(said["wrong"].empty());
  REQUIRE(said["ready"] == "true");
  REQUIRE(said["fills"] > 5);
  REQUIRE(said["moved"] == true);
  REQUIRE_THAT(said["time"].get<std::string>(), Contains("slice 2 of"));
  REQUIRE(said["shown"] == true);
  REQUIRE_THAT(said["tip"].get<std::string>(),
               Contains("meshkv: link (0, 0) to (1, 0), east") && Contains("back-pressure"));
  REQUIRE_THAT(said["difference"].get<std::string>(), Contains("difference to cent"));
  REQUIRE(said["captions"] == Json({"cent", "meshkv"}));
  REQUIRE(said["zero"] == true);  // cent against itself
  REQUIRE_THAT(said["keys"].get<std::string>(), Contains("cent: "));
  REQUIRE(said["charts"] >= 4);
  REQUIRE(said["rows"] > 20);
}
