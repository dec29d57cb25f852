/* What is the same on a hart and natively. */
#include "console.h"
#include "hal.h"

uint64_t hal_cycles(void) {
  uint32_t high, low;
  do {
    high = read_register(TIMER_TIME_HIGH);
    low = read_register(TIMER_TIME_LOW);
  } while (read_register(TIMER_TIME_HIGH) != high);
  return (uint64_t)high << 32 | low;
}

void hal_set_timer(uint64_t cycle) {
  /* Never earlier than one of the two. */
  write_register(TIMER_COMPARE_HIGH, ~0u);
  write_register(TIMER_COMPARE_LOW, (uint32_t)cycle);
  write_register(TIMER_COMPARE_HIGH, (uint32_t)(cycle >> 32));
}

void hal_fail(const char* what) {
  print("failed: %s\n", what);
  hal_exit(255);
}
