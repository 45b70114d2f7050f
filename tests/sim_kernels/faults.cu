/*
 * faults.cu - kernel `fault` breaks one rule, the one that its argument names, in a line
 * with HERE in it.
 */
#include "simt.h"

#include "kernels.h"

CELL(byte_cell, unsigned char);
CELL(word_cell, unsigned);
CELL(wide_cell, unsigned long long);

/* Tell the test which line to expect in the message, without the simulator knowing. */
#define HERE (*(int *)args->out = __LINE__)

/* Accesses that nobody may make. `count` words are at `in`, and `count` is odd. */
DEVICE void break_bounds(const struct test_args *args)
{
    SHARED(word_cell, cells);
    wide_cell *const wides = (wide_cell *)cells;
    word_cell *const in = (word_cell *)args->in;
    wide_cell *const last = (wide_cell *)in + args->count / 2;
    word_cell mine;

    if (args->fault == SHARED_PAST_END)
        HERE, STORE(&cells[THREAD + 1], 1); /* its last thread is one too far */
    if (args->fault == SHARED_BEFORE_START)
        HERE, STORE(&cells[THREAD - 1], 1);
    if (args->fault == GLOBAL_PAST_END)
        HERE, (void)LOAD(&in[args->count + THREAD]);
    if (args->fault == GLOBAL_STRADDLE)
        HERE, (void)LOAD(last);
    if (args->fault == GLOBAL_NOWHERE)
        HERE, STORE(&mine, 1); /* a thread's own stack is no memory of the device */
    if (args->fault == MISALIGNED)
        HERE, (void)LOAD((word_cell *)((byte_cell *)in + 2));
    if (args->fault == POST_STRADDLE)
        HERE, POST(PLAIN, last, 1);
    if (args->fault == PEEK_STRADDLE)
        HERE, (void)PEEK(PLAIN, last);
    if (args->fault == PEEK_MISALIGNED)
        HERE, (void)PEEK(PLAIN, (wide_cell *)(in + 1));
    if (args->fault == POST_SHARED)
        HERE, POST(PLAIN, &wides[THREAD], 1);
}

/* Shared memory that the block has not written. */
DEVICE void break_reads(const struct test_args *args)
{
    SHARED(word_cell, cells);

    switch (args->fault) {
    case UNWRITTEN:
        STORE(&cells[THREAD], 1);
        BARRIER();
        HERE, (void)LOAD(&cells[THREAD + 1]);
        break;
    case UNWRITTEN_HALF:
        STORE(&cells[2 * THREAD], 1);
        HERE, (void)LOAD((wide_cell *)cells + THREAD);
        break;
    default: /* STALE_BLOCK: what block 0 left is not block 1's */
        if (BLOCK == 0)
            STORE(&cells[THREAD], 1);
        HERE, (void)LOAD(&cells[THREAD]);
        break;
    }
}

/* Races in shared memory; most after a STORE of every thread to its cell. */
DEVICE void race_in_block(const struct test_args *args)
{
    SHARED(word_cell, cells);
    byte_cell *const bytes = (byte_cell *)cells;

    if (args->fault == RACE_WRITE_WRITE) {
        HERE, STORE(&cells[THREAD / 2], 1);
        return;
    }
    if (args->fault == RACE_BYTES) {
        STORE(&bytes[2 * THREAD], 1);
        STORE(&bytes[2 * THREAD + 1], 1);
        HERE, STORE(&bytes[THREAD == 9 ? 3 : 2 * THREAD], 1);
        return;
    }
    STORE(&cells[THREAD], 1);
    switch (args->fault) {
    case RACE_READ_WRITE:
        WARP_BARRIER();
        (void)LOAD(&cells[THREAD]);
        HERE, STORE(&cells[(THREAD + 31) % 32], 2);
        break;
    case RACE_WRITE_READ:
        HERE, (void)LOAD(&cells[THREAD > 0 ? THREAD - 1 : 0]);
        break;
    case RACE_MANY_READERS:
        WARP_BARRIER();
        (void)LOAD(&cells[31]);
        if (LANE == 30) /* it is the last to read, but not the only one */
            HERE, STORE(&cells[31], 2);
        break;
    case RACE_AFTER_SHUFFLE:
        (void)SHUFFLE(LANE, 0); /* meets the lanes, but does not order their memory */
        HERE, (void)LOAD(&cells[31 - THREAD]);
        break;
    default: /* RACE_BETWEEN_WARPS */
        WARP_BARRIER(); /* orders a warp, not the block */
        HERE, (void)LOAD(&cells[THREAD % 32]);
        break;
    }
}

/* Races in global memory, by plain accesses. */
DEVICE void race_globally(const struct test_args *args)
{
    word_cell *const out = (word_cell *)args->out;

    switch (args->fault) {
    case RACE_GLOBAL:
        STORE(&out[1 + THREAD], 1);
        HERE, (void)LOAD(&out[THREAD < 32 ? 1 + THREAD : 1]);
        break;
    case RACE_BLOCKS:
        if (THREAD == 0)
            HERE, STORE(&out[1], 1);
        break;
    default: /* RACE_OLD_READER */
        (void)LOAD(&out[1]);
        BARRIER(); /* orders this block's reads with its write, not block 0's */
        if (BLOCK == 1 && THREAD == 0)
            HERE, STORE(&out[1], 1);
        break;
    }
}

