#include <catch2/catch.hpp>

#include "tests/riscv/module_bench.h"

using namespace meshkv;
using namespace meshkv::test;
using namespace meshkv::test::encode;
using riscv::Interrupt;
using riscv::StopReason;

namespace {

constexpr std::uint32_t kStart = 0x80000000;
constexpr std::uint32_t kHandler = kStart + 0x200;

/// Enables all interrupts, then counts in a0 for ever; the handler stores mepc and a0 to the device and
/// stays.
Program counting() {
  Program p;
  p << li(a1, kWords) << li(t0, kHandler) << csrrw(zero, 0x305, t0) << li(t0, 0x888) << csrrw(zero, 0x304, t0)
    << csrrwi(zero, 0x300, 8);
  p << addi(a0, a0, 1) << addi(a0, a0, 1) << addi(a0, a0, 1) << jal(zero, -12);
  p.at(0x200) << csrrs(t1, 0xb02, zero) << csrrs(t0, 0x341, zero) << sw(t0, a1, 0) << sw(a0, a1, 4)
              << sw(t1, a1, 8) << jal(zero, 0);
  return p;
}
constexpr std::uint64_t kSetup = 9;  ///< instructions before the loop

struct Listener : riscv::HartListener {
  void hart_stopped(riscv::HartModule&, StopReason r) override {
    reason = r;
    ++calls;
  }
  StopReason reason = StopReason::kBudget;
  int calls = 0;
};

void counts_alike(std::uint64_t quantum) {
  ModuleBench bench(quantum);
  Program p;
  // A loop that polls a device and works: 500 rounds, then it stores what it counted and stops.
  p << li(a1, kWords) << li(a2, 500) << lw(t0, a1, 0) << add(a0, a0, t0) << mul(a3, a0, a2)
    << addi(a2, a2, -1) << bne(a2, zero, -16) << csrrs(t1, 0xb02, zero) << csrrs(t2, 0xb00, zero)
    << sw(t1, a1, 4) << sw(t2, a1, 8) << sw(a0, a1, 12) << jal(zero, 0);
  bench.device().words[0] = 3;
  bench.device().extra_cycles = 2;
  bench.device().on_access = [&](const WordDevice::Access& a) {
    if (a.write && a.index == 3) bench.module().request_stop();
  };
  Listener listener;
  bench.module().set_listener(&listener);
  bench.module().load(image_of(p));
  bench.run(100000);
  INFO("quantum " << quantum);
  REQUIRE(listener.calls == 1);
  REQUIRE(listener.reason == StopReason::kRequested);
  REQUIRE(bench.module().stopped());
  REQUIRE(bench.device().words[1] == 4 + 500 * 5);
  REQUIRE(bench.device().words[2] == 4 + 500 * 7 + 1);
  REQUIRE(bench.device().words[3] == 1500);
  REQUIRE(bench.module().statistics().instructions == 4 + 500 * 5 + 5);
  // The device has been asked at the hart's own time.
  for (std::size_t k = 0; k < 500; ++k) REQUIRE(bench.device().accesses[k].cycle == 4 + 7 * k);
}

/// mepc of an interrupt that is raised at `cycle`.
void exact_interrupt(std::uint64_t cycle) {
  ModuleBench bench(1);
  bench.module().load(image_of(counting()));
  bench.at(cycle, [&] { bench.module().set_interrupt(Interrupt::kTimer, true); });
  bench.run(cycle + 40);
  // In the cycle in which the line rises the order of processes decides: before it or behind it.
  const std::uint32_t count = bench.device().words[2];
  REQUIRE((count == cycle || count == cycle + 1));
  const std::uint64_t in_loop = count - kSetup;
  REQUIRE(bench.device().words[0] == kStart + 4 * kSetup + 4 * (in_loop % 4));
  REQUIRE(bench.device().words[1] == 3 * (in_loop / 4) + in_loop % 4);
}

void within_a_quantum(std::uint64_t quantum, std::uint64_t cycle) {
  ModuleBench bench(quantum);
  bench.module().load(image_of(counting()));
  bench.at(cycle, [&] { bench.module().set_interrupt(Interrupt::kExternal, true); });
  bench.run(cycle + 3 * quantum + 40);
  const std::uint32_t count = bench.device().words[2];
  REQUIRE(count >= cycle);
  REQUIRE(count <= cycle + quantum);
}

}  // namespace

TEST_CASE("A hart in SystemC counts alike at a quantum of 1", "[riscv][module]") {
  counts_alike(1);
}
TEST_CASE("A hart in SystemC counts alike at a quantum of 2", "[riscv][module]") {
  counts_alike(2);
}
TEST_CASE("A hart in SystemC counts alike at a quantum of 3", "[riscv][module]") {
  counts_alike(3);
}
TEST_CASE("A hart in SystemC counts alike at a quantum of 7", "[riscv][module]") {
  counts_alike(7);
}
TEST_CASE("A hart in SystemC counts alike at a quantum of 10", "[riscv][module]") {
  counts_alike(10);
}
TEST_CASE("A hart in SystemC counts alike at a quantum of 100", "[riscv][module]") {
  counts_alike(100);
}
TEST_CASE("A hart in SystemC counts alike at a quantum of 1000", "[riscv][module]") {
  counts_alike(1000);
}

