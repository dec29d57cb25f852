/* Driver of the mailbox, and the barrier between the columns that is made of it. */
#ifndef MESHKV_MAILBOX_H
#define MESHKV_MAILBOX_H

#include <stdbool.h>
#include <stdint.h>

/* Sends a word; waits while the inbox there is full. */
void mailbox_send(uint32_t column, uint32_t word);
/* Takes the first word of the inbox. False: there is none. */
bool mailbox_receive(uint32_t* from, uint32_t* word);

/* To be called once, before the first barrier: takes over the mailbox's interrupt. */
void barrier_init(void);
/* Returns when all columns have called it as often as this one. Interrupts are to be off; their handlers run
   while it waits. */
void barrier_wait(void);

#endif
