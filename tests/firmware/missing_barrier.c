/* Column 2 never comes to the second barrier. */
#include "hal.h"
#include "mailbox.h"

__attribute__((noinline)) static void sleep_for_ever(void) {
  for (;;) hal_wait();
}

int main(void) {
  barrier_init();
  barrier_wait();
  if (read_register(IDENTITY_COLUMN) == 2) sleep_for_ever();
  barrier_wait();
  return 0;
}
