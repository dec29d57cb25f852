#include <catch2/catch.hpp>

#include "models/riscv/gdb/packet.h"

using namespace meshkv::riscv::gdb;

namespace {

std::vector<Event> read(const std::string& bytes, std::size_t piece) {
  PacketReader reader;
  std::vector<Event> all;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    const std::string part = bytes.substr(at, piece);
    for (Event& e : reader.feed(part.data(), part.size())) all.push_back(std::move(e));
  }
  return all;
}

}  // namespace

TEST_CASE("Packets survive framing, in pieces of any size", "[riscv][gdb]") {
  std::string nasty;
  for (int c = 0; c < 256; ++c) nasty += static_cast<char>(c);
  for (const std::size_t piece : {1, 2, 3, 7, 1000}) {
    const std::vector<Event> events =
        read("+" + frame("qSupported") + frame(nasty) + "\x03-" + frame(""), piece);
    REQUIRE(events.size() == 6);
    REQUIRE(events[0].kind == EventKind::kAcknowledged);
    REQUIRE(events[1].payload == "qSupported");
    REQUIRE(events[2].kind == EventKind::kPacket);
    REQUIRE(events[2].payload == nasty);
    REQUIRE(events[3].kind == EventKind::kInterrupt);
    REQUIRE(events[4].kind == EventKind::kRejected);
    REQUIRE(events[5].payload.empty());
  }
  REQUIRE(frame("m80000000,40") == "$m80000000,40#85");  // as gdb-multiarch sends it
}

TEST_CASE("Damaged and endless packets are reported, and the next one is read", "[riscv][gdb]") {
  std::vector<Event> events = read("$g#00" + frame("?"), 4);
  REQUIRE(events.size() == 2);
  REQUIRE(events[0].kind == EventKind::kDamaged);
  REQUIRE(events[1].payload == "?");
  events = read("$" + std::string(PacketReader::kLongest + 10, 'a') + frame("?"), 4096);
  REQUIRE(events.front().kind == EventKind::kDamaged);
  REQUIRE(events.back().payload == "?");
}

TEST_CASE("Numbers and bytes in hexadecimal", "[riscv][gdb]") {
  REQUIRE(word_to_hex(0x12345678) == "78563412");
  std::vector<std::uint8_t> bytes;
  REQUIRE(from_hex("00fFa5", bytes));
  REQUIRE(bytes == std::vector<std::uint8_t>{0, 0xff, 0xa5});
  REQUIRE_FALSE(from_hex("0", bytes));
  REQUIRE_FALSE(from_hex("0g", bytes));
  std::size_t at = 1;
  std::uint64_t value = 0;
  REQUIRE(take_number("m8000000c,2", at, value));
  REQUIRE(value == 0x8000000c);
  REQUIRE(at == 9);
  REQUIRE_FALSE(take_number("m8000000c,2", at, value));
}
