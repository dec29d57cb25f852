/* Driver of the interrupt controller: a handler a source. */
#ifndef MESHKV_INTERRUPTS_H
#define MESHKV_INTERRUPTS_H

#include <stdint.h>

/* `source`: INTERRUPT_PROGRESS, ...; a null handler disables it. Installs itself as the external interrupt's
 * handler. */
void interrupts_set_handler(uint32_t source, void (*handler)(void));

#endif
