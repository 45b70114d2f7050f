/*
 * select.cuh - what the kernels that select rows by rank share.
 */

enum { SELECT_BATCH = 6 }; /* rows that a thread of a team loads together */

/* The rows that a launch looks at: those of the job, or those that were staged. */
struct select_view {
    const struct tile_source *parts; /* codes are made of these, or ... */
    const char *keys;                /* ... loaded */
    struct key_code enter;
    const unsigned *numbers; /* of the rows; NULL: their places */
    unsigned pitch;
    unsigned count;
    unsigned lead; /* the first tile begins this many rows before the first row */
    int is_dense;  /* codes are an array, one after the other */
};

/* `count` rows, by codes of `bytes` bytes. */
DEVICE struct select_view view_rows(const struct tile_source *source,
                                    const struct key_code *enter, wide count, int bytes)
{
    struct select_view view;

    view.parts = source->part_count ? source : 0;
    view.keys = (const char *)source->keys;
    view.pitch = (unsigned)source->pitch;
    view.enter = *enter;
    view.numbers = 0;
    view.count = (unsigned)count;
    view.is_dense = !view.parts && view.pitch == (unsigned)bytes;
    view.lead = view.is_dense ? (unsigned)((wide)view.keys % 16) / (unsigned)bytes : 0;
    return view;
}

DEVICE struct select_view view_job(const struct select_args *args, int bytes)
{
    return view_rows(&args->source, &args->enter, args->count, bytes);
}

/* The first `count` staged rows. */
DEVICE struct select_view view_staged(const struct select_args *args, int bytes, wide count)
{
    struct select_view view;

    view.parts = 0;
    view.keys = (const char *)args->codes;
    view.pitch = (unsigned)bytes;
    view.enter.flip = 0;
    view.enter.is_float = 0;
    view.numbers = args->rows;
    view.count = (unsigned)count;
    view.is_dense = 1;
    view.lead = 0;
    return view;
}

/* Is there a row at a place that is counted from where the first tile begins? */
DEVICE int is_row(const struct select_view *view, wide place)
{
    return place - view->lead < view->count;
}

DEVICE wide_cell *cell_of(const wide *cell)
{
    return (wide_cell *)cell;
}

/* Of an array in shared memory: the sum of all lanes before mine and of mine. */
DEVICE unsigned sum_to_here(unsigned mine)
{
    for (int step = 1; step < WARP; step *= 2) {
        const unsigned other = SHUFFLE(mine, LANE >= step ? LANE - step : LANE);

        mine += LANE >= step ? other : 0;
    }
    return mine;
}

/* Shared memory of select_sample and select_count. */
struct select_shared {
    unsigned_cell bins[2][SELECT_BINS];
    unsigned_cell sums[4 * SELECT_WARPS];
    unsigned_cell found[4]; /* a bin, how many come before it, how many it has */
    unsigned_cell is_mine;
    unsigned_cell unused[3];
    wide_cell words[8];
};

AGREE(sizeof(struct select_shared) == SELECT_SHARED);
AGREE(SELECT_BINS % SELECT_THREADS == 0);

/* Add one to a bin, if `counts`. Lanes with the same bin, if there are many, add once. */
DEVICE void add_to_bin(unsigned_cell *bins, unsigned bin, int counts)
{
    unsigned left = BALLOT(counts);

    UNROLL
    for (int i = 0; i < 2; i++) {
        if (left) {
            const int leader = LOWEST_BIT(left);
            const unsigned theirs = SHUFFLE(bin, leader);
            const unsigned same = BALLOT(counts && bin == theirs);

            if (LANE == leader)
                ADD(PLAIN, &bins[bin], (unsigned)BITS(same));
            counts = counts && bin != theirs;
            left &= ~same;
        }
    }
    if (counts)
        ADD(PLAIN, &bins[bin], 1u);
}

DEVICE void clear_bins(struct select_shared *sm)
{
    for (int i = THREAD; i < SELECT_BINS; i += SELECT_THREADS) {
        STORE(&sm->bins[0][i], 0);
        STORE(&sm->bins[1][i], 0);
    }
    BARRIER();
}

/* Find the bin that has what comes after `rank` others. All threads; two barriers. */
DEVICE void find_bin(struct select_shared *sm, const unsigned_cell *bins, unsigned rank)
{
    enum { EACH = SELECT_BINS / SELECT_THREADS };
    unsigned mine[EACH];
    unsigned sum = 0, before;

    UNROLL
    for (int i = 0; i < EACH; i++) {
        mine[i] = LOAD(&bins[THREAD * EACH + i]);
        sum += mine[i];
    }
    before = sum_to_here(sum);
    if (LANE == WARP - 1)
        STORE(&sm->sums[THREAD / WARP], before);
    before -= sum;
    BARRIER();
    NO_UNROLL
    for (int i = 0; i < THREAD / WARP; i++)
        before += LOAD(&sm->sums[i]);
    UNROLL
    for (int i = 0; i < EACH; i++) {
        if (rank - before < mine[i]) {
            STORE(&sm->found[0], (unsigned)(THREAD * EACH + i));
            STORE(&sm->found[1], before);
            STORE(&sm->found[2], mine[i]);
        }
        before += mine[i];
    }
    BARRIER();
}

/* By how many bits differences of up to `span` are shifted to number 2^digit bins. */
DEVICE int shift_of(wide span, int digit)
{
    const unsigned upper = (unsigned)(span >> 32);
    const int bits = upper  ? 33 + HIGHEST_BIT(upper)
                     : span ? 1 + HIGHEST_BIT((unsigned)span)
                            : 0;

    return bits > digit ? bits - digit : 0;
}

/* One end while it is being found. */
struct select_range {
    wide low, high;
    unsigned rank;
    int found;
};

/*
 * Narrow a range to a bin that was found: its number, how many come before it, how many it
 * has. It is narrow enough if it is one code, or if the wanted row is the bin's first
 * (`side` 0), its last (1) or its only one (2).
 */
DEVICE void narrow(struct select_range *range, const unsigned_cell *found, int digit,
                   int side)
{
    const int shift = shift_of(range->high - range->low, digit);
    const unsigned count = LOAD(&found[2]);
    const wide low = range->low + ((wide)LOAD(&found[0]) << shift);
    const wide high = low + (((wide)1 << shift) - 1);

    range->low = low;
    range->high = high < range->high ? high : range->high;
    range->rank -= LOAD(&found[1]);
    range->found = shift == 0 || (side == 0   ? range->rank == 0
                                  : side == 1 ? range->rank + 1 == count
                                              : count == 1);
    if (side == 1 && range->rank + 1 == count)
        range->rank = ~0u; /* all of them are wanted */
}

/* A number that looks random. */
DEVICE unsigned mixed(unsigned x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* The row that is sample `i`: one of its share of all rows. */
DEVICE wide sampled_row(wide i, wide count)
{
    const wide first = i * count / SELECT_SAMPLES;
    const unsigned share = (unsigned)((i + 1) * count / SELECT_SAMPLES - first);

    return first + mixed((unsigned)i) % share;
}
