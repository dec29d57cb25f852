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
  const uint32_t layers = layers_total();
  for (uint32_t k = 0; k < layers; k++) {
    wait_for_layer(k, decide);
    drive_layer(k);
  }
  return 0;
}
