/* Says where it is. */
#include "console.h"
#include "hal.h"

int main(void) {
  print("hello from column %u of %u, %u rows, %u kHz\n", read_register(IDENTITY_COLUMN),
        read_register(IDENTITY_COLUMNS), read_register(IDENTITY_ROWS), read_register(IDENTITY_CLOCK_KHZ));
  return 0;
}
