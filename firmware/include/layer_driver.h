/* Drives decode steps, as the hardware sequencer does: for each layer, descriptors to the tiles of the column, none
   further than IDENTITY_MAX_LEAD ahead of the slowest tile of the chip, and prefetches to the homes one window before.
   A tile that computes nothing for IDENTITY_TIMEOUT_CYCLES is told again from where it has taken descriptors, and so is
   one that refuses a descriptor: one before it was lost. */
#ifndef MESHKV_LAYER_DRIVER_H
#define MESHKV_LAYER_DRIVER_H

#include <stdint.h>

/* To be called once, before the first layer: takes over the timer, and all interrupts of the fabric but
   INTERRUPT_SWAPS. */
void layers_init(void);
/* All layers of all steps, each up to SCHEDULE_COMPLETE. `meanwhile` is called after each interrupt while the fabric has
   not begun the next one; null: nothing else is to be done. */
void drive_layers(void (*meanwhile)(void));
/* Descriptors that were sent again so far. */
uint32_t descriptors_resent(void);

#endif
