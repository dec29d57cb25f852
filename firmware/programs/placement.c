/* Drives decode steps, and decides between them which blocks swap their homes (takv.swaps_by: firmware), each column for
   the layers whose homes it has. The rule is the hardware's (models/takv/swap_table.h): again and again the hottest home
   for which there is a block to give and a block of a colder home to take, such that the sum of squared occupancies
   becomes less; of those the pair that lowers it most. */
#include "console.h"
#include "hal.h"
#include "interrupts.h"
#include "layer_driver.h"

enum { MAX_ROWS = 32, MAX_BLOCKS = 2048, MAX_REPORTS = 16, NO_BLOCK = MAX_BLOCKS };

struct block {
  uint32_t segment;
  uint32_t load;
  uint32_t next; /* of the same home */
};

struct exchange {
  uint64_t gain; /* half of what it takes off the sum of squares */
  uint32_t hot, cold;
  uint32_t hot_row, cold_row;
};

/* What the console is told when the decision is made, and nobody waits. */
struct report {
  uint32_t layer, swaps;
  uint32_t before[MAX_ROWS], after[MAX_ROWS];
};

static uint32_t rows;
static uint64_t occupancy[MAX_ROWS];
static uint32_t hottest_first[MAX_ROWS];
static struct block blocks[MAX_BLOCKS];
static uint32_t first[MAX_ROWS];
static struct report reports[MAX_REPORTS];
static uint32_t report_count, more_reports; /* the latter find no room */
static uint32_t decisions;

static void on_swaps(void) {}

/* ---- what the fabric has counted */

static void read_occupancies(void) {
  for (uint32_t row = 0; row < rows; row++) {
    write_register(SWAPS_ROW, row);
    occupancy[row] = (uint64_t)read_register(SWAPS_OCCUPANCY_HIGH) << 32 | read_register(SWAPS_OCCUPANCY_LOW);
  }
}

static void read_blocks(uint32_t memory) {
  uint32_t last[MAX_ROWS];
  for (uint32_t row = 0; row < rows; row++) first[row] = last[row] = NO_BLOCK;
  write_register(SWAPS_MEMORY, memory);
  const uint32_t count = read_register(SWAPS_CANDIDATES);
  for (uint32_t k = 0; k < count && k < MAX_BLOCKS; k++) {
    write_register(SWAPS_CANDIDATE_INDEX, k);
    const uint32_t row = read_register(SWAPS_CANDIDATE_ROW);
    blocks[k].segment = read_register(SWAPS_CANDIDATE_SEGMENT);
    blocks[k].load = read_register(SWAPS_CANDIDATE_LOAD);
    blocks[k].next = NO_BLOCK;
    if (last[row] == NO_BLOCK)
      first[row] = k;
    else
      blocks[last[row]].next = k;
    last[row] = k;
  }
}

/* ---- the rule */

static void sort_homes(void) {
  for (uint32_t k = 1; k < rows; k++) {
    const uint32_t row = hottest_first[k];
    uint32_t at = k;
    for (; at > 0 && occupancy[hottest_first[at - 1]] < occupancy[row]; at--) hottest_first[at] = hottest_first[at - 1];
    hottest_first[at] = row;
  }
}

/* An exchange that shifts d from the hot to the cold home lowers the sum of squares by 2 d (hot - cold - d). */
static void try_pair(uint32_t hot_row, uint32_t cold_row, struct exchange* best) {
  const uint64_t apart = occupancy[hot_row] - occupancy[cold_row];
  for (uint32_t i = first[hot_row]; i != NO_BLOCK; i = blocks[i].next) {
    for (uint32_t j = first[cold_row]; j != NO_BLOCK; j = blocks[j].next) {
      if (blocks[i].load <= blocks[j].load) continue;
      const uint64_t d = blocks[i].load - blocks[j].load;
      if (d >= apart || d * (apart - d) <= best->gain) continue;
      *best = (struct exchange){d * (apart - d), i, j, hot_row, cold_row};
    }
  }
}

