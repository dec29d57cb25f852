/* Made by `./vp registers --c-header` from models/controller/registers/registers.inc: do not edit. */
/* clang-format off */
#ifndef MESHKV_REGISTERS_H
#define MESHKV_REGISTERS_H

/* ---- IDENTITY: Which controller this is, and of what chip. */
/* read-only: IDENTITY_MAGIC_VALUE. */
#define IDENTITY_MAGIC 0x10000000u
/* read-only: Column of this controller, from 0. */
#define IDENTITY_COLUMN 0x10000004u
/* read-only: Columns of the mesh; each has a controller. */
#define IDENTITY_COLUMNS 0x10000008u
/* read-only: Rows of the mesh: tiles of this column. */
#define IDENTITY_ROWS 0x1000000cu
/* read-only: Clock of fabric and controller, in kHz. */
#define IDENTITY_CLOCK_KHZ 0x10000010u
/* read-only: controllers.max_lead_segments: how far a tile may be ahead of the slowest one. */
#define IDENTITY_MAX_LEAD 0x10000014u
/* read-only: controllers.timeout_cycles: a tile that computes nothing for so long gets its descriptors again. */
#define IDENTITY_TIMEOUT_CYCLES 0x10000018u

/* ---- QUEUE: Descriptors for the tiles of the column. */
/* read-write: Layer of the descriptors that are sent. */
#define QUEUE_LAYER 0x10001000u
/* read-write: Their segment. */
#define QUEUE_SEGMENT 0x10001004u
/* read-write: Tokens of that segment. */
#define QUEUE_TOKENS 0x10001008u
/* write-only: Sends BEGIN_LAYER to the tile of the row that is written. */
#define QUEUE_BEGIN_LAYER 0x1000100cu
/* write-only: Sends FETCH_COMPUTE to the tile of the row that is written. A tile takes those of its list in their order; one that it has already taken does nothing. */
#define QUEUE_FETCH_COMPUTE 0x10001010u
/* write-only: Sends PREFETCH to the home of the row that is written. */
#define QUEUE_PREFETCH 0x10001014u
/* read-only: What became of the last one: QUEUE_STATUS_SENT or QUEUE_STATUS_REFUSED. */
#define QUEUE_STATUS 0x10001018u
/* read-only: Descriptors that were refused so far. */
#define QUEUE_REFUSED 0x1000101cu
/* read-write: 1: descriptors are kept back, up to QUEUE_DEPTH; 0: those that were kept back leave, all in this cycle. */
#define QUEUE_HOLD 0x10001020u

/* ---- SCHEDULE: The work lists that the host has made for the steps. */
/* read-only: Decode steps to do. */
#define SCHEDULE_STEPS 0x10002000u
/* read-only: Layers of a step. */
#define SCHEDULE_LAYERS 0x10002004u
/* read-write: Selects a layer by its place in the step, from 0. */
#define SCHEDULE_POSITION 0x10002008u
/* read-only: Number in the model of the layer at POSITION. */
#define SCHEDULE_LAYER_NUMBER 0x1000200cu
/* read-only: Layers that the fabric has begun so far, over all steps; the lists below are of the last one. */
#define SCHEDULE_BEGUN 0x10002010u
/* write-only: Any value: the column has completed the layer. Refused while a tile or a reduce root of it is not done. */
#define SCHEDULE_COMPLETE 0x10002014u
/* read-write: Selects a tile of the column. */
#define SCHEDULE_ROW 0x10002018u
/* read-only: Length of the tile's list. */
#define SCHEDULE_ITEMS 0x1000201cu
/* read-write: Selects an item of the list. */
#define SCHEDULE_INDEX 0x10002020u
/* read-only: Segment of the item. */
#define SCHEDULE_SEGMENT 0x10002024u
/* read-only: Tokens of the item's segment. */
#define SCHEDULE_TOKENS 0x10002028u
/* read-only: PART packets that the reduce root of ROW will get in the layer. */
#define SCHEDULE_PARTS 0x1000202cu
/* read-only: Segments of the layer that the slowest tile of the chip that still has work has computed. */
#define SCHEDULE_SLOWEST 0x10002030u
/* read-only: Blocks of the layer whose home is in this column. */
#define SCHEDULE_PREFETCHES 0x10002034u
/* read-write: Selects one of them. */
#define SCHEDULE_PREFETCH_INDEX 0x10002038u
/* read-only: Its earliest place in the list of any tile. */
#define SCHEDULE_PREFETCH_SEQUENCE 0x1000203cu
/* read-only: Its segment. */
#define SCHEDULE_PREFETCH_SEGMENT 0x10002040u
/* read-only: Its tokens. */
#define SCHEDULE_PREFETCH_TOKENS 0x10002044u
/* read-only: The row of its home. */
#define SCHEDULE_PREFETCH_ROW 0x10002048u

