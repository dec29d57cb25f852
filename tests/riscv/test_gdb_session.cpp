// The protocol without a socket: what GDB sends, packet by packet, and what it must get.
#include <catch2/catch.hpp>
#include <random>

#include "models/riscv/gdb/session.h"
#include "tests/riscv/bench_hart.h"

using namespace meshkv;
using namespace meshkv::test;
using namespace meshkv::test::encode;
using namespace meshkv::riscv::gdb;
using Catch::Matchers::Contains;
using riscv::StopReason;

namespace {

/// Two harts that count in a0.
class TwoHarts : public Target {
 public:
  TwoHarts() {
    Program p;
    p << addi(a0, a0, 1) << sw(a0, a1, 0) << jal(zero, -8);
    for (std::uint32_t k = 0; k < 2; ++k) {
      riscv::HartConfig config;
      config.hart_id = k;
      benches.push_back(std::make_unique<BenchHart>(p, config));
      benches[k]->hart.set_reg(a1, kRam + 0x100);
    }
  }
  unsigned harts() const override { return 2; }
  riscv::Hart& hart(unsigned k) override { return benches[k]->hart; }
  std::string hart_name(unsigned k) const override { return "hart_" + std::to_string(k); }
  std::string describe(unsigned) const override { return "runs"; }
  std::string report(unsigned k) const override { return "report of " + std::to_string(k) + "\n"; }
  std::uint64_t cycle() const override { return 42; }
  bool read(unsigned k, std::uint32_t address, std::uint8_t* data, std::uint32_t bytes) override {
    if (address - kRam >= 4096 || bytes > 4096 - (address - kRam)) return false;
    std::copy_n(benches[k]->ram.begin() + (address - kRam), bytes, data);
    return true;
  }
  bool write(unsigned k, std::uint32_t address, const std::uint8_t* data, std::uint32_t bytes) override {
    if (address - kRam >= 4096 || bytes > 4096 - (address - kRam)) return false;
    std::copy_n(data, bytes, benches[k]->ram.begin() + (address - kRam));
    benches[k]->hart.invalidate_code();
    return true;
  }
  std::vector<std::unique_ptr<BenchHart>> benches;
};

struct Talk {
  std::string ask(const std::string& packet) {
    const Reaction r = session.handle(packet);
    REQUIRE(r.next == Reaction::Next::kStay);
    REQUIRE(r.answers);
    return r.answer;
  }
  TwoHarts target;
  Session session{target};
};

}  // namespace

TEST_CASE("The packets of gdb-multiarch 13.1 at its start", "[riscv][gdb]") {
  Talk t;
  REQUIRE_THAT(
      t.ask("qSupported:multiprocess+;swbreak+;xmlRegisters=i386"),
      Contains("qXfer:features:read+") && Contains("QStartNoAckMode+") && Contains("vContSupported+"));
  REQUIRE(t.ask("vMustReplyEmpty").empty());
  REQUIRE(t.session.acknowledges());
  REQUIRE(t.ask("QStartNoAckMode") == "OK");
  REQUIRE_FALSE(t.session.acknowledges());
  REQUIRE(t.ask("Hg0") == "OK");
  REQUIRE(t.ask("qTStatus").empty());
  REQUIRE(t.ask("?") == "T05thread:1;");
  REQUIRE(t.ask("qAttached") == "1");
  REQUIRE(t.ask("Hc-1") == "OK");
  REQUIRE(t.ask("qOffsets") == "Text=0;Data=0;Bss=0");
  REQUIRE(t.ask("qSymbol::") == "OK");
  REQUIRE(t.ask("vCont?") == "vCont;c;C;s;S");
  REQUIRE(t.ask("qC") == "QC1");
  REQUIRE(t.ask("qfThreadInfo") == "m1,2");
  REQUIRE(t.ask("qsThreadInfo") == "l");
  REQUIRE(t.ask("T2") == "OK");
  REQUIRE(t.ask("T3") == "E01");
  for (const char* unknown :
       {"qTfV", "qL1160000000000000000", "vRun;", "!", "jThreadsInfo", "", "Zx", "qXfer:auxv:read::0,10"})
    REQUIRE((t.ask(unknown).empty() || t.ask(unknown) == "E01"));
}

