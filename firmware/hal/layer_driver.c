#include "layer_driver.h"

/* The next window's descriptors wait in the queue (QUEUE_HOLD) and leave together when the window grows, so that the
   tiles' requests meet at the homes. Interrupts only say that something has changed; what it is, is read from the
   registers. They are on while hal_wait() waits, so nothing here meets a handler. */
#include <stddef.h>

#include "hal.h"
#include "interrupts.h"
#include "mailbox.h"

enum { MAX_ROWS = 32, PATIENCE = 100 };

struct tile {
  uint32_t items; /* of its list in this layer */
  uint32_t next;  /* the first of them that is not in the queue yet */
  uint32_t sent;  /* those that have left the queue */
  uint32_t done;  /* computed, when it was looked at last */
  uint32_t done_at_timeout;
  bool computes; /* not all are computed */
  bool reduces;  /* its reduce root waits for partial results */
};

static struct tile tiles[MAX_ROWS];
static uint32_t rows, max_lead, timeout;
static uint32_t queued; /* descriptors that are in it now */
static uint32_t kept; /* descriptors below this index are in the queue, or have left it */
static uint32_t prefetches, next_prefetch, next_sequence;
static uint32_t resent; /* descriptors, in all */

/* Set by interrupts. */
static bool window_grew, tiles_changed, refused, timed_out;

static void on_window(void) { window_grew = true; }
static void on_tile(void) { tiles_changed = true; }
static void on_refused(void) { refused = true; }
static void on_layer(void) {}

static void on_timer(void) {
  timed_out = true;
  hal_set_timer(UINT64_MAX);
}

/* ---- descriptors */

static void release(void) {
  write_register(QUEUE_HOLD, 0);
  write_register(QUEUE_HOLD, 1);
  queued = 0;
  for (uint32_t row = 0; row < rows; row++) tiles[row].sent = tiles[row].next;
}

/* For one more descriptor. What is in a full queue leaves early. */
static void make_room(void) {
  if (queued == QUEUE_DEPTH) release();
  queued++;
}

static void put_prefetches(uint32_t limit) {
  while (next_prefetch < prefetches && next_sequence <= limit) {
    make_room();
    write_register(SCHEDULE_PREFETCH_INDEX, next_prefetch);
    write_register(QUEUE_SEGMENT, read_register(SCHEDULE_PREFETCH_SEGMENT));
    write_register(QUEUE_TOKENS, read_register(SCHEDULE_PREFETCH_TOKENS));
    write_register(QUEUE_PREFETCH, read_register(SCHEDULE_PREFETCH_ROW));
    write_register(SCHEDULE_PREFETCH_INDEX, ++next_prefetch);
    next_sequence = read_register(SCHEDULE_PREFETCH_SEQUENCE);
  }
}

static void put_descriptors(uint32_t row, uint32_t limit) {
  struct tile* t = &tiles[row];
  if (t->next >= t->items || t->next >= limit) return;
  write_register(SCHEDULE_ROW, row);
  for (; t->next < t->items && t->next < limit; t->next++) {
    make_room();
    write_register(SCHEDULE_INDEX, t->next);
    write_register(QUEUE_SEGMENT, read_register(SCHEDULE_SEGMENT));
    write_register(QUEUE_TOKENS, read_register(SCHEDULE_TOKENS));
    write_register(QUEUE_FETCH_COMPUTE, row);
  }
}

/* Into the queue, where they stay. */
static void keep(uint32_t limit) {
  put_prefetches(limit);
  for (uint32_t row = 0; row < rows; row++) put_descriptors(row, limit);
  kept = limit;
}

static void hand_out(void) {
  window_grew = false;
  const uint32_t limit = read_register(SCHEDULE_SLOWEST) + max_lead;
  if (limit >= kept) release(); /* at once; what else there may be, afterwards */
  if (limit > kept) {
    keep(limit);
    release();
  }
  if (limit == kept) keep(limit + 1);
}

static bool has_lost(uint32_t row) { return read_register(TILE_ACCEPTED(row)) < tiles[row].sent; }

/* Tells the tiles that `concerns` names what they have not taken. False: they have taken all. */
static bool resend(bool (*concerns)(const struct tile*)) {
  uint32_t losers = 0;
  for (uint32_t row = 0; row < rows; row++)
    if (concerns(&tiles[row]) && has_lost(row)) losers |= 1u << row;
  if (losers == 0) return false;
  release(); /* these tiles refuse what comes behind the one that was lost */
  for (uint32_t row = 0; row < rows; row++) {
    if ((losers >> row & 1) == 0) continue;
    const uint32_t accepted = read_register(TILE_ACCEPTED(row));
    resent += tiles[row].next - accepted;
    tiles[row].next = accepted;
  }
  keep(kept);
  release();
  return true;
}

