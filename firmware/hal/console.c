#include "console.h"

#include <stdarg.h>

#include "hal.h"

static void put(char c) { write_register(CONSOLE_DATA, (uint8_t)c); }

static void put_text(const char* text) {
  while (*text != '\0') put(*text++);
}

static void put_number(uint32_t value) {
  char digits[10];
  int n = 0;
  do {
    digits[n++] = (char)('0' + value % 10);
    value /= 10;
  } while (value != 0);
  while (n > 0) put(digits[--n]);
}

static void put_signed(int32_t value) {
  if (value < 0) put('-');
  put_number(value < 0 ? 0u - (uint32_t)value : (uint32_t)value);
}

static void put_hex(uint32_t value) {
  for (int shift = 28; shift >= 0; shift -= 4) put("0123456789abcdef"[value >> shift & 15]);
}

void print(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  for (const char* p = format; *p != '\0'; p++) {
    if (*p != '%') {
      put(*p);
      continue;
    }
    switch (*++p) {
      case 'u': put_number(va_arg(arguments, uint32_t)); break;
      case 'd': put_signed(va_arg(arguments, int32_t)); break;
      case 'x': put_hex(va_arg(arguments, uint32_t)); break;
      case 's': put_text(va_arg(arguments, const char*)); break;
      case 'c': put((char)va_arg(arguments, int)); break;
      default: put(*p); break;
    }
  }
  va_end(arguments);
}
