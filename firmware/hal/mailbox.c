#include "mailbox.h"

#include "hal.h"
#include "interrupts.h"

void mailbox_send(uint32_t column, uint32_t word) {
  do {
    write_register(MAILBOX_TO, column);
    write_register(MAILBOX_SEND, word);
  } while (read_register(MAILBOX_STATUS) == MAILBOX_STATUS_FULL);
}

bool mailbox_receive(uint32_t* from, uint32_t* word) {
  if (read_register(MAILBOX_COUNT) == 0) return false;
  *from = read_register(MAILBOX_FROM);
  *word = read_register(MAILBOX_RECEIVE);
  return true;
}

/* ---- The barrier. Each column tells column 0 the number of the barrier that it has come to; column 0 answers all with
   that number when the last one has. A column can be one barrier ahead of what column 0 has handled, not two. */

enum { ROOT = 0 };

static uint32_t number;        /* of the barrier that this column waits at, or was at last */
static uint32_t open_up_to;    /* barriers that all columns have come to */
static uint32_t come_to[32];   /* ROOT: the last barrier that each column has come to */

static void on_mail(void) {
  uint32_t from, word;
  while (mailbox_receive(&from, &word)) {
    if (read_register(IDENTITY_COLUMN) == ROOT)
      come_to[from] = word;
    else
      open_up_to = word;
  }
}

void barrier_init(void) { interrupts_set_handler(INTERRUPT_MAILBOX, on_mail); }

/* Columns (bits) that have not come to this barrier. */
static uint32_t missing(uint32_t columns) {
  uint32_t mask = 0;
  for (uint32_t c = 1; c < columns; c++)
    if ((int32_t)(come_to[c] - number) < 0) mask |= 1u << c;
  return mask;
}

static void wait_as_root(uint32_t columns) {
  uint32_t mask;
  while ((mask = missing(columns)) != 0) {
    write_register(MAILBOX_WAITS_FOR, mask);
    hal_wait();
  }
  for (uint32_t c = 1; c < columns; c++) mailbox_send(c, number);
}

void barrier_wait(void) {
  const uint32_t columns = read_register(IDENTITY_COLUMNS);
  number++;
  write_register(MAILBOX_BARRIER, number);
  if (read_register(IDENTITY_COLUMN) == ROOT) {
    wait_as_root(columns);
  } else {
    mailbox_send(ROOT, number);
    while (open_up_to != number) {
      write_register(MAILBOX_WAITS_FOR, 1u << ROOT);
      hal_wait();
    }
  }
  write_register(MAILBOX_WAITS_FOR, 0);
}
