/* Writes to a register that is read-only. */
#include "hal.h"

__attribute__((noinline)) static void rename_column(uint32_t number) {
  write_register(IDENTITY_COLUMN, number);
}

int main(void) {
  rename_column(5);
  return 0;
}