/* Races of POST and PEEK: what block 0, or every block, does first, ... */
DEVICE void begin_open_race(const struct test_args *args)
{
    wide_cell *const out = (wide_cell *)args->out;

    switch (BLOCK == 0 || args->fault == RACE_FIRST_POST ? args->fault : -1) {
    case RACE_POST_LOAD:
    case RACE_HALF_POST:
    case RACE_WARPS_POST:
        if (THREAD == 0)
            POST(PLAIN, &out[1], 1);
        break;
    case RACE_LOAD_POST:
        (void)LOAD(&out[1 + THREAD]);
        break;
    case RACE_PEEK_STORE:
        (void)PEEK(PLAIN, &out[1]);
        break;
    case RACE_AFTER_POST:
        STORE(&out[1 + THREAD], 1);
        POST(PLAIN, &out[1 + THREAD], 2); /* which does not make the STORE an open one */
        break;
    case RACE_STORE_PEEK:
        STORE(&out[1 + THREAD], 1);
        break;
    case RACE_FIRST_POST:
        POST(PLAIN, &out[1 + THREAD], 1);
        break;
    default:
        break;
    }
}

/* ... and what one thread of the last block does then, or the first lane of a warp. */
DEVICE void end_open_race(const struct test_args *args)
{
    wide_cell *const out = (wide_cell *)args->out;
    const int first = args->fault == RACE_WARPS_POST ? LANE == 0 : THREAD == 0;

    switch (BLOCK == BLOCKS - 1 && first ? args->fault : -1) {
    case RACE_POST_LOAD:
    case RACE_FIRST_POST:
    case RACE_WARPS_POST:
        HERE, (void)LOAD(&out[1]); /* plainly: it may be half of what is posted */
        break;
    case RACE_HALF_POST:
        HERE, (void)LOAD((word_cell *)args->out + 3);
        break;
    case RACE_LOAD_POST:
        HERE, POST(PLAIN, &out[1], 1);
        break;
    case RACE_PEEK_STORE:
        HERE, STORE(&out[1], 1);
        break;
    case RACE_STORE_PEEK:
    case RACE_AFTER_POST:
        HERE, (void)PEEK(PLAIN, &out[1]);
        break;
    default:
        break;
    }
}

/* Lanes that do not meet, and loops without an end. */
DEVICE void break_meetings(const struct test_args *args)
{
    const word_cell *const in = (const word_cell *)args->in;
    const int first_lanes = LANE < 7;
    const int first_warp = THREAD < 32;

    switch (args->fault) {
    case LANES_APART:
        if (first_lanes)
            WARP_BARRIER();
        HERE, (void)BALLOT(1);
        break;
    case LANE_ENDED:
        if (!first_lanes)
            HERE, WARP_BARRIER();
        break;
    case LANE_ENDS_EARLY:
        if (first_lanes)
            WARP_BARRIER();
        break;
    case BARRIER_APART:
        if (first_lanes)
            BARRIER();
        HERE, BARRIER();
        break;
    case WARP_ENDED:
        if (!first_warp)
            HERE, BARRIER();
        break;
    case WARPS_APART:
        if (first_warp)
            BARRIER();
        HERE, BARRIER();
        break;
    case MISSING_LANE: /* in a block of 40 threads the second warp has 8 lanes */
        HERE, (void)SHUFFLE(LANE, 31);
        break;
    case ENDLESS_LOADS:
        while (HERE, LOAD(&in[0]) == 0) {
        }
        break;
    default: /* ENDLESS_MEETINGS */
        while (HERE, BALLOT(LOAD(&in[0]) == 0)) {
        }
        break;
    }
}

KERNEL(fault, struct test_args)
{
    if (args.fault >= LANES_APART) {
        break_meetings(&args);
    } else if (args.fault >= RACE_POST_LOAD) {
        begin_open_race(&args);
        if (args.fault == RACE_WARPS_POST)
            WARP_BARRIER(); /* orders a warp: it may load, the other may not */
        end_open_race(&args);
    } else if (args.fault >= RACE_GLOBAL) {
        race_globally(&args);
    } else if (args.fault >= RACE_WRITE_WRITE) {
        race_in_block(&args);
    } else if (args.fault >= UNWRITTEN && args.fault <= STALE_BLOCK) {
        break_reads(&args);
    } else {
        break_bounds(&args);
    }
}

/* A kilobyte of stack for each level, and all of them in use at the end. */
static unsigned dig(int levels, volatile unsigned char *above)
{
    volatile unsigned char room[1024];

    room[0] = room[1023] = (unsigned char)levels;
    return (levels > 0 ? dig(levels - 1, room) : 0) + above[0] + room[1023];
}

KERNEL(too_deep, struct test_args)
{
    word_cell *const out = (word_cell *)args.out;
    volatile unsigned char top[1] = {0};

    STORE(&out[THREAD], dig(args.count, top));
}
