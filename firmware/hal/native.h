/* What the simulation and natively compiled firmware call of each other. */
#ifndef MESHKV_NATIVE_H
#define MESHKV_NATIVE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The processor that the simulation plays; `context` is passed to each function. */
struct native_host {
  void* context;
  /* Accesses to registers. 0: a bus error. */
  int (*read)(void* context, uint32_t address, uint32_t* value);
  int (*write)(void* context, uint32_t address, uint32_t value);
  /* Interrupt lines that are enabled, and those that are pending: bits as in mie and mip. */
  void (*enable)(void* context, uint32_t lines);
  uint32_t (*pending)(void* context);
  /* Returns when an enabled line is pending. */
  void (*wait)(void* context);
};

/* Of each program: runs it; returns when it has ended. */
void firmware_start(const struct native_host* host);

#ifdef __cplusplus
}
#endif

#endif
