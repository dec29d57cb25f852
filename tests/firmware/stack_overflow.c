/* Recurses until the stack is used up. */
#include "hal.h"

static volatile uint32_t depth;

__attribute__((noinline)) static uint32_t deeper(uint32_t n) {
  volatile uint32_t here[16];
  here[n % 16] = n;
  depth = n;
  if (depth == ~0u) return 0;
  return deeper(n + 1) + here[n % 16];
}

int main(void) { return (int)deeper(0); }