TEST_CASE("Target description and threads come in parts", "[riscv][gdb]") {
  Talk t;
  std::string document;
  for (;;) {
    char request[64];
    std::snprintf(request, sizeof request, "qXfer:features:read:target.xml:%zx,7b", document.size());
    const std::string part = t.ask(request);
    document += part.substr(1);
    if (part[0] == 'l') break;
    REQUIRE(part[0] == 'm');
    REQUIRE(part.size() == 0x7c);
  }
  REQUIRE_THAT(document,
               Contains("riscv:rv32") && Contains("org.gnu.gdb.riscv.cpu") && Contains("\"mcause\"") &&
                   Contains("<reg name=\"pc\" bitsize=\"32\" regnum=\"32\"") && Contains("</target>"));
  REQUIRE_THAT(t.ask("qXfer:threads:read::0,1000"), Contains("id=\"2\" core=\"1\" name=\"hart_1\""));
  REQUIRE(t.ask("qXfer:features:read:target.xml:ffffff,10") == "l");
  REQUIRE(t.ask("qXfer:features:read:other.xml:0,10") == "E00");
}

TEST_CASE("Registers of the selected thread, CSRs behind pc", "[riscv][gdb]") {
  Talk t;
  t.target.hart(1).set_reg(a0, 0x11223344);
  REQUIRE(t.ask("Hg2") == "OK");
  const std::string all = t.ask("g");
  REQUIRE(all.size() == 33 * 8);
  REQUIRE(all.substr(10 * 8, 8) == "44332211");
  REQUIRE(all.substr(32 * 8, 8) == "00000080");
  REQUIRE(t.ask("pa") == "44332211");
  REQUIRE(t.ask("Pa=78563412") == "OK");
  REQUIRE(t.target.hart(1).reg(a0) == 0x12345678);
  REQUIRE(t.ask("P20=10000080") == "OK");
  REQUIRE(t.target.hart(1).pc() == kRam + 16);
  REQUIRE(t.ask("P0=ffffffff") == "OK");
  REQUIRE(t.target.hart(1).reg(0) == 0);
  REQUIRE(t.ask("P25=55aa0000") == "OK");  // mscratch, the fifth CSR
  REQUIRE(t.ask("p25") == "55aa0000");
  REQUIRE(t.ask("pff") == "E01");
  REQUIRE(t.ask("P22=00000000") == "OK");  // misa: written, and unchanged
  REQUIRE(t.ask("G" + std::string(33 * 8, '0')) == "OK");
  REQUIRE(t.target.hart(1).reg(a0) == 0);
  REQUIRE(t.target.hart(0).pc() == kRam);
}

TEST_CASE("Memory of the selected thread, in hexadecimal and binary", "[riscv][gdb]") {
  Talk t;
  REQUIRE(t.ask("M80000100,4:0a0b0c0d") == "OK");
  REQUIRE(t.ask("m80000100,4") == "0a0b0c0d");
  REQUIRE(t.ask("X80000100,0:") == "OK");
  REQUIRE(t.ask(std::string("X80000100,3:\0#}", 15)) == "OK");
  REQUIRE(t.ask("m80000100,4") == "00237d0d");
  REQUIRE(t.ask("Hg2") == "OK");
  REQUIRE(t.ask("m80000100,4") == "00000000");  // a memory of its own
  REQUIRE(t.ask("m70000000,4") == "E01");
  REQUIRE(t.ask("M80000100,4:0a0b") == "E01");
  REQUIRE(t.ask("mxyz") == "E01");
}

TEST_CASE("Breakpoints hold for all harts; stops name the thread", "[riscv][gdb]") {
  Talk t;
  REQUIRE(t.ask("Z0,80000004,4") == "OK");
  Reaction r = t.session.handle("vCont;c");
  REQUIRE(r.next == Reaction::Next::kResume);
  REQUIRE_FALSE(r.answers);
  REQUIRE(t.session.actions() == std::vector<Action>{Action::kContinue, Action::kContinue});
  REQUIRE(t.target.hart(1).run(100).reason == StopReason::kBreakpoint);
  REQUIRE(t.session.stopped(1, StopReason::kBreakpoint) == "T05thread:2;");
  REQUIRE(t.ask("?") == "T05thread:2;");
  REQUIRE(t.ask("qC") == "QC2");
  REQUIRE(t.target.hart(0).run(100).reason == StopReason::kBreakpoint);
  REQUIRE(t.ask("z0,80000004,4") == "OK");
  REQUIRE(t.target.hart(0).run(100).reason == StopReason::kBudget);
  REQUIRE(t.ask("Z1,80000004,4") == "OK");
  t.session.clear();
  REQUIRE(t.target.hart(0).run(100).reason == StopReason::kBudget);
}

