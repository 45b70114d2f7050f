/*
 * deal_runs.cuh - counting the keys of a block's turn by digit, a bucket, a tile or a bin
 * (deal.cuh).
 *
 * Lanes that add to the same counter are serialised. Where keys are sorted, or nearly so,
 * neighbouring lanes mostly have the same digit: they are a run, whose first lane adds for
 * all of it.
 */

enum {
    DIGIT_BITS = 10,     /* of a counter of deal_keys.cu */
    RUNS_MOST = WARP / 4 /* of lanes' first keys; with more each lane adds for itself */
};

/* My first key of a turn. A warp takes neighbouring keys, a lane every WARP-th of them. */
DEVICE int my_first(void)
{
    return THREAD / WARP * (WARP * DEAL_EACH) + LANE;
}

/* Keys of a block's turn that begins at `first`. */
DEVICE int count_from(unsigned first, unsigned end)
{
    return first >= end ? 0 : end - first < DEAL_KEYS ? (int)(end - first) : DEAL_KEYS;
}

/* The lanes where runs begin: lane 0, and those with another digit than the lane before. */
DEVICE unsigned run_begins(unsigned digit)
{
    const unsigned before = SHUFFLE(digit, (LANE + WARP - 1) % WARP);

    return BALLOT(LANE == 0 || digit != before);
}

/* Are most digits those of their neighbours? */
DEVICE int are_alike(unsigned digit)
{
    return BITS(run_begins(digit)) <= RUNS_MOST;
}

/* Neighbouring lanes that have one digit. */
struct deal_run {
    int place;     /* of my lane in the run */
    unsigned more; /* if that is 0: the lanes of the run after mine */
};

DEVICE struct deal_run run_of(unsigned digit)
{
    const unsigned begins = run_begins(digit);
    const unsigned past = begins >> LANE >> 1 | 1u << (WARP - 1 - LANE);
    struct deal_run run;

    run.place = WARP - 1 - HIGHEST_BIT(begins << (WARP - 1 - LANE));
    run.more = (unsigned)LOWEST_BIT(past);
    return run;
}

/*
 * Count my keys by digit. told[j], at first the digit of key j, also gets the key's number
 * among those of its digit, times 2^DIGIT_BITS. If all keys of a warp have one digit, one
 * lane adds for all of them.
 */
DEVICE void count_keys(unsigned_cell *counts, unsigned *told)
{
    if (!are_alike(told[0])) {
        UNROLL
        for (int j = 0; j < DEAL_EACH; j++)
            told[j] |= ADD(PLAIN, &counts[told[j]], 1) << DIGIT_BITS;
        return;
    }

    const unsigned same = SHUFFLE(told[0], 0);
    unsigned other = 0;

    UNROLL
    for (int j = 0; j < DEAL_EACH; j++)
        other |= told[j] ^ same;
    if (BALLOT(other != 0) == 0) {
        unsigned first = 0;

        if (LANE == 0)
            first = ADD(PLAIN, &counts[same], WARP * DEAL_EACH);
        first = SHUFFLE(first, 0) + (unsigned)LANE;
        UNROLL
        for (int j = 0; j < DEAL_EACH; j++)
            told[j] = same | (first + (unsigned)(WARP * j)) << DIGIT_BITS;
        return;
    }
    UNROLL
    for (int j = 0; j < DEAL_EACH; j++) {
        const struct deal_run run = run_of(told[j]);
        unsigned first = 0;

        if (run.place == 0)
            first = ADD(PLAIN, &counts[told[j]], run.more + 1);
        first = SHUFFLE(first, LANE - run.place) + (unsigned)run.place;
        told[j] |= first << DIGIT_BITS;
    }
}

/*
 * Count the keys of a turn in bins. `left` keys are there from my first one on. Places
 * after the last key are counted in a cell after the bins.
 */
DEVICE void count_turn(unsigned_cell *counts, const struct deal_bins *bins,
                       const key_cell *in, int left, const int gapped)
{
    key k[DEAL_EACH];
    unsigned bin[DEAL_EACH];

    UNROLL
    for (int j = 0; j < DEAL_EACH; j++)
        k[j] = WARP * j < left ? LOAD_AS(BULK, &in[my_first() + WARP * j]) : 0;
    UNROLL
    for (int j = 0; j < DEAL_EACH; j++)
        bin[j] = WARP * j < left ? bin_of(k[j], bins, gapped) : (unsigned)DEAL_BINS;
    if (are_alike(bin[0])) {
        UNROLL
        for (int j = 0; j < DEAL_EACH; j++) {
            const struct deal_run run = run_of(bin[j]);

            if (run.place == 0)
                ADD(PLAIN, &counts[bin[j]], run.more + 1);
        }
    } else {
        UNROLL
        for (int j = 0; j < DEAL_EACH; j++)
            ADD(PLAIN, &counts[bin[j]], 1);
    }
}