/* ---- TAKV: Where the home of a KV block is. */
/* read-write: Selects a layer. */
#define TAKV_LAYER 0x10003000u
/* read-write: Selects a segment of it. */
#define TAKV_SEGMENT 0x10003004u
/* read-only: Column of the block's home. */
#define TAKV_HOME_COLUMN 0x10003008u
/* read-only: Row of the block's home. */
#define TAKV_HOME_ROW 0x1000300cu

/* ---- COUNTERS: Performance counters over the tiles of the column; they wrap. */
/* read-only: FETCH_COMPUTE descriptors that were sent. */
#define COUNTERS_DESCRIPTORS 0x10004000u
/* read-only: KV_FETCH packets that the tiles have sent. */
#define COUNTERS_FETCHES 0x10004004u
/* read-only: Segments that the tiles have computed. */
#define COUNTERS_SEGMENTS 0x10004008u
/* read-only: Lines that the tiles have computed. */
#define COUNTERS_LINES 0x1000400cu
/* read-only: Cycles in which a tile had a descriptor and a free slot, and no credit of the home. */
#define COUNTERS_CREDIT_STALLS 0x10004010u
/* read-only: PART packets that the tiles have sent. */
#define COUNTERS_PARTS 0x10004014u

/* ---- INTERRUPTS: Interrupt controller of the hart's external interrupt; a bit a source, numbered as below. */
/* read-only: Sources that have raised their interrupt. */
#define INTERRUPTS_PENDING 0x10005000u
/* read-write: Sources that reach the hart. */
#define INTERRUPTS_ENABLE 0x10005004u
/* read-only: The lowest pending and enabled source, which is cleared by that; INTERRUPT_NONE if there is none. */
#define INTERRUPTS_CLAIM 0x10005008u
/* write-only: Clears the sources whose bits are 1. */
#define INTERRUPTS_CLEAR 0x1000500cu
/* write-only: Raises the sources whose bits are 1, as if they had. */
#define INTERRUPTS_RAISE 0x10005010u
/* read-write: Bit 0: the hart's software interrupt. */
#define INTERRUPTS_SOFTWARE 0x10005014u

/* ---- TIMER: The hart's timer interrupt is pending as long as TIME >= COMPARE. */
/* read-only: Cycles since the start, low half. */
#define TIMER_TIME_LOW 0x10006000u
/* read-only: High half. */
#define TIMER_TIME_HIGH 0x10006004u
/* read-write: Low half of COMPARE; all ones after reset. */
#define TIMER_COMPARE_LOW 0x10006008u
/* read-write: High half; all ones after reset. */
#define TIMER_COMPARE_HIGH 0x1000600cu

/* ---- MAILBOX: Words between the controllers of the columns. */
/* read-write: Column to which SEND sends. */
#define MAILBOX_TO 0x10007000u
/* write-only: Sends a word; it arrives half a controllers.barrier_cycles later. */
#define MAILBOX_SEND 0x10007004u
/* read-only: What became of the last one: MAILBOX_STATUS_SENT, or MAILBOX_STATUS_FULL: the inbox there had no room. */
#define MAILBOX_STATUS 0x10007008u
/* read-only: Words in the inbox. */
#define MAILBOX_COUNT 0x1000700cu
/* read-only: Column that sent the first word of the inbox. */
#define MAILBOX_FROM 0x10007010u
/* read-only: Takes the first word out of the inbox; refused when it is empty. */
#define MAILBOX_RECEIVE 0x10007014u
/* read-write: Number of the barrier at which the firmware waits; for reports of the simulation only. */
#define MAILBOX_BARRIER 0x10007018u
/* read-write: Columns (bits) whose word the firmware waits for; 0: none; for reports of the simulation only. */
#define MAILBOX_WAITS_FOR 0x1000701cu

/* ---- CONSOLE: Text for people. */
/* write-only: Writes the character in bits 7 to 0. */
#define CONSOLE_DATA 0x10008000u

/* ---- EXIT: The end of the program. */
/* write-only: Ends the program with this exit code; 0: success. */
#define EXIT_CODE 0x10009000u
/* write-only: Ends the program after an exception; the simulation prints the hart's crash report. */
#define EXIT_FAULT 0x10009004u

