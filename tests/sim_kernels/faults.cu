/*
 * faults.cu - each kernel breaks one rule, so many lines behind HERE.
 */
#include "simt.h"

#include "kernels.h"

CELL(byte_cell, unsigned char);
CELL(word_cell, unsigned);
CELL(wide_cell, unsigned long long);

/* Tell the test which line to expect in the words, behind the simulator's back. */
#define HERE(ahead) (*(int *)args.out = __LINE__ + (ahead))

KERNEL(shared_past_end, struct test_args)
{
    SHARED(word_cell, cells);

    HERE(1);
    STORE(&cells[THREAD + 1], 1); /* its last thread is one too far */
}

KERNEL(shared_before_start, struct test_args)
{
    SHARED(word_cell, cells);

    HERE(1);
    STORE(&cells[THREAD - 1], 1);
}

KERNEL(global_past_end, struct test_args)
{
    const word_cell *const in = (const word_cell *)args.in;

    HERE(1);
    (void)LOAD(&in[args.count + THREAD]);
}

KERNEL(global_straddle, struct test_args)
{
    const wide_cell *const in = (const wide_cell *)args.in;

    HERE(1);
    (void)LOAD(&in[args.count / 2]); /* `count` words, and `count` is odd */
}

KERNEL(global_nowhere, struct test_args)
{
    word_cell mine;

    HERE(1);
    STORE(&mine, 1); /* a thread's own stack is no memory of the device */
}

KERNEL(misaligned, struct test_args)
{
    const byte_cell *const in = (const byte_cell *)args.in;

    HERE(1);
    (void)LOAD((const word_cell *)(in + 2));
}

KERNEL(unwritten, struct test_args)
{
    SHARED(word_cell, cells);

    STORE(&cells[THREAD], 1);
    BARRIER();
    HERE(1);
    (void)LOAD(&cells[THREAD + 1]);
}

KERNEL(unwritten_half, struct test_args)
{
    SHARED(word_cell, cells);

    STORE(&cells[2 * THREAD], 1);
    HERE(1);
    (void)LOAD((wide_cell *)cells + THREAD);
}

KERNEL(stale_block, struct test_args)
{
    SHARED(word_cell, cells);

    if (BLOCK == 0)
        STORE(&cells[THREAD], 1);
    HERE(1);
    (void)LOAD(&cells[THREAD]); /* what block 0 left is not block 1's */
}

KERNEL(race_write_write, struct test_args)
{
    SHARED(word_cell, cells);

    HERE(1);
    STORE(&cells[THREAD / 2], 1);
}

KERNEL(race_read_write, struct test_args)
{
    SHARED(word_cell, cells);

    STORE(&cells[THREAD], 1);
    WARP_BARRIER();
    (void)LOAD(&cells[THREAD]);
    HERE(1);
    STORE(&cells[(THREAD + 31) % 32], 2);
}

KERNEL(race_write_read, struct test_args)
{
    SHARED(word_cell, cells);

    STORE(&cells[THREAD], 1);
    HERE(1);
    (void)LOAD(&cells[THREAD > 0 ? THREAD - 1 : 0]);
}

KERNEL(race_many_readers, struct test_args)
{
    SHARED(word_cell, cells);

    STORE(&cells[THREAD], 1);
    WARP_BARRIER();
    (void)LOAD(&cells[31]);
    HERE(2);
    if (LANE == 30) /* it is the last to read, but not the only one */
        STORE(&cells[31], 2);
}

KERNEL(race_after_shuffle, struct test_args)
{
    SHARED(word_cell, cells);

    STORE(&cells[THREAD], 1);
    (void)SHUFFLE(LANE, 0); /* meets the lanes, but does not order their memory */
    HERE(1);
    (void)LOAD(&cells[31 - THREAD]);
}

KERNEL(race_between_warps, struct test_args)
{
    SHARED(word_cell, cells);

    STORE(&cells[THREAD], 1);
    WARP_BARRIER(); /* orders a warp, not the block */
    HERE(1);
    (void)LOAD(&cells[THREAD % 32]);
}

KERNEL(race_bytes, struct test_args)
{
    SHARED(byte_cell, cells);

    STORE(&cells[2 * THREAD], 1);
    STORE(&cells[2 * THREAD + 1], 1);
    HERE(1);
    STORE(&cells[THREAD == 9 ? 3 : 2 * THREAD], 1);
}

KERNEL(race_global, struct test_args)
{
    word_cell *const out = (word_cell *)args.out;

    STORE(&out[1 + THREAD], 1);
    HERE(1);
    (void)LOAD(&out[THREAD < 32 ? 1 + THREAD : 1]);
}

KERNEL(race_blocks, struct test_args)
{
    word_cell *const out = (word_cell *)args.out;

    HERE(2);
    if (THREAD == 0)
        STORE(&out[1], 1);
}

KERNEL(race_old_reader, struct test_args)
{
    word_cell *const out = (word_cell *)args.out;

    (void)LOAD(&out[1]);
    BARRIER(); /* orders this block's reads with its write, not block 0's */
    HERE(2);
    if (BLOCK == 1 && THREAD == 0)
        STORE(&out[1], 1);
}

