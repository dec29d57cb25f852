#include <catch2/catch.hpp>
#include <set>
#include <sstream>

#include "platform/scenario/json_file.h"
#include "platform/scenario/parameter_texts.h"
#include "tests/platform/support.h"
#include "tests/support/paths.h"

using namespace meshkv::platform;

TEST_CASE("docs/parameters.md is what the declarations say", "[platform][parameters]") {
  // After a change: ./vp params --markdown > docs/parameters.md
  const bool same =
      meshkv::test::read_file(meshkv::test::source_dir() + "/docs/parameters.md") == parameters_as_markdown();
  REQUIRE(same);
}

TEST_CASE("docs/energy.md has the energy table's parameters and defaults", "[platform][parameters]") {
  std::istringstream page(meshkv::test::read_file(meshkv::test::source_dir() + "/docs/energy.md"));
  std::string table;  // the lines of the table of parameters
  for (std::string line; std::getline(page, line);)
    if (line.rfind("| `", 0) == 0 && line.rfind("| `energy.", 0) != 0) table += line + "\n";
  int documented = 0;
  for (const Parameter& p : parameters()) {
    if (p.path.rfind("energy.", 0) != 0) continue;
    CAPTURE(p.path, p.default_value().dump());
    const std::size_t name = table.find('`' + p.path.substr(7) + '`');
    REQUIRE(name != std::string::npos);
    std::ostringstream value;
    value << p.default_value().get<double>() << ' ' << p.unit;
    const std::string line = table.substr(name, table.find('\n', name) - name);
    const std::size_t found = line.find(value.str().substr(0, value.str().find(' ')));
    REQUIRE(found != std::string::npos);
    REQUIRE(line.find(p.unit, found) != std::string::npos);
    ++documented;
  }
  REQUIRE(documented == 10);
}

TEST_CASE("Every default is allowed by its own declaration", "[platform][parameters]") {
  for (const Parameter& p : parameters()) {
    const Json value = p.default_value();
    if (value.is_null() || value == "") continue;
    CAPTURE(p.path, value.dump());
    REQUIRE_FALSE(p.check(value));
  }
}

TEST_CASE("Every parameter is declared once a workload kind and says what it means",
          "[platform][parameters]") {
  std::set<std::pair<std::string, int>> seen;
  for (const Parameter& p : parameters()) {
    CAPTURE(p.path);
    REQUIRE(seen.insert({p.path, p.only_for ? static_cast<int>(*p.only_for) : -1}).second);
    REQUIRE(p.meaning.size() > 10);
    REQUIRE_FALSE(p.source.empty());
    REQUIRE_FALSE(p.allowed().empty());
  }
}

TEST_CASE("A stored value reads back", "[platform][parameters]") {
  for (const Parameter& p : parameters()) {
    if (!p.set) continue;
    CAPTURE(p.path);
    std::vector<Json> values;
    for (const Choice& c : p.choices) values.push_back(c.value);
    if (p.type == ParameterType::kInteger)
      values = {static_cast<std::int64_t>(p.minimum), static_cast<std::int64_t>(p.maximum)};
    if (p.type == ParameterType::kReal) values = {p.minimum, p.maximum};
    if (p.type == ParameterType::kBoolean) values = {true, false};
    if (p.type == ParameterType::kText || p.type == ParameterType::kFile) values = {"x"};
    if (p.type == ParameterType::kIntegerList) values = {Json::array({3, 1})};
    if (p.type == ParameterType::kMode)
      values = {"lt", "at", Json::parse(R"([{"mode": "lt", "layers": 3}, {"mode": "at"}])")};
    REQUIRE_FALSE(values.empty());
    for (const Json& value : values) {
      RunConfig config;
      p.set(config, value);
      REQUIRE(p.get(config) == value);
    }
  }
}

TEST_CASE("Integers may be written as 1e3, and only integers", "[platform][parameters]") {
  const Parameter* p = find_parameter("workload.context_tokens", WorkloadKind::kDecode);
  RunConfig config;
  REQUIRE_FALSE(p->check(1e3));
  p->set(config, 1e3);
  REQUIRE(config.decode.context_tokens == 1000);
  for (const Json& bad :
       {Json(1.5), Json("8"), Json(nullptr), Json(true), Json(-1), Json(0), Json(16777217), Json(1e300),
        Json(18446744073709551615ULL), Json(-9223372036854775807LL), Json::array(), Json::object()}) {
    CAPTURE(bad.dump());
    REQUIRE(p->check(bad));
  }
}

TEST_CASE("Misspelt names are matched to what was meant", "[platform][parameters]") {
  REQUIRE(nearest_parameter("mesh.widht") == "mesh.width");
  REQUIRE(nearest_parameter("wokload") == "workload");
  REQUIRE(nearest_parameter("context_tokens") == "workload.context_tokens");
  REQUIRE(nearest_parameter("zzzzzzzzzzzz").empty());
  REQUIRE(nearest_name(std::string(100000, 'x'), {"mesh"}).empty());
}
