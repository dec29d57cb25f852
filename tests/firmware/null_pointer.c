/* Reads through a null pointer. */
#include "hal.h"

static volatile uint32_t* pointer;

__attribute__((noinline)) static uint32_t use(volatile uint32_t* p) { return p[4]; }

int main(void) { return (int)use(pointer); }
