#include <catch2/catch.hpp>

#include "platform/scenario/json_file.h"
#include "tests/platform/support.h"

using namespace meshkv::platform;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

std::string error_of(const std::string& text) {
  try {
    parse_json(text);
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "";
}

std::string nested(int levels) {
  return std::string(static_cast<std::size_t>(levels), '[') +
         std::string(static_cast<std::size_t>(levels), ']');
}

}  // namespace

TEST_CASE("JSON keeps the order of keys and all kinds of values", "[platform][json]") {
  const std::string text = R"({"z":1,"a":[true,null,-2,1.5,"x",18446744073709551615],"m":{"b":{}}})";
  REQUIRE(parse_json(text).dump() == text);
  REQUIRE(parse_json("\xef\xbb\xbf{\"a\":1}").dump() == "{\"a\":1}");  // a byte order mark is no error
}

TEST_CASE("JSON syntax errors carry line and column", "[platform][json]") {
  REQUIRE_THAT(error_of("{\n  \"a\": 1,\n  oops\n}"), StartsWith("line 3, column 3: syntax error"));
  REQUIRE_THAT(error_of("{\"a\": 1"), StartsWith("line 1, column 8"));
  REQUIRE_THAT(error_of("{\"a\": NaN}"), StartsWith("line 1, column 7"));
  REQUIRE_THAT(error_of("{\n\"a\": 1e400}"), StartsWith("line 2, column 1") && Contains("overflow"));
  REQUIRE_THAT(error_of("{\"a\": \"\xff\"}"), Contains("UTF-8"));
  REQUIRE_THAT(error_of("{} {}"), StartsWith("line 1, column 4"));
  REQUIRE(error_of(" \n") == "the file is empty");
}

TEST_CASE("Duplicate keys and absurd nesting are refused", "[platform][json]") {
  REQUIRE(error_of(R"({"a":{"b":1,"c":2,"b":3}})") == "a.b: duplicate key");
  REQUIRE(error_of(R"({"a":[{"x":1},{"x":1,"x":2}]})") == "a[1].x: duplicate key");
  REQUIRE(error_of(nested(64)) == "");
  REQUIRE_THAT(error_of(nested(65)), Contains("nested deeper"));
  REQUIRE_THAT(error_of(nested(1000000)), Contains("nested deeper"));
}

TEST_CASE("What cannot be read says why", "[platform][json]") {
  meshkv::test::TemporaryFolder folder;
  REQUIRE_THROWS_WITH(read_text_file(folder.path("none.json")), "no such file");
  REQUIRE_THROWS_WITH(read_text_file(folder.path()), "is a directory, not a file");
  REQUIRE_THROWS_WITH(read_text_file("/dev/null"), "is not a regular file");
  REQUIRE(read_text_file(folder.write("empty.json", "")) == "");
  REQUIRE(read_text_file(folder.write("a.json", "{}")) == "{}");
}