TEST_CASE("Watchpoints are reported as GDB needs them", "[riscv][gdb]") {
  struct Case {
    const char* packet;
    const char* stop;
  };
  for (const Case& c : {Case{"Z2,80000100,4", "T05watch:80000100;thread:1;"},
                        Case{"Z4,80000102,1", "T05awatch:80000102;thread:1;"}}) {
    Talk t;
    REQUIRE(t.ask(c.packet) == "OK");
    REQUIRE(t.ask(c.packet) == "OK");
    t.session.handle("vCont;c");
    REQUIRE(t.target.hart(0).run(100).reason == StopReason::kWatchpoint);
    REQUIRE(t.session.stopped(0, StopReason::kWatchpoint) == c.stop);
    REQUIRE(t.ask("z" + std::string(c.packet).substr(1)) == "OK");
    REQUIRE(t.target.hart(0).run(100).reason == StopReason::kBudget);
  }
  Talk t;
  REQUIRE(t.ask("Z2,10000000,ffffffff") == "E01");
  REQUIRE(t.ask("Z2,180000100,4") == "E01");
  REQUIRE(t.ask("Z3,80000100,4") == "OK");  // nobody reads it
  REQUIRE(t.target.hart(0).run(100).reason == StopReason::kBudget);
}

TEST_CASE("Each thread gets its own action, the first that names it", "[riscv][gdb]") {
  Talk t;
  const auto actions = [&](const std::string& packet) {
    REQUIRE(t.session.handle(packet).next == Reaction::Next::kResume);
    return t.session.actions();
  };
  using List = std::vector<Action>;
  REQUIRE(actions("vCont;s:2;c") == List{Action::kContinue, Action::kStep});
  REQUIRE(actions("vCont;c:1") == List{Action::kContinue, Action::kHold});
  REQUIRE(t.session.stopped(1, StopReason::kBreakpoint) == "T05thread:1;");  // only what ran may be named
  REQUIRE(actions("vCont;c:-1") == List{Action::kContinue, Action::kContinue});
  REQUIRE(t.session.interrupted() == "T02thread:1;");
  REQUIRE(actions("vCont;C05:2") == List{Action::kHold, Action::kContinue});
  REQUIRE(t.session.interrupted() == "T02thread:2;");
  REQUIRE(actions("c") == List{Action::kContinue, Action::kContinue});
  REQUIRE(actions("s") == List{Action::kHold, Action::kStep});
  REQUIRE(actions("c80000008") == List{Action::kContinue, Action::kContinue});
  REQUIRE(t.target.hart(1).pc() == kRam + 8);
  REQUIRE(t.ask("vCont;x") == "E01");
  REQUIRE(t.ask("vCont;c:9") == "E01");
  REQUIRE(t.session.stopped(0, StopReason::kLockup) == "T0bthread:1;");
}

TEST_CASE("monitor, detach and kill", "[riscv][gdb]") {
  Talk t;
  const auto monitor = [&](const std::string& command) {
    std::string hex;
    for (const char c : command) {
      char text[4];
      std::snprintf(text, sizeof text, "%02x", static_cast<unsigned>(c));
      hex += text;
    }
    const std::string answer = t.ask("qRcmd," + hex);
    std::string text;
    for (std::size_t k = 0; k < answer.size(); k += 2)
      text += static_cast<char>(std::stoi(answer.substr(k, 2), nullptr, 16));
    return text;
  };
  REQUIRE_THAT(monitor("help"), Contains("monitor harts"));
  REQUIRE_THAT(monitor("harts"), Contains("2  hart_1  runs"));
  REQUIRE(monitor("report") == "report of 0\n");
  REQUIRE(monitor("time") == "cycle 42\n");
  REQUIRE_THAT(monitor("fly"), Contains("unknown: fly") && Contains("monitor help"));
  REQUIRE(t.session.handle("D").next == Reaction::Next::kDetach);
  REQUIRE(t.session.handle("vKill;1").next == Reaction::Next::kKill);
  REQUIRE(t.session.handle("k").next == Reaction::Next::kKill);
}

TEST_CASE("Any packet at all is answered or resumes", "[riscv][gdb]") {
  Talk t;
  std::mt19937 random(11);
  const std::string alphabet = "?qQHgTGpPmMXZzcsCSDkv0123456789abcdef,:;=-#.";
  for (int round = 0; round < 20000; ++round) {
    std::string packet;
    for (std::uint32_t length = static_cast<std::uint32_t>(random() % 24); length > 0; --length)
      packet += alphabet[random() % alphabet.size()];
    const Reaction r = t.session.handle(packet);
    REQUIRE((r.answers || r.next != Reaction::Next::kStay));
  }
}
