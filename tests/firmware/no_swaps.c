/* Leaves all blocks where they are; column 2 of those with more than four columns never says so. */
#include "hal.h"
#include "interrupts.h"
#include "layer_driver.h"

static void on_swaps(void) {}

static void decide(void) {
  static uint32_t decided;
  if (read_register(SWAPS_ASKED) == decided) return;
  decided++;
  if (read_register(IDENTITY_COLUMNS) <= 4 || read_register(IDENTITY_COLUMN) != 2) write_register(SWAPS_DECIDED, 1);
}

int main(void) {
  layers_init();
  interrupts_set_handler(INTERRUPT_SWAPS, on_swaps);
  drive_layers(decide);
  return 0;
}
