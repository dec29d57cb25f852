// The devices of a column as plain classes.
#include <catch2/catch.hpp>
#include <map>
#include <vector>

#include "models/controller/devices/console.h"
#include "models/controller/devices/exit_device.h"
#include "models/controller/devices/fabric_registers.h"
#include "models/controller/devices/mailbox.h"
#include "models/controller/devices/timer.h"
#include "tests/controller/fake_fabric.h"

using namespace meshkv;
using namespace meshkv::controller;
using Catch::Matchers::Contains;

namespace {

struct Lines {
  std::map<riscv::Interrupt, bool> level;
  int changes = 0;
  InterruptController::Line line() {
    return [this](riscv::Interrupt l, bool value) {
      level[l] = value;
      ++changes;
    };
  }
};

std::uint32_t read(Device& device, std::uint32_t offset, Cycle now = 0) {
  std::uint32_t value = 0;
  REQUIRE(device.read(offset, now, value));
  return value;
}

constexpr std::uint32_t bit(Source source) {
  return 1U << static_cast<unsigned>(source);
}

}  // namespace

TEST_CASE("Interrupt controller: pending, enable, claim, clear, raise", "[controller][devices]") {
  Lines lines;
  InterruptController ic(lines.line());
  ic.raise(Source::kRoot, 5);
  REQUIRE(lines.changes == 0);  // not enabled
  REQUIRE(read(ic, reg::kInterruptsPending) == bit(Source::kRoot));
  REQUIRE(read(ic, reg::kInterruptsClaim) == reg::kInterruptNone);
  REQUIRE_THAT(ic.describe(), Contains("ROOT raised 1 times, last in cycle 5, pending but not enabled"));
  REQUIRE(ic.write(reg::kInterruptsEnable, bit(Source::kRoot) | bit(Source::kProgress), 6));
  REQUIRE(lines.level[riscv::Interrupt::kExternal]);
  ic.raise(Source::kProgress, 7);
  REQUIRE(ic.peek(reg::kInterruptsClaim, 8) == static_cast<unsigned>(Source::kProgress));
  REQUIRE(read(ic, reg::kInterruptsClaim) == static_cast<unsigned>(Source::kProgress));  // the lowest first
  REQUIRE(lines.level[riscv::Interrupt::kExternal]);
  REQUIRE(read(ic, reg::kInterruptsClaim) == static_cast<unsigned>(Source::kRoot));
  REQUIRE_FALSE(lines.level[riscv::Interrupt::kExternal]);
  REQUIRE(read(ic, reg::kInterruptsPending) == 0);
  REQUIRE(ic.write(reg::kInterruptsRaise, bit(Source::kRoot), 9));
  REQUIRE(lines.level[riscv::Interrupt::kExternal]);
  REQUIRE(ic.write(reg::kInterruptsClear, bit(Source::kRoot), 9));
  REQUIRE_FALSE(lines.level[riscv::Interrupt::kExternal]);
  REQUIRE_FALSE(ic.write(reg::kInterruptsEnable, 1U << 31, 9));
  REQUIRE_THAT(ic.refusal(), Contains("no such interrupt sources"));
  REQUIRE(ic.write(reg::kInterruptsSoftware, 1, 9));
  REQUIRE(lines.level[riscv::Interrupt::kSoftware]);
  REQUIRE(read(ic, reg::kInterruptsSoftware) == 1);
}

TEST_CASE("Timer: the interrupt is a level of time against compare", "[controller][devices]") {
  Lines lines;
  std::vector<Cycle> asked;
  Timer timer(lines.line(), [&asked](Cycle at) { asked.push_back(at); });
  REQUIRE(read(timer, reg::kTimerTimeLow, 0x1234567890) == 0x34567890);
  REQUIRE(read(timer, reg::kTimerTimeHigh, 0x1234567890) == 0x12);
  REQUIRE(timer.write(reg::kTimerCompareHigh, 0, 100));
  REQUIRE(timer.write(reg::kTimerCompareLow, 500, 100));
  REQUIRE(asked.back() == 500);
  REQUIRE(lines.changes == 0);
  timer.reached(499);
  REQUIRE(lines.changes == 0);
  timer.reached(500);
  REQUIRE(lines.level[riscv::Interrupt::kTimer]);
  REQUIRE(timer.write(reg::kTimerCompareLow, 900, 510));
  REQUIRE_FALSE(lines.level[riscv::Interrupt::kTimer]);
  REQUIRE(asked.back() == 900);
  REQUIRE(timer.write(reg::kTimerCompareLow, 510, 510));  // at once
  REQUIRE(lines.level[riscv::Interrupt::kTimer]);
  REQUIRE(asked.back() == kNever);
}

