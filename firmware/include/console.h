/* Text on the column's console. */
#ifndef MESHKV_CONSOLE_H
#define MESHKV_CONSOLE_H

/* %u, %d: 32-bit numbers; %x: 8 hexadecimal digits; %s; %c; %%. Nothing else. */
void print(const char* format, ...);

#endif