/* ---- SWAPS: Occupancy swaps that firmware decides (takv.swaps_by): each column for the layers whose homes it has. */
/* read-only: Decisions that were asked for so far; 0 for ever where the hardware decides. The next step begins when all columns have written DECIDED, and the blocks have moved. */
#define SWAPS_ASKED 0x1000a000u
/* read-only: takv.swap_period_steps: steps between two decisions. */
#define SWAPS_PERIOD_STEPS 0x1000a004u
/* read-only: takv.swaps_per_period: swaps of a layer in a decision. */
#define SWAPS_MOST 0x1000a008u
/* read-write: Selects a layer by its number in the model. */
#define SWAPS_LAYER 0x1000a00cu
/* read-write: Selects a home of the column. */
#define SWAPS_ROW 0x1000a010u
/* read-only: Tokens of LAYER that the home in ROW was asked for since the last decision, low half. */
#define SWAPS_OCCUPANCY_LOW 0x1000a014u
/* read-only: High half. */
#define SWAPS_OCCUPANCY_HIGH 0x1000a018u
/* read-write: Selects SWAPS_MEMORY_HBM or SWAPS_MEMORY_DDR4: blocks swap within one of them. */
#define SWAPS_MEMORY 0x1000a01cu
/* read-only: Blocks of LAYER in MEMORY that may swap, of equal ones of a home up to MOST; 0 while no decision is asked for, and for a layer with homes in another column. */
#define SWAPS_CANDIDATES 0x1000a020u
/* read-write: Selects one of them; those below are refused beyond the last. */
#define SWAPS_CANDIDATE_INDEX 0x1000a024u
/* read-only: Its segment. */
#define SWAPS_CANDIDATE_SEGMENT 0x1000a028u
/* read-only: Row of its home before the decision. */
#define SWAPS_CANDIDATE_ROW 0x1000a02cu
/* read-only: Its part of the home's occupancy; at most all ones. */
#define SWAPS_CANDIDATE_LOAD 0x1000a030u
/* read-write: One block of a proposal. */
#define SWAPS_SEGMENT 0x1000a034u
/* write-only: SEGMENT and the segment that is written exchange homes, after what was proposed before. Refused if it cannot be done; whether it helps is the firmware's business. */
#define SWAPS_PROPOSE 0x1000a038u
/* read-only: Swaps of LAYER that were proposed in this decision. */
#define SWAPS_PROPOSED 0x1000a03cu
/* write-only: Any value: the column has proposed all. */
#define SWAPS_DECIDED 0x1000a040u

/* ---- TILE: Status of the tile in each row of the column. */
/* read-only: Layer of the last BEGIN_LAYER; all ones: none so far. */
#define TILE_LAYER(n) (0x10010000u + 0x20u * (n))
/* read-only: FETCH_COMPUTE descriptors of the layer that the tile has taken. */
#define TILE_ACCEPTED(n) (0x10010004u + 0x20u * (n))
/* read-only: Segments of the layer that the tile has computed. */
#define TILE_SEGMENTS_DONE(n) (0x10010008u + 0x20u * (n))
/* read-only: PART packets of the layer that the reduce root still waits for. */
#define TILE_PARTS_MISSING(n) (0x1001000cu + 0x20u * (n))

/* ---- Interrupt sources: bit numbers in INTERRUPTS_PENDING, _ENABLE, _CLEAR and _RAISE */
/* A tile of the column has computed a segment. */
#define INTERRUPT_PROGRESS 0u
/* A reduce root of the column has merged its last PART packet. */
#define INTERRUPT_ROOT 1u
/* SCHEDULE_SLOWEST has grown. */
#define INTERRUPT_WINDOW 2u
/* SCHEDULE_BEGUN has grown. */
#define INTERRUPT_LAYER 3u
/* The inbox is not empty; stays pending as long as that is so. */
#define INTERRUPT_MAILBOX 4u
/* A descriptor was refused. */
#define INTERRUPT_REFUSED 5u
/* SWAPS_ASKED has grown. */
#define INTERRUPT_SWAPS 6u

/* ---- Constants */
/* IDENTITY_MAGIC. */
#define IDENTITY_MAGIC_VALUE 0x4d4b5631u
/* QUEUE_STATUS: the descriptor was sent. */
#define QUEUE_STATUS_SENT 0u
/* QUEUE_STATUS: the tile or the fabric refused it. */
#define QUEUE_STATUS_REFUSED 1u
/* Descriptors that can be kept back (QUEUE_HOLD); one more is refused. */
#define QUEUE_DEPTH 256u
/* MAILBOX_STATUS: the word is on its way. */
#define MAILBOX_STATUS_SENT 0u
/* MAILBOX_STATUS: nothing was sent. */
#define MAILBOX_STATUS_FULL 1u
/* Words that an inbox holds. */
#define MAILBOX_DEPTH 64u
/* SWAPS_MEMORY: HBM. */
#define SWAPS_MEMORY_HBM 0u
/* SWAPS_MEMORY: DDR4. */
#define SWAPS_MEMORY_DDR4 1u
/* INTERRUPTS_CLAIM: nothing is pending. */
#define INTERRUPT_NONE 0xffffffffu

#endif