TEST_CASE("At a quantum of one cycle an interrupt comes at its cycle: 20", "[riscv][module]") {
  exact_interrupt(20);
}
TEST_CASE("At a quantum of one cycle an interrupt comes at its cycle: 21", "[riscv][module]") {
  exact_interrupt(21);
}
TEST_CASE("At a quantum of one cycle an interrupt comes at its cycle: 22", "[riscv][module]") {
  exact_interrupt(22);
}
TEST_CASE("At a quantum of one cycle an interrupt comes at its cycle: 1003", "[riscv][module]") {
  exact_interrupt(1003);
}
TEST_CASE("An interrupt comes within a quantum of 10", "[riscv][module]") {
  within_a_quantum(10, 123);
}
TEST_CASE("An interrupt comes within a quantum of 100", "[riscv][module]") {
  within_a_quantum(100, 101);
}
TEST_CASE("An interrupt at the very end of a quantum is not lost", "[riscv][module]") {
  within_a_quantum(100, 200);
}
TEST_CASE("An interrupt in the last cycle of a quantum is not lost", "[riscv][module]") {
  within_a_quantum(100, 199);
}
TEST_CASE("An interrupt comes within a quantum of 1000", "[riscv][module]") {
  within_a_quantum(1000, 2500);
}

namespace {

/// WFI in a loop; the handler counts in the device's word 0 and lowers the line there.
Program sleeper() {
  Program p;
  p << li(a1, kWords) << li(t0, kHandler) << csrrw(zero, 0x305, t0) << li(t0, 0x888) << csrrw(zero, 0x304, t0)
    << csrrwi(zero, 0x300, 8) << wfi() << addi(a2, a2, 1) << jal(zero, -8);
  p.at(0x200) << addi(a0, a0, 1) << sw(a0, a1, 0) << mret();
  return p;
}

void wakes(std::uint64_t quantum, const std::vector<std::uint64_t>& cycles) {
  ModuleBench bench(quantum);
  bench.module().load(image_of(sleeper()));
  bench.device().on_access = [&](const WordDevice::Access&) {
    bench.module().set_interrupt(Interrupt::kSoftware, false);
  };
  for (const std::uint64_t cycle : cycles)
    bench.at(cycle, [&] { bench.module().set_interrupt(Interrupt::kSoftware, true); });
  bench.run(100000);
  INFO("quantum " << quantum);
  REQUIRE(bench.device().words[0] == cycles.size());
  for (std::size_t k = 0; k < cycles.size(); ++k) REQUIRE(bench.device().accesses[k].cycle == cycles[k] + 1);
  REQUIRE(bench.module().waiting());
  const auto s = bench.module().statistics();
  REQUIRE(s.interrupts == cycles.size());
  REQUIRE(s.instructions == 10 + 6 * cycles.size());
  REQUIRE(s.cycles == 100000);
  REQUIRE(s.wfi_cycles == s.cycles - s.instructions);
  REQUIRE(s.activations < 20 + 8 * cycles.size());  // sleep is free
  REQUIRE(bench.module().describe().find("waits for an interrupt since cycle") == 0);
}

}  // namespace

TEST_CASE("WFI sleeps and wakes at the interrupt's cycle, quantum 1", "[riscv][module]") {
  wakes(1, {50, 500, 90000});
}
TEST_CASE("WFI sleeps and wakes at the interrupt's cycle, quantum 1000", "[riscv][module]") {
  wakes(1000, {50, 500, 90000});
}

TEST_CASE("An interrupt that comes before the hart's local WFI ends it", "[riscv][module]") {
  // The quantum covers set-up, WFI and more: the hart is at its WFI in local cycle 10 while the kernel is at
  // 0.
  ModuleBench bench(1000);
  bench.module().load(image_of(sleeper()));
  bench.device().on_access = [&](const WordDevice::Access&) {
    bench.module().set_interrupt(Interrupt::kExternal, false);
  };
  bench.at(3, [&] { bench.module().set_interrupt(Interrupt::kExternal, true); });
  bench.run(1000);
  REQUIRE(bench.device().words[0] == 1);
  REQUIRE(bench.device().accesses[0].cycle == 11);  // heard where the hart is, not in its past
}

TEST_CASE("Devices see a hart at its time, and the fabric as it is then", "[riscv][module]") {
  ModuleBench bench(1000);
  Program p;
  p << li(a1, kWords) << lw(t0, a1, 0) << beq(t0, zero, -4) << csrrs(a0, 0xb00, zero) << jal(zero, 0);
  bench.module().load(image_of(p));
  bench.at(777, [&] { bench.device().words[0] = 1; });
  bench.run(2000);
  REQUIRE(bench.module().hart().reg(a0) >= 777);
  REQUIRE(bench.module().hart().reg(a0) <= 777 + 4);
  for (const auto& access : bench.device().accesses)
    REQUIRE(access.value == (access.cycle > 777 ? 1 : access.value));
}

