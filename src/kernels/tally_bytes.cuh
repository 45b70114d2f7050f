/*
 * tally_bytes.cuh - count keys of one byte.
 *
 * A block has a counter for each value and lane, which all its warps share. The counters
 * of a lane lie in a bank of its own. So an addition has no bank conflict and no two lanes
 * of a warp add to the same counter, whatever the keys are.
 */
#if KEY_BITS == 8

struct tally_shared {
    unsigned_cell counters[TALLY_DIGITS * WARP];
};

AGREE(sizeof(struct tally_shared) == TALLY_SHARED(8));

enum { COUNT_BATCH = 4 }; /* vectors that a thread loads at once */

DEVICE void count_key(struct tally_shared *sm, unsigned bits)
{
    ADD(COUNTER, &sm->counters[bits * WARP + LANE], 1u);
}

/* A counter's offset is its value times 128, and four times its lane. */
DEVICE void count_vector(struct tally_shared *sm, vector v, int mine)
{
    UNROLL
    for (int i = 0; i < VECTOR_KEYS && mine; i++) {
        const unsigned word = word_of(v, i / 4);
        const unsigned row = (i % 4 ? word >> (8 * (i % 4) - 7) : word << 7) & 255u << 7;

        ADD(COUNTER, (unsigned_cell *)((char *)sm->counters + (row | 4 * LANE)), 1u);
    }
}

/* Counters of 4 bytes need no barrier before the end. */
DEVICE void meet_after(int batches)
{
    (void)batches;
}

/* Write my row: each warp adds up the counters of some codes. */
DEVICE void put_row(const struct tally_count_args *args, struct tally_shared *sm)
{
    unsigned_cell *const totals =
        (unsigned_cell *)args->rows.totals + (wide)BLOCK * TALLY_DIGITS;

    for (int code = THREAD / WARP; code < CODES; code += THREADS / WARP) {
        const unsigned bits = leave((key)code, &args->leave);
        const unsigned sum = SUM(LOAD(&sm->counters[bits * WARP + LANE]));

        if (LANE == 0)
            STORE(totals + code, sum);
    }
}

#endif
