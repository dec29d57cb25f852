/* Drives whole decode steps. */
#include <stddef.h>

#include "console.h"
#include "hal.h"
#include "layer_driver.h"

int main(void) {
  layers_init();
  drive_layers(NULL);
  const uint32_t resent = descriptors_resent();
  if (resent != 0) print("%u descriptors were sent again\n", resent);
  return 0;
}
