#include "interrupts.h"

#include <stddef.h>

#include "hal.h"

static void (*handlers[32])(void);
static uint32_t enabled;

static void claim_all(void) {
  for (;;) {
    const uint32_t source = read_register(INTERRUPTS_CLAIM);
    if (source == INTERRUPT_NONE) return;
    handlers[source]();
  }
}

void interrupts_set_handler(uint32_t source, void (*handler)(void)) {
  handlers[source] = handler;
  enabled = handler != NULL ? enabled | 1u << source : enabled & ~(1u << source);
  write_register(INTERRUPTS_ENABLE, enabled);
  hal_set_handler(HAL_EXTERNAL, claim_all);
}
