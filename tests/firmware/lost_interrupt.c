/* Clears an interrupt between looking and waiting, as a careless driver does, and waits for it. */
#include "hal.h"
#include "interrupts.h"

static volatile bool came;
static void on_layer(void) { came = true; }

__attribute__((noinline)) static void wait_for_layer(void) {
  while (!came) hal_wait();
}

int main(void) {
  while ((read_register(INTERRUPTS_PENDING) & 1u << INTERRUPT_LAYER) == 0) {
  }
  write_register(INTERRUPTS_CLEAR, 1u << INTERRUPT_LAYER);
  interrupts_set_handler(INTERRUPT_LAYER, on_layer);
  wait_for_layer();
  return 0;
}
