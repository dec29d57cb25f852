/* The HAL in a program that is compiled for the machine that simulates. Every column has its own copy of the program
   and of these variables. Interrupts are taken where the program meets the simulation: at registers and in
   hal_wait(). */
#include <setjmp.h>
#include <stddef.h>

#include "console.h"
#include "hal.h"
#include "native.h"

static const struct native_host* host;
static hal_handler handlers[16];
static uint32_t enabled_lines;
static bool interrupts_on;
static jmp_buf end;

/* ---- interrupts */

static void take_interrupts(void) {
  static const enum hal_line order[] = {HAL_EXTERNAL, HAL_SOFTWARE, HAL_TIMER};
  for (size_t k = 0; k < sizeof order / sizeof order[0];) {
    const uint32_t bit = 1u << order[k];
    if ((host->pending(host->context) & enabled_lines & bit) == 0) {
      k++;
      continue;
    }
    interrupts_on = false;
    handlers[order[k]]();
    interrupts_on = true;
    k = 0;
  }
}

void hal_set_handler(enum hal_line line, hal_handler handler) {
  handlers[line] = handler;
  enabled_lines = handler != NULL ? enabled_lines | 1u << line : enabled_lines & ~(1u << line);
  host->enable(host->context, enabled_lines);
  if (interrupts_on) take_interrupts();
}

bool hal_interrupts_off(void) {
  const bool before = interrupts_on;
  interrupts_on = false;
  return before;
}

void hal_interrupts_restore(bool on) {
  interrupts_on = on;
  if (on) take_interrupts();
}

void hal_wait(void) {
  host->wait(host->context);
  interrupts_on = true;
  take_interrupts();
  interrupts_on = false;
}

/* ---- registers */

static void bus_error(uint32_t cause, uint32_t address) __attribute__((noreturn));
static void bus_error(uint32_t cause, uint32_t address) {
  print("exception: mcause %u, mtval %x\n", cause, address);
  host->write(host->context, EXIT_FAULT, cause);
  longjmp(end, 1);
}

bool probe_read(uint32_t address, uint32_t* value) { return host->read(host->context, address, value) != 0; }

bool probe_write(uint32_t address, uint32_t value) { return host->write(host->context, address, value) != 0; }

uint32_t read_register(uint32_t address) {
  enum { LOAD_FAULT = 5 };
  uint32_t value = 0;
  if (!probe_read(address, &value)) bus_error(LOAD_FAULT, address);
  if (interrupts_on) take_interrupts();
  return value;
}

void write_register(uint32_t address, uint32_t value) {
  enum { STORE_FAULT = 7 };
  if (!probe_write(address, value)) bus_error(STORE_FAULT, address);
  if (interrupts_on) take_interrupts();
}

/* ---- the end */

void hal_exit(int code) {
  host->write(host->context, EXIT_CODE, (uint32_t)code);
  longjmp(end, 1);
}

__attribute__((visibility("default"))) void firmware_start(const struct native_host* of) {
  host = of;
  if (setjmp(end) == 0) hal_exit(main());
}