static bool any_tile(const struct tile* t) {
  (void)t;
  return true;
}

static bool stands_still(const struct tile* t) { return t->computes && t->done == t->done_at_timeout; }

static void handle_refusals(void) {
  static uint32_t refusals;
  refused = false;
  refusals = resend(any_tile) ? 0 : refusals + 1;
  if (refusals > PATIENCE) hal_fail("descriptors are refused although none was lost");
}

/* ---- layers */

static void look_at_tiles(void) {
  tiles_changed = false;
  for (uint32_t row = 0; row < rows; row++) {
    struct tile* t = &tiles[row];
    if (t->computes) {
      t->done = read_register(TILE_SEGMENTS_DONE(row));
      t->computes = t->done != t->items;
    }
    if (t->reduces) t->reduces = read_register(TILE_PARTS_MISSING(row)) != 0;
  }
}

static void handle_timeout(void) {
  timed_out = false;
  look_at_tiles();
  resend(stands_still);
  for (uint32_t row = 0; row < rows; row++) tiles[row].done_at_timeout = tiles[row].done;
  hal_set_timer(hal_cycles() + timeout);
}

static bool all_handed_out(void) {
  for (uint32_t row = 0; row < rows; row++)
    if (tiles[row].next < tiles[row].items) return false;
  return true;
}

static bool layer_done(void) {
  for (uint32_t row = 0; row < rows; row++)
    if (tiles[row].computes || tiles[row].reduces) return false;
  return true;
}

static void begin_layer(uint32_t layer) {
  write_register(QUEUE_LAYER, layer);
  for (uint32_t row = 0; row < rows; row++) {
    write_register(SCHEDULE_ROW, row);
    struct tile* t = &tiles[row];
    t->items = read_register(SCHEDULE_ITEMS);
    t->next = t->sent = t->done = t->done_at_timeout = 0;
    t->computes = t->items != 0;
    t->reduces = read_register(SCHEDULE_PARTS) != 0;
    make_room();
    write_register(QUEUE_BEGIN_LAYER, row);
  }
  release();
  kept = 0;
  prefetches = read_register(SCHEDULE_PREFETCHES);
  next_prefetch = 0;
  write_register(SCHEDULE_PREFETCH_INDEX, 0);
  next_sequence = read_register(SCHEDULE_PREFETCH_SEQUENCE);
}

/* What tiles have done matters only when there is nothing more to hand out. */
static void listen_to_tiles(bool on) {
  interrupts_set_handler(INTERRUPT_PROGRESS, on ? on_tile : NULL);
  interrupts_set_handler(INTERRUPT_ROOT, on ? on_tile : NULL);
}

static void run_layer(void) {
  bool listening = false;
  hand_out();
  hal_set_timer(hal_cycles() + timeout);
  for (;;) {
    if (!listening && all_handed_out()) {
      listening = true;
      listen_to_tiles(true);
      look_at_tiles();
    }
    if (listening && layer_done()) break;
    hal_wait();
    if (window_grew) hand_out();
    if (refused) handle_refusals();
    if (tiles_changed) look_at_tiles();
    if (timed_out) handle_timeout();
  }
  listen_to_tiles(false);
  hal_set_timer(UINT64_MAX);
}

void layers_init(void) {
  rows = read_register(IDENTITY_ROWS);
  max_lead = read_register(IDENTITY_MAX_LEAD);
  timeout = read_register(IDENTITY_TIMEOUT_CYCLES);
  interrupts_set_handler(INTERRUPT_WINDOW, on_window);
  interrupts_set_handler(INTERRUPT_LAYER, on_layer);
  interrupts_set_handler(INTERRUPT_REFUSED, on_refused);
  hal_set_handler(HAL_TIMER, on_timer);
  barrier_init();
}

/* The k-th over all steps, from 0. */
static void wait_for_layer(uint32_t k, void (*meanwhile)(void)) {
  for (;;) {
    if (meanwhile != NULL) meanwhile();
    if (read_register(SCHEDULE_BEGUN) > k) return;
    hal_wait();
  }
}

static void drive_layer(uint32_t k) {
  write_register(SCHEDULE_POSITION, k % read_register(SCHEDULE_LAYERS));
  begin_layer(read_register(SCHEDULE_LAYER_NUMBER));
  /* Partial results reach the reduce roots of other columns, which have to have begun the layer by then. */
  barrier_wait();
  run_layer();
  write_register(SCHEDULE_COMPLETE, 1);
}

void drive_layers(void (*meanwhile)(void)) {
  const uint32_t layers = read_register(SCHEDULE_STEPS) * read_register(SCHEDULE_LAYERS);
  for (uint32_t k = 0; k < layers; k++) {
    wait_for_layer(k, meanwhile);
    drive_layer(k);
  }
}

uint32_t descriptors_resent(void) { return resent; }
