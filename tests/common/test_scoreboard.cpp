#include <catch2/catch.hpp>

#include "models/common/scoreboard.h"

using namespace meshkv;

namespace {
noc::PayloadKey key(std::uint32_t index) {
  noc::PayloadKey k;
  k.layer = 2;
  k.segment = 5;
  k.group = 1;
  k.index = index;
  return k;
}
}  // namespace

TEST_CASE("A slice that comes whole, in any order, is clean", "[scoreboard]") {
  Scoreboard board(8);
  board.expect(3, key(0), 20);
  board.accept(3, key(2), 4);
  board.accept(3, key(0), 16);  // an lt chunk of two packets
  board.close(3, key(0));
  board.finish();
  REQUIRE(board.clean());
  REQUIRE(board.statistics().delivered == 20);
  REQUIRE(board.statistics().requested == 20);
}

TEST_CASE("The checksum does not depend on order or on chunks, but on payload and requester",
          "[scoreboard]") {
  const auto sum = [](NodeId tile, bool chunk) {
    Scoreboard board(8);
    board.expect(tile, key(0), 16);
    if (chunk) {
      board.accept(tile, key(0), 16);
    } else {
      board.accept(tile, key(1), 8);
      board.accept(tile, key(0), 8);
    }
    return board.statistics().checksum;
  };
  REQUIRE(sum(3, true) == sum(3, false));
  REQUIRE(sum(3, true) != sum(4, true));
}

TEST_CASE("Lost, doubled and misdelivered payloads are told apart and named", "[scoreboard]") {
  Scoreboard board(8);
  board.expect(3, key(0), 16);
  SECTION("lost") {
    board.accept(3, key(0), 8);
    board.finish();
    REQUIRE(board.statistics().lost == 8);
    REQUIRE(board.first_violation().find("tile 3, layer 2, segment 5, line group 1") != std::string::npos);
  }
  SECTION("closed too early") {
    board.accept(3, key(0), 8);
    board.close(3, key(0));
    REQUIRE(board.statistics().lost == 8);
  }
  SECTION("accepted twice") {
    board.accept(3, key(1), 8);
    board.accept(3, key(1), 8);
    REQUIRE(board.statistics().duplicated == 8);
    REQUIRE(board.first_violation().find("packet 1") != std::string::npos);
  }
  SECTION("accepted by a tile that did not ask") {
    board.accept(4, key(0), 8);
    REQUIRE(board.statistics().misdelivered == 8);
  }
  SECTION("a first copy was dropped as a duplicate") {
    board.filter(3, key(0), 8);
  }
  REQUIRE_FALSE(board.clean());
}

TEST_CASE("Dropping a second copy is not a violation", "[scoreboard]") {
  Scoreboard board(8);
  board.expect(3, key(0), 8);
  board.accept(3, key(0), 8);
  board.filter(3, key(0), 8);
  board.close(3, key(0));
  board.filter(3, key(0), 8);
  board.finish();
  REQUIRE(board.clean());
  REQUIRE(board.statistics().filtered == 16);
}