KERNEL(race_post_load, struct test_args)
{
    wide_cell *const out = (wide_cell *)args.out;

    if (BLOCK == 0 && THREAD == 0)
        POST(PLAIN, &out[1], 1);
    HERE(2);
    if (BLOCK == 1 && THREAD == 0)
        (void)LOAD(&out[1]); /* plainly: it may be half of what is posted */
}

KERNEL(race_load_post, struct test_args)
{
    wide_cell *const out = (wide_cell *)args.out;

    if (BLOCK == 0)
        (void)LOAD(&out[1 + THREAD]);
    HERE(2);
    if (BLOCK == 1 && THREAD == 0)
        POST(PLAIN, &out[1 + THREAD], 1);
}

KERNEL(race_peek_store, struct test_args)
{
    wide_cell *const out = (wide_cell *)args.out;

    if (BLOCK == 0)
        (void)PEEK(PLAIN, &out[1]);
    HERE(2);
    if (BLOCK == 1 && THREAD == 0)
        STORE(&out[1 + THREAD], 1);
}

KERNEL(race_store_peek, struct test_args)
{
    wide_cell *const out = (wide_cell *)args.out;

    if (BLOCK == 0)
        STORE(&out[1 + THREAD], 1);
    HERE(2);
    if (BLOCK == 1 && THREAD == 0)
        (void)PEEK(PLAIN, &out[1 + THREAD]);
}

KERNEL(race_behind_post, struct test_args)
{
    wide_cell *const out = (wide_cell *)args.out;

    if (BLOCK == 0) {
        STORE(&out[1 + THREAD], 1);
        POST(PLAIN, &out[1 + THREAD], 2); /* which does not make the STORE an open one */
    }
    HERE(2);
    if (BLOCK == 1 && THREAD == 0)
        (void)PEEK(PLAIN, &out[1 + THREAD]);
}

KERNEL(race_first_post, struct test_args)
{
    wide_cell *const out = (wide_cell *)args.out;

    POST(PLAIN, &out[1 + THREAD], 1);
    HERE(2);
    if (BLOCK == 2 && THREAD == 0)
        (void)LOAD(&out[1 + THREAD]); /* what it has posted itself, as others have */
}

KERNEL(race_half_post, struct test_args)
{
    wide_cell *const out = (wide_cell *)args.out;

    if (BLOCK == 0 && THREAD == 0)
        POST(PLAIN, &out[1], 1);
    HERE(2);
    if (BLOCK == 1 && THREAD == 0)
        (void)LOAD((word_cell *)args.out + 3);
}

KERNEL(race_warps_post, struct test_args)
{
    wide_cell *const out = (wide_cell *)args.out;

    if (THREAD == 0)
        POST(PLAIN, &out[1], 1);
    WARP_BARRIER(); /* orders a warp: it may load, the other may not */
    HERE(2);
    if (LANE == 0)
        (void)LOAD(&out[1]);
}

KERNEL(post_straddle, struct test_args)
{
    wide_cell *const in = (wide_cell *)args.in;

    HERE(1);
    POST(PLAIN, &in[args.count / 2], 1);
}

KERNEL(peek_straddle, struct test_args)
{
    const wide_cell *const in = (const wide_cell *)args.in;

    HERE(1);
    (void)PEEK(PLAIN, &in[args.count / 2]);
}

KERNEL(peek_misaligned, struct test_args)
{
    const word_cell *const in = (const word_cell *)args.in;

    HERE(1);
    (void)PEEK(PLAIN, (const wide_cell *)(in + 1));
}

KERNEL(post_shared, struct test_args)
{
    SHARED(wide_cell, cells);

    HERE(1);
    POST(PLAIN, &cells[THREAD], 1);
}

KERNEL(lanes_apart, struct test_args)
{
    if (LANE < 7)
        WARP_BARRIER();
    HERE(1);
    (void)BALLOT(1);
}

KERNEL(lane_ended, struct test_args)
{
    if (LANE < 7)
        return;
    HERE(1);
    WARP_BARRIER();
}

KERNEL(lane_ends_early, struct test_args)
{
    if (LANE < 7)
        WARP_BARRIER();
}

KERNEL(barrier_apart, struct test_args)
{
    HERE(3);
    if (LANE < 7)
        BARRIER();
    BARRIER();
}

KERNEL(warp_ended, struct test_args)
{
    if (THREAD < 32)
        return;
    HERE(1);
    BARRIER();
}

KERNEL(warps_apart, struct test_args)
{
    if (THREAD < 32)
        BARRIER();
    HERE(1);
    BARRIER();
}

KERNEL(missing_lane, struct test_args)
{
    HERE(1);
    (void)SHUFFLE(LANE, 31); /* in a block of 40 threads the second warp has 8 lanes */
}

KERNEL(endless_loads, struct test_args)
{
    const word_cell *const in = (const word_cell *)args.in;

    HERE(1);
    while (LOAD(&in[0]) == 0) {
    }
}

KERNEL(endless_meetings, struct test_args)
{
    const word_cell *const in = (const word_cell *)args.in;

    HERE(1);
    while (BALLOT(LOAD(&in[0]) == 0)) {
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
