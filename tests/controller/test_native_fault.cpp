// What natively compiled firmware must not do ends it, and not the simulation.
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <ctime>

#include "models/controller/native_fault.h"

using namespace meshkv::controller;
using Catch::Matchers::Contains;

#if !defined(__SANITIZE_ADDRESS__)

namespace {

volatile int zero = 0;
volatile int* volatile null = nullptr;
void (*volatile no_function)() = nullptr;

int deeper(volatile int* n) {
  volatile int big[4096];
  big[0] = *n;
  if (big[0] != 0) return 0;  // never
  return deeper(big) + big[0];
}

NativeFault fault_of(void (*program)(const void*)) {
  NativeGuard guard;
  REQUIRE_FALSE(guard.run(program, nullptr));
  return guard.fault();
}

}  // namespace

TEST_CASE("A program that returns has no fault", "[controller][native]") {
  int runs = 0;
  NativeGuard guard;
  REQUIRE(guard.run([](const void* n) { ++*static_cast<int*>(const_cast<void*>(n)); }, &runs));
  REQUIRE(runs == 1);
}

TEST_CASE("Faults of a program end it, one after the other", "[controller][native]") {
  for (int again = 0; again < 2; ++again) {
    const NativeFault null_pointer = fault_of([](const void*) { *null = 1; });
    REQUIRE(null_pointer.signal == SIGSEGV);
    REQUIRE(null_pointer.address == 0);
    REQUIRE_FALSE(null_pointer.calls.empty());
    const NativeFault null_call = fault_of([](const void*) { no_function(); });
    REQUIRE_THAT(describe_fault(null_call),
                 Contains("a call through a null pointer, of address 0x0 (SIGSEGV)"));
    REQUIRE(fault_of([](const void*) { zero = 1000 / zero; }).signal == SIGFPE);
    REQUIRE(fault_of([](const void*) { std::abort(); }).signal == SIGABRT);
    REQUIRE(fault_of([](const void*) { __builtin_trap(); }).signal == SIGILL);
  }
  const NativeFault full = fault_of([](const void*) { zero = deeper(&zero); });
  REQUIRE(full.signal == SIGSEGV);
  REQUIRE_THAT(describe_fault(full), Contains("the stack is full (SIGSEGV)"));
}

TEST_CASE("A program that computes for ever is ended, one that calls the simulation is not",
          "[controller][native]") {
  NativeGuard::patience_seconds = 0.05;
  const NativeFault endless = fault_of([](const void*) {
    while (zero == 0) {
    }
  });
  REQUIRE(endless.signal == 0);
  REQUIRE_FALSE(endless.calls.empty());
  NativeGuard guard;
  REQUIRE(guard.run(
      [](const void* g) {
        const std::clock_t begin = std::clock();
        while (std::clock() - begin < CLOCKS_PER_SEC / 4)
          const NativeGuard::Outside outside(*static_cast<NativeGuard*>(const_cast<void*>(g)));
      },
      &guard));
}

#endif
