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

DEVICE void count_begin(struct tally_shared *sm)
{
    for (int i = THREAD; i < (int)sizeof *sm / TALLY_VECTOR; i += THREADS) {
        const vector none = {0, 0};

        STORE((vector_cell *)sm->counters + i, none);
    }
    BARRIER();
}

DEVICE void count_key(struct tally_shared *sm, unsigned bits)
{
    ADD(COUNTER, &sm->counters[bits * WARP + LANE], 1u);
}

/* A counter's offset is its value times 128, and four times its lane. */
DEVICE void count_vector(struct tally_shared *sm, vector v)
{
    UNROLL
    for (int i = 0; i < VECTOR_KEYS; i++) {
        const unsigned word = word_of(v, i / 4);
        const unsigned row = (i % 4 ? word >> (8 * (i % 4) - 7) : word << 7) & 255u << 7;

        ADD(COUNTER, (unsigned_cell *)((char *)sm->counters + (row | 4 * LANE)), 1u);
    }
}

/* Count the vectors [first, last) that are mine. */
DEVICE void count_vectors(struct tally_shared *sm, const vector_cell *all, wide first,
                          wide last)
{
    const wide step = (wide)BLOCKS * THREADS;
    wide i = first + (wide)BLOCK * THREADS + THREAD;

    NO_UNROLL
    for (; i + (COUNT_BATCH - 1) * step < last; i += COUNT_BATCH * step) {
        vector batch[COUNT_BATCH];

        UNROLL
        for (int j = 0; j < COUNT_BATCH; j++)
            batch[j] = LOAD_AS(BULK, all + i + j * step);
        UNROLL
        for (int j = 0; j < COUNT_BATCH; j++)
            count_vector(sm, batch[j]);
    }
    NO_UNROLL
    for (; i < last; i += step)
        count_vector(sm, LOAD_AS(BULK, all + i));
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
