/* Drives whole decode steps. */
#include <stddef.h>

#include "console.h"
#include "hal.h"
#include "layer_driver.h"

int main(void) {
  layers_init();
  const uint32_t layers = layers_total();
  for (uint32_t k = 0; k < layers; k++) {
    wait_for_layer(k, NULL);
    drive_layer(k);
  }
  const uint32_t resent = descriptors_resent();
  if (resent != 0) print("%u descriptors were sent again\n", resent);
  return 0;
}
