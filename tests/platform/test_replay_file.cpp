#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <catch2/catch.hpp>

#include "platform/run/replay_file.h"
#include "tests/platform/support.h"

using namespace meshkv;
using namespace meshkv::platform;

namespace {

std::string zipped(const std::string& text) {
  std::ostringstream out;
  boost::iostreams::filtering_ostream filter;
  filter.push(boost::iostreams::gzip_compressor());
  filter.push(out);
  filter << text;
  boost::iostreams::close(filter);
  return out.str();
}

std::string reason(const std::string& file) {
  try {
    read_replay_file(file, 16);
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("Replay files: any order of columns, blanks, plain or gzip", "[platform][replay]") {
  test::TemporaryFolder folder;
  const std::string text =
      "src,dst, created,injected,ejected,routers,flits\n2,15,0,0,30,4,5\r\n0,1,7,7,,2,\n\n";
  for (const std::string& file : {folder.write("a.csv", text), folder.write("a.csv.gz", zipped(text))}) {
    const auto packets = read_replay_file(file, 16);
    REQUIRE(packets.size() == 2);
    REQUIRE((packets[0].source == 2 && packets[0].destination == 15 && packets[0].created == 0));
    REQUIRE((packets[0].flits == 5 && packets[0].ejected == Cycle{30}));
    REQUIRE((packets[1].created == 7 && packets[1].flits == 0 && !packets[1].ejected));
  }
}

TEST_CASE("Replay files: what is wrong and where", "[platform][replay]") {
  test::TemporaryFolder folder;
  int n = 0;
  const auto of = [&](const std::string& text) {
    return reason(folder.write(std::to_string(n++) + ".csv", text));
  };
  REQUIRE(of("") == "is empty; the first line must name the columns created,src,dst");
  REQUIRE(of("created,src\n1,2\n") == "line 1: has no column dst; needed: created,src,dst");
  REQUIRE(of("created,src,dst,src\n") == "line 1: column src stands twice");
  REQUIRE(of("created,src,dst\n") == "has no packets");
  REQUIRE(of("created,src,dst\n1,2,16\n") == "line 2: dst: found \"16\"; allowed: integer 0 to 15");
  REQUIRE(of("created,src,dst\n1,2,3\n-1,2,3\n").rfind("line 3: created: found \"-1\"", 0) == 0);
  REQUIRE(of("created,src,dst\n1,2\n") == "line 2: found 2 fields, the header has 3");
  REQUIRE(of("created,src,dst,flits\n1,2,3,0\n").rfind("line 2: flits: found 0", 0) == 0);
  REQUIRE(of("created,src,dst\n,2,3\n").rfind("line 2: created: found \"\"", 0) == 0);
  REQUIRE(reason(folder.path("none.csv")) == "no such file");
  const std::string whole = zipped("created,src,dst\n1,2,3\n4,5,6\n");
  REQUIRE(of(whole.substr(0, whole.size() / 2)).find("damaged") != std::string::npos);
}
