/* The HAL on a hart. */
#include <stddef.h>

#include "console.h"
#include "hal.h"

enum { MSTATUS_MIE = 8 };

static hal_handler handlers[16];


/* ---- interrupts */

void hal_set_handler(enum hal_line line, hal_handler handler) {
  handlers[line] = handler;
  const uint32_t bit = 1u << line;
  if (handler != NULL)
    __asm__ volatile("csrs mie, %0" ::"r"(bit) : "memory");
  else
    __asm__ volatile("csrc mie, %0" ::"r"(bit) : "memory");
}

bool hal_interrupts_off(void) {
  uint32_t before;
  __asm__ volatile("csrrci %0, mstatus, 8" : "=r"(before)::"memory");
  return (before & MSTATUS_MIE) != 0;
}

void hal_interrupts_restore(bool on) {
  if (on) __asm__ volatile("csrsi mstatus, 8" ::: "memory");
}

void hal_wait(void) {
  /* WFI ends with an interrupt that is pending although all are off; it is taken behind the next instruction. */
  __asm__ volatile("wfi\n\tcsrsi mstatus, 8\n\tnop\n\tcsrci mstatus, 8" ::: "memory");
}

/* Called by the trap entry (crt0.S). */
void hal_interrupt(uint32_t cause);
void hal_interrupt(uint32_t cause) {
  const hal_handler handler = handlers[cause & 15];
  if (handler != NULL) handler();
}

/* ---- bus errors that are expected */

static volatile bool probing;
static volatile bool probe_failed;

/* Called by the trap entry for everything that is not an interrupt; returns where the program goes on. */
uint32_t hal_exception(uint32_t cause, uint32_t pc, uint32_t value);
uint32_t hal_exception(uint32_t cause, uint32_t pc, uint32_t value) {
  if (probing) {
    probe_failed = true;
    return pc + ((*(volatile uint16_t*)pc & 3) == 3 ? 4 : 2);
  }
  print("exception: mcause %u, mepc %x, mtval %x\n", cause, pc, value);
  write_register(EXIT_FAULT, cause);
  for (;;) __asm__ volatile("wfi");
}

bool probe_read(uint32_t address, uint32_t* value) {
  probe_failed = false;
  probing = true;
  *value = read_register(address);
  probing = false;
  return !probe_failed;
}

bool probe_write(uint32_t address, uint32_t value) {
  probe_failed = false;
  probing = true;
  write_register(address, value);
  probing = false;
  return !probe_failed;
}

/* ---- time and the end */

void hal_exit(int code) {
  hal_interrupts_off();
  write_register(EXIT_CODE, (uint32_t)code);
  for (;;) __asm__ volatile("wfi");
}

/* ---- what the compiler asks for */

void* memset(void* to, int value, size_t bytes);
void* memcpy(void* to, const void* from, size_t bytes);

void* memset(void* to, int value, size_t bytes) {
  uint8_t* p = to;
  while (bytes-- > 0) *p++ = (uint8_t)value;
  return to;
}

void* memcpy(void* to, const void* from, size_t bytes) {
  uint8_t* p = to;
  const uint8_t* q = from;
  while (bytes-- > 0) *p++ = *q++;
  return to;
}