TEST_CASE("Harts that talk through a device keep their order at a large quantum", "[riscv][module]") {
  // Each increments when it is its turn: a ping-pong of 200 rounds through one word that both see.
  ModuleBench bench(1000, 2);
  for (std::uint32_t k = 0; k < 2; ++k) {
    Program p;
    p << li(a1, kWords) << li12(a2, 100);
    p << lw(t0, a1, 0) << andi(t1, t0, 1) << li12(t2, static_cast<std::int32_t>(k)) << bne(t1, t2, -12)
      << addi(t0, t0, 1) << sw(t0, a1, 0) << addi(a2, a2, -1) << bne(a2, zero, -28) << jal(zero, 0);
    bench.module(k).load(image_of(p));
    bench.device(k).on_access = [&bench, k](const WordDevice::Access& a) {
      if (a.write) bench.device(1 - k).words[0] = a.value;
    };
  }
  bench.run(20000);
  REQUIRE(bench.device(0).words[0] == 200);
  REQUIRE(bench.device(1).words[0] == 200);
  std::uint64_t last = 0;
  for (std::size_t k = 0; k < 2; ++k) {
    for (const auto& a : bench.device(k).accesses) {
      if (a.write && k == 0) {
        REQUIRE(a.cycle > last);
        last = a.cycle;
      }
    }
  }
}

TEST_CASE("Direct access that is taken back is asked for again", "[riscv][module]") {
  ModuleBench bench(1000);
  Program p;
  p << li(a1, kWords) << addi(a0, a0, 1) << sw(a0, a1, 0) << jal(zero, -8);
  bench.module().load(image_of(p));
  bench.device().on_access = [&](const WordDevice::Access& a) {
    if (a.value % 10 == 0) bench.module().ram.revoke_dmi();
  };
  bench.at(333, [&] { bench.module().ram.revoke_dmi(); });
  bench.run(3000);
  // None is lost, none comes twice.
  REQUIRE(bench.device().words[0] >= 999);
  REQUIRE(bench.device().words[0] == bench.device().accesses.size());
  REQUIRE(bench.module().hart().reg(a0) - bench.device().words[0] <= 1);
  REQUIRE_FALSE(bench.module().stopped());
}

TEST_CASE("RAM is a target: its direct access ends at its last byte", "[riscv][module]") {
  ModuleBench bench(1);
  riscv::HartModule& hart = bench.module();
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  tlm::tlm_generic_payload p;
  tlm::tlm_dmi dmi;
  p.set_command(tlm::TLM_WRITE_COMMAND);
  p.set_address(8);
  REQUIRE(hart.memory->get_direct_mem_ptr(p, dmi));
  REQUIRE(dmi.get_start_address() == 0);
  REQUIRE(dmi.get_end_address() == 16383);
  REQUIRE(dmi.get_dmi_ptr() == hart.ram.data());
  std::uint32_t word = 0x11223344;
  std::uint8_t enables[2] = {TLM_BYTE_ENABLED, TLM_BYTE_DISABLED};
  p.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
  p.set_data_length(4);
  p.set_streaming_width(4);
  p.set_byte_enable_ptr(enables);
  p.set_byte_enable_length(2);
  sc_core::sc_time delay;
  hart.memory->b_transport(p, delay);
  REQUIRE(p.is_response_ok());
  REQUIRE(hart.ram.data()[8] == 0x44);
  REQUIRE(hart.ram.data()[9] == 0);
  REQUIRE(hart.ram.data()[10] == 0x22);
  p.set_byte_enable_ptr(nullptr);
  p.set_address(16382);
  hart.memory->b_transport(p, delay);
  REQUIRE(p.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  REQUIRE(hart.memory->transport_dbg(p) == 2);
  p.set_address(16384);
  REQUIRE_FALSE(hart.memory->get_direct_mem_ptr(p, dmi));
}

TEST_CASE("A limit of instructions is exact, a lockup is told with its cause", "[riscv][module]") {
  ModuleBench bench(1000, 2);
  Listener limit, lockup;
  bench.module(0).set_listener(&limit);
  bench.module(0).load(image_of(counting()));
  bench.module(0).limit_instructions(12345);
  Program p;
  p << addi(a5, zero, 64) << sw(zero, a5, 4);
  bench.module(1).set_listener(&lockup);
  bench.module(1).load(image_of(p, {{"broken", 0x80000000, 8, 2}}));
  bench.run(100000);
  REQUIRE(limit.calls == 1);
  REQUIRE(limit.reason == StopReason::kBudget);
  REQUIRE(bench.module(0).statistics().instructions == 12345);
  REQUIRE(lockup.reason == StopReason::kLockup);
  const std::string report = bench.module(1).crash_report();
  for (const char* part : {"hart_1, hart 1", "store access fault, mcause 7, mtval 0x00000044", "null pointer",
                           "0x80000004 (broken+0x4)", "a5   00000040", "sw zero, 4(a5)"})
    REQUIRE_THAT(report, Catch::Matchers::Contains(part));
}
