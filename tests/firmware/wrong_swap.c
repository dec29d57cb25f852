/* Proposes to swap a block with itself when it is asked. */
#include "hal.h"
#include "interrupts.h"
#include "layer_driver.h"

static void on_swaps(void) {}

__attribute__((noinline)) static void propose(uint32_t segment) {
  write_register(SWAPS_SEGMENT, segment);
  write_register(SWAPS_PROPOSE, segment);
}

static void decide(void) {
  if (read_register(SWAPS_ASKED) != 0) propose(3);
}

int main(void) {
  layers_init();
  interrupts_set_handler(INTERRUPT_SWAPS, on_swaps);
  drive_layers(decide);
  return 0;
}