TEST_CASE("Mailbox: words travel, arrive in order, and do not overflow an inbox", "[controller][devices]") {
  Lines lines_a, lines_b;
  InterruptController ia(lines_a.line()), ib(lines_b.line());
  Cycle due = kNever;
  Mailbox a(0, 8, ia, [](Cycle) {}), b(1, 8, ib, [&due](Cycle at) { due = at; });
  a.connect({&a, &b});
  b.connect({&a, &b});
  REQUIRE_FALSE(a.write(reg::kMailboxTo, 2, 0));
  REQUIRE_THAT(a.refusal(), Contains("no column 2 of 2"));
  std::uint32_t value = 0;
  REQUIRE_FALSE(b.read(reg::kMailboxReceive, 0, value));
  REQUIRE(a.write(reg::kMailboxTo, 1, 0));
  REQUIRE(a.write(reg::kMailboxSend, 77, 100));
  REQUIRE(a.write(reg::kMailboxSend, 78, 101));
  REQUIRE(due == 108);
  b.deliver(107);
  REQUIRE(read(b, reg::kMailboxCount) == 0);
  b.deliver(108);
  REQUIRE(read(b, reg::kMailboxCount) == 1);
  REQUIRE(due == 109);
  REQUIRE((read(ib, reg::kInterruptsPending) & bit(Source::kMailbox)) != 0);
  b.deliver(109);
  REQUIRE(b.peek(reg::kMailboxReceive, 109) == 77);
  REQUIRE(read(b, reg::kMailboxFrom) == 0);
  REQUIRE(read(b, reg::kMailboxReceive) == 77);
  REQUIRE((read(ib, reg::kInterruptsPending) & bit(Source::kMailbox)) != 0);
  REQUIRE(read(b, reg::kMailboxReceive) == 78);
  REQUIRE((read(ib, reg::kInterruptsPending) & bit(Source::kMailbox)) == 0);
  for (std::uint32_t k = 0; k < reg::kMailboxDepth; ++k) REQUIRE(a.write(reg::kMailboxSend, k, 200));
  REQUIRE(read(a, reg::kMailboxStatus) == reg::kMailboxStatusSent);
  REQUIRE(a.write(reg::kMailboxSend, 1000, 200));
  REQUIRE(read(a, reg::kMailboxStatus) == reg::kMailboxStatusFull);
  b.deliver(300);
  for (std::uint32_t k = 0; k < reg::kMailboxDepth; ++k) REQUIRE(read(b, reg::kMailboxReceive) == k);
  REQUIRE(read(b, reg::kMailboxCount) == 0);  // the 65th was not sent
}

TEST_CASE("Console and exit", "[controller][devices]") {
  std::vector<std::string> lines;
  Console console([&lines](const std::string& line) { lines.push_back(line); });
  for (const char c : std::string("one\n\ntwo"))
    console.write(reg::kConsoleData, static_cast<std::uint32_t>(c), 0);
  REQUIRE(lines == std::vector<std::string>{"one", ""});
  console.flush();
  console.flush();
  REQUIRE(lines == std::vector<std::string>{"one", "", "two"});
  ExitDevice::End end;
  ExitDevice exit([&end](const ExitDevice::End& e) { end = e; });
  exit.write(reg::kExitCode, 7, 12);
  REQUIRE((!end.fault && end.code == 7 && end.at == 12));
  exit.write(reg::kExitFault, 5, 13);
  REQUIRE((end.fault && end.code == 5 && end.at == 13));
}

