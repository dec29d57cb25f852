/* What `vp bench firmware` has its harts compute: a checksum by table, a sort, recursion, a product of matrices, a
   division; for ever. firmware_workload.inc is its machine code, made by

     riscv64-unknown-elf-gcc -O2 -march=rv32imc_zicsr -mabi=ilp32 -ffreestanding -nostdlib -static \
       -Wl,--section-start=.text=0x80000000 -Wl,-Tbss=0x80008000 -Wl,-Tdata=0x80010000 firmware_workload.c -o w.elf
     riscv64-unknown-elf-objcopy -O binary -j .text w.elf w.bin
     od -An -v -tx4 -w32 w.bin | sed 's/ \([0-9a-f]*\)/0x\1, /g' > firmware_workload.inc */
#include <stdint.h>

static uint32_t table[256];
static uint8_t buffer[4096];
static int numbers[200];
static int a[16][16], b[16][16], c[16][16];
volatile uint32_t result;

void work(void);

__attribute__((naked, section(".text.startup"))) void _start(void) {
  __asm__ volatile("lui sp, 0x80020\n\tj work");
}

static uint32_t checksum(const uint8_t* p, int n) {
  uint32_t sum = ~0u;
  for (int i = 0; i < n; i++) sum = table[(sum ^ p[i]) & 255] ^ (sum >> 8);
  return ~sum;
}

static void sort(int* v, int n) {
  for (int i = 1; i < n; i++) {
    const int x = v[i];
    int j = i - 1;
    for (; j >= 0 && v[j] > x; j--) v[j + 1] = v[j];
    v[j + 1] = x;
  }
}

__attribute__((noinline)) static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

void work(void) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t x = i;
    for (int k = 0; k < 8; k++) x = x & 1 ? 0xedb88320u ^ (x >> 1) : x >> 1;
    table[i] = x;
  }
  uint32_t s = 1, sum = 0;
  for (int round = 0;; round++) {
    for (int i = 0; i < 4096; i++) buffer[i] = (uint8_t)((s = s * 1664525u + 1013904223u) >> 24);
    sum ^= checksum(buffer, 4096);
    for (int i = 0; i < 200; i++) numbers[i] = (int)((s = s * 1664525u + 1013904223u) >> 8);
    sort(numbers, 200);
    sum += (uint32_t)(numbers[100] + fibonacci(14));
    for (int i = 0; i < 16; i++)
      for (int j = 0; j < 16; j++) a[i][j] = i * j + round, b[i][j] = i - j;
    for (int i = 0; i < 16; i++)
      for (int j = 0; j < 16; j++) {
        int x = 0;
        for (int k = 0; k < 16; k++) x += a[i][k] * b[k][j];
        c[i][j] = x;
      }
    sum += (uint32_t)c[3][5] + s % (sum | 1);
    result = sum;
  }
}
