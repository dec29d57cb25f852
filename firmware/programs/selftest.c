/* What a bring-up looks at first: registers, bus errors, RAM, timer, interrupts, mailboxes. Ends with code 0 if all is
   well, else with the number of the part that failed. */
#include <stddef.h>

#include "console.h"
#include "hal.h"
#include "interrupts.h"
#include "mailbox.h"

/* ---- registers */

struct walked {
  uint32_t address;
  uint32_t mask; /* bits that keep what is written */
};

static const struct walked walked_registers[] = {
    {QUEUE_LAYER, ~0u},     {QUEUE_SEGMENT, ~0u},  {QUEUE_TOKENS, ~0u},       {SCHEDULE_POSITION, ~0u},
    {SCHEDULE_ROW, ~0u},    {SCHEDULE_INDEX, ~0u}, {SCHEDULE_PREFETCH_INDEX, ~0u},
    {TAKV_LAYER, ~0u},      {TAKV_SEGMENT, ~0u},   {INTERRUPTS_ENABLE, 0x3f}, {TIMER_COMPARE_LOW, ~0u},
    {MAILBOX_BARRIER, ~0u}, {MAILBOX_WAITS_FOR, ~0u},
};

static const char* walk_registers(void) {
  if (read_register(IDENTITY_MAGIC) != IDENTITY_MAGIC_VALUE) return "magic";
  for (size_t k = 0; k < sizeof walked_registers / sizeof walked_registers[0]; k++) {
    const struct walked r = walked_registers[k];
    const uint32_t before = read_register(r.address);
    for (uint32_t bit = 0; bit < 32; bit++) {
      const uint32_t value = 1u << bit & r.mask;
      write_register(r.address, value);
      if (read_register(r.address) != value) return "a bit of a register does not keep its value";
    }
    write_register(r.address, before);
  }
  return NULL;
}

static const char* bus_errors(void) {
  uint32_t value;
  if (!probe_read(IDENTITY_ROWS, &value) || value == 0) return "a good read";
  if (probe_write(IDENTITY_ROWS, 1)) return "a write to a read-only register was accepted";
  if (probe_read(EXIT_CODE, &value)) return "a read of a write-only register was accepted";
  if (probe_read(0x20000000u, &value)) return "a read where nothing is was accepted";
  if (probe_read(TILE_LAYER(read_register(IDENTITY_ROWS)), &value)) return "there is a tile too many";
  if (probe_read(MAILBOX_RECEIVE, &value)) return "an empty inbox gave a word";
  return NULL;
}

/* ---- RAM: March C- over words */

enum { WORDS = 1024 };
static volatile uint32_t memory[WORDS];

static bool march(int from, int step, uint32_t expected, uint32_t then) {
  for (int n = 0, k = from; n < WORDS; n++, k += step) {
    if (memory[k] != expected) return false;
    memory[k] = then;
  }
  return true;
}

static const char* ram(void) {
  static const uint32_t patterns[] = {0x00000000u, 0x55555555u, 0x33333333u, 0x0f0f0f0fu};
  for (size_t p = 0; p < sizeof patterns / sizeof patterns[0]; p++) {
    const uint32_t zero = patterns[p], one = ~zero;
    for (int k = 0; k < WORDS; k++) memory[k] = zero;
    if (!march(0, 1, zero, one) || !march(0, 1, one, zero) || !march(WORDS - 1, -1, zero, one) ||
        !march(WORDS - 1, -1, one, zero) || !march(0, 1, zero, zero))
      return "a word of RAM does not keep its value";
  }
  return NULL;
}

/* ---- timer */

static uint64_t timer_came_at;

static void on_timer(void) {
  timer_came_at = hal_cycles();
  hal_set_timer(UINT64_MAX);
}

static const char* timer(void) {
  hal_set_handler(HAL_TIMER, on_timer);
  for (uint32_t distance = 0; distance <= 5000; distance = distance * 4 + 300) {
    timer_came_at = 0;
    const uint64_t due = hal_cycles() + distance;
    hal_set_timer(due);
    while (timer_came_at == 0) hal_wait();
    if (timer_came_at < due) return "the timer came too early";
    if (timer_came_at > due + 1000) return "the timer came too late";
  }
  hal_set_handler(HAL_TIMER, NULL);
  return NULL;
}

/* ---- interrupts */

static uint32_t order[8], taken;
static void on_progress(void) { order[taken++] = INTERRUPT_PROGRESS; }
static void on_root(void) { order[taken++] = INTERRUPT_ROOT; }
static void on_window(void) { order[taken++] = INTERRUPT_WINDOW; }
static bool software_came;
static void on_software(void) {
  software_came = true;
  write_register(INTERRUPTS_SOFTWARE, 0);
}

static const char* interrupts(void) {
  taken = 0;
  interrupts_set_handler(INTERRUPT_WINDOW, on_window);
  interrupts_set_handler(INTERRUPT_PROGRESS, on_progress);
  write_register(INTERRUPTS_RAISE, 1u << INTERRUPT_ROOT | 1u << INTERRUPT_WINDOW | 1u << INTERRUPT_PROGRESS);
  while (taken < 2) hal_wait();
  if (order[0] != INTERRUPT_PROGRESS || order[1] != INTERRUPT_WINDOW) return "wrong order of interrupts";
  if ((read_register(INTERRUPTS_PENDING) & 1u << INTERRUPT_ROOT) == 0) return "an interrupt was lost";
  interrupts_set_handler(INTERRUPT_ROOT, on_root);
  while (taken < 3) hal_wait();
  if (order[2] != INTERRUPT_ROOT) return "an interrupt that waited for its enable";
  interrupts_set_handler(INTERRUPT_WINDOW, NULL);
  interrupts_set_handler(INTERRUPT_PROGRESS, NULL);
  interrupts_set_handler(INTERRUPT_ROOT, NULL);
  hal_set_handler(HAL_SOFTWARE, on_software);
  write_register(INTERRUPTS_SOFTWARE, 1);
  while (!software_came) hal_wait();
  hal_set_handler(HAL_SOFTWARE, NULL);
  return NULL;
}

/* ---- mailboxes: every column sends a word to every column, itself included */

static uint32_t mail_of[32], mails;

static void on_mail(void) {
  uint32_t from, word;
  while (mailbox_receive(&from, &word)) {
    mail_of[from] = word;
    mails++;
  }
}

static const char* mailboxes(void) {
  const uint32_t columns = read_register(IDENTITY_COLUMNS), self = read_register(IDENTITY_COLUMN);
  interrupts_set_handler(INTERRUPT_MAILBOX, on_mail);
  for (uint32_t k = 0; k < columns; k++) {
    const uint32_t to = (self + k) % columns;
    mailbox_send(to, 0x1000 * self + to);
  }
  while (mails < columns) hal_wait();
  for (uint32_t from = 0; from < columns; from++)
    if (mail_of[from] != 0x1000 * from + self) return "a word came wrong";
  return NULL;
}

/* ---- all of it */

struct part {
  const char* name;
  const char* (*run)(void); /* null: it passed; else what is wrong */
};

static const struct part parts[] = {
    {"registers", walk_registers}, {"bus errors", bus_errors}, {"RAM", ram},
    {"timer", timer},              {"interrupts", interrupts}, {"mailboxes", mailboxes},
};

int main(void) {
  for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
    const char* wrong = parts[k].run();
    print("%s: %s\n", parts[k].name, wrong == NULL ? "passed" : wrong);
    if (wrong != NULL) return (int)k + 1;
  }
  print("selftest passed\n");
  return 0;
}
