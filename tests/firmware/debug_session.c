/* For a debugger's session: ticks of the timer, a call whose result goes to a register of the fabric, a sleep that only
   the debugger ends, the end with a code that it has changed. */
#include "console.h"
#include "hal.h"

static volatile uint32_t ticks;
static volatile bool released;

static void on_tick(void) {
  ticks++;
  hal_set_timer(ticks < 3 ? hal_cycles() + 500 : UINT64_MAX);
}

__attribute__((noinline)) static uint32_t twice(uint32_t n) { return n + n + ticks - ticks; }

/* Called from the debugger: the tick that it asks for ends the sleep. */
__attribute__((noinline, used, retain)) static void release(void) {
  released = true;
  hal_set_timer(0);
}

int main(void) {
  hal_set_handler(HAL_TIMER, on_tick);
  hal_set_timer(500);
  while (ticks < 3) hal_wait();
  uint32_t sum = twice(21);
  write_register(MAILBOX_BARRIER, sum);
  print("asleep after %u ticks\n", ticks);
  while (!released) hal_wait();
  print("released\n");
  return (int)read_register(MAILBOX_BARRIER);
}