TEST_CASE("Registers of the fabric", "[controller][devices]") {
  test::FakeFabric fabric;
  Lines lines;
  InterruptController ic(lines.line());
  DescriptorQueue queue(fabric, ic);
  REQUIRE(queue.write(reg::kQueueLayer, 3, 0));
  REQUIRE(queue.write(reg::kQueueSegment, 17, 0));
  REQUIRE(queue.write(reg::kQueueTokens, 64, 0));
  REQUIRE(queue.write(reg::kQueueFetchCompute, 2, 9));
  REQUIRE(fabric.sent.size() == 1);
  REQUIRE(fabric.sent[0].row == 2);
  REQUIRE(fabric.sent[0].descriptor.operation == Operation::kFetchCompute);
  REQUIRE((fabric.sent[0].descriptor.layer == 3 && fabric.sent[0].descriptor.segment == 17 &&
           fabric.sent[0].descriptor.tokens == 64));
  REQUIRE(read(queue, reg::kQueueStatus) == reg::kQueueStatusSent);
  fabric.accepts = false;
  REQUIRE(queue.write(reg::kQueuePrefetch, 1, 9));
  REQUIRE(read(queue, reg::kQueueStatus) == reg::kQueueStatusRefused);
  REQUIRE(read(queue, reg::kQueueRefused) == 1);
  REQUIRE((read(ic, reg::kInterruptsPending) & bit(Source::kRefused)) != 0);
  REQUIRE_FALSE(queue.write(reg::kQueueBeginLayer, fabric.id.rows, 9));
  REQUIRE_THAT(queue.refusal(), Contains("no row 4 of 4"));
  // What is kept back leaves in one cycle, and no more than the depth is.
  fabric.accepts = true;
  REQUIRE(queue.write(reg::kQueueHold, 1, 10));
  for (std::uint32_t k = 0; k < reg::kQueueDepth; ++k)
    REQUIRE(queue.write(reg::kQueueFetchCompute, k % 4, 20));
  REQUIRE(fabric.sent.size() == 2);
  REQUIRE_FALSE(queue.write(reg::kQueueFetchCompute, 0, 20));
  REQUIRE_THAT(queue.refusal(), Contains("full"));
  REQUIRE(queue.write(reg::kQueueHold, 0, 33));
  REQUIRE(fabric.sent.size() == 2 + reg::kQueueDepth);
  REQUIRE((fabric.sent.back().at == 33 && fabric.sent.back().row == 3));

  Schedule schedule(fabric);
  REQUIRE(read(schedule, reg::kScheduleLayers) == 2);
  REQUIRE(schedule.write(reg::kSchedulePosition, 1, 0));
  REQUIRE(read(schedule, reg::kScheduleLayerNumber) == 11);
  REQUIRE(schedule.write(reg::kScheduleRow, 3, 0));
  REQUIRE(schedule.write(reg::kScheduleIndex, 5, 0));
  REQUIRE(read(schedule, reg::kScheduleItems) == 30);
  REQUIRE(read(schedule, reg::kScheduleSegment) == 305);
  REQUIRE(read(schedule, reg::kScheduleTokens) == 16);
  REQUIRE(schedule.write(reg::kSchedulePrefetchIndex, 2, 0));
  REQUIRE(read(schedule, reg::kSchedulePrefetchSegment) == 102);
  REQUIRE_FALSE(schedule.write(reg::kScheduleComplete, 0, 0));
  REQUIRE(schedule.refusal() == "tile 1 is busy");

  TileStatus tiles(fabric);
  const std::uint32_t stride = block_info("Tile").stride;
  REQUIRE(read(tiles, 2 * stride + reg::kTileSegmentsDone) == 202);
  REQUIRE(read(tiles, 3 * stride + reg::kTilePartsMissing) == 303);

  HomeResolver takv(fabric);
  REQUIRE(takv.write(reg::kTakvLayer, 2, 0));
  REQUIRE(takv.write(reg::kTakvSegment, 5, 0));
  REQUIRE(read(takv, reg::kTakvHomeColumn) == 2);
  REQUIRE(read(takv, reg::kTakvHomeRow) == 5);
  REQUIRE(takv.write(reg::kTakvLayer, 99, 0));
  std::uint32_t value = 0;
  REQUIRE_FALSE(takv.read(reg::kTakvHomeRow, 0, value));
  REQUIRE_THAT(takv.refusal(), Contains("no block (99, 5)"));
}