/* False: no exchange gains more than `least`. */
static bool find_exchange(uint64_t least, struct exchange* best) {
  sort_homes();
  for (uint32_t k = 0; k < rows; k++) {
    const uint32_t hot = hottest_first[k];
    *best = (struct exchange){least, NO_BLOCK, NO_BLOCK, 0, 0};
    for (uint32_t cold = 0; cold < rows; cold++)
      if (occupancy[cold] < occupancy[hot]) try_pair(hot, cold, best);
    if (best->hot != NO_BLOCK) return true;
  }
  return false;
}

static void swap_blocks(const struct exchange* e) {
  struct block* hot = &blocks[e->hot];
  struct block* cold = &blocks[e->cold];
  write_register(SWAPS_SEGMENT, hot->segment);
  write_register(SWAPS_PROPOSE, cold->segment);
  const struct block given = *hot;
  occupancy[e->hot_row] -= hot->load - cold->load;
  occupancy[e->cold_row] += hot->load - cold->load;
  hot->segment = cold->segment;
  hot->load = cold->load;
  cold->segment = given.segment;
  cold->load = given.load;
}

/* Within one kind of memory; returns the number of swaps. */
static uint32_t decide_blocks(uint32_t memory) {
  uint64_t squares = 0;
  for (uint32_t row = 0; row < rows; row++) {
    squares += occupancy[row] * occupancy[row];
    hottest_first[row] = row;
  }
  read_blocks(memory);
  /* What is lost in the hardware's rounding is no gain here either. */
  const uint64_t least = squares / 2000000000000u;
  const uint32_t most = read_register(SWAPS_MOST);
  uint32_t swaps = 0;
  struct exchange best;
  for (; swaps < most && find_exchange(least, &best); swaps++) swap_blocks(&best);
  return swaps;
}

/* ---- decisions */

static void copy_occupancies(uint32_t* to) {
  for (uint32_t row = 0; row < rows; row++) to[row] = (uint32_t)occupancy[row];
}

static void decide_layer(uint32_t layer) {
  struct report* r = &reports[report_count];
  write_register(SWAPS_LAYER, layer);
  read_occupancies();
  copy_occupancies(r->before);
  r->layer = layer;
  r->swaps = decide_blocks(SWAPS_MEMORY_HBM);
  if (r->swaps == 0) r->swaps = decide_blocks(SWAPS_MEMORY_DDR4);
  copy_occupancies(r->after);
  if (r->swaps == 0) return;
  if (report_count + 1 < MAX_REPORTS)
    report_count++;
  else
    more_reports++;
}

static void print_homes(const uint32_t* homes) {
  for (uint32_t row = 0; row < rows; row++) print(" %u", homes[row]);
}

static void print_reports(void) {
  const uint32_t step = decisions * read_register(SWAPS_PERIOD_STEPS);
  for (uint32_t k = 0; k < report_count; k++) {
    print("before step %u, layer %u: homes", step, reports[k].layer);
    print_homes(reports[k].before);
    print(", after %u swaps", reports[k].swaps);
    print_homes(reports[k].after);
    print("\n");
  }
  if (more_reports != 0) print("before step %u, and of %u more layers\n", step, more_reports);
  report_count = more_reports = 0;
}

static bool has_homes_of(uint32_t layer) {
  write_register(TAKV_LAYER, layer);
  write_register(TAKV_SEGMENT, 0);
  return read_register(TAKV_HOME_COLUMN) == read_register(IDENTITY_COLUMN);
}

static void decide_if_asked(void) {
  if (read_register(SWAPS_ASKED) == decisions) return;
  decisions++;
  const uint32_t layers = read_register(SCHEDULE_LAYERS);
  for (uint32_t position = 0; position < layers; position++) {
    write_register(SCHEDULE_POSITION, position);
    const uint32_t layer = read_register(SCHEDULE_LAYER_NUMBER);
    if (has_homes_of(layer)) decide_layer(layer);
  }
  write_register(SWAPS_DECIDED, 1);
  print_reports();
}

int main(void) {
  rows = read_register(IDENTITY_ROWS);
  layers_init();
  interrupts_set_handler(INTERRUPT_SWAPS, on_swaps);
  drive_layers(decide_if_asked);
  return 0;
}
