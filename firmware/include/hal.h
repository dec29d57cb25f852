/* What a program needs of its processor, the same on a hart and natively: registers, interrupts, time, the
 * end. */
#ifndef MESHKV_HAL_H
#define MESHKV_HAL_H

#include <stdbool.h>
#include <stdint.h>

#include "meshkv_registers.h"

int main(void); /* the program; natively the compiler is told to call it firmware_main */

/* ---- registers (meshkv_registers.h) */
#ifdef MESHKV_NATIVE
uint32_t read_register(uint32_t address);
void write_register(uint32_t address, uint32_t value);
#else
static inline uint32_t read_register(uint32_t address) {
  return *(volatile uint32_t*)address;
}
static inline void write_register(uint32_t address, uint32_t value) {
  *(volatile uint32_t*)address = value;
}
#endif
/* The same where a bus error may answer, which ends the program otherwise. False: it did. */
bool probe_read(uint32_t address, uint32_t* value);
bool probe_write(uint32_t address, uint32_t value);

/* ---- interrupts. A handler runs with interrupts off; one that is null leaves its interrupt disabled. */
typedef void (*hal_handler)(void);
enum hal_line { HAL_SOFTWARE = 3, HAL_TIMER = 7, HAL_EXTERNAL = 11 };
void hal_set_handler(enum hal_line line, hal_handler handler);
/* All interrupts off; returns whether they were on, for hal_interrupts_restore(). */
bool hal_interrupts_off(void);
void hal_interrupts_restore(bool on);
/* To be called with interrupts off, after looking at what is waited for: sleeps until an interrupt is pending
   and lets its handler run. Interrupts are off again when it returns. */
void hal_wait(void);

/* ---- time */
uint64_t hal_cycles(void);
/* The timer's handler is called at that cycle; UINT64_MAX: never. */
void hal_set_timer(uint64_t cycle);

/* ---- the end */
void hal_exit(int code) __attribute__((noreturn));
/* Ends the program with code 255 after a line of text. */
void hal_fail(const char* what) __attribute__((noreturn));

#endif
