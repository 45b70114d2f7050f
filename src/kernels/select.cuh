/*
 * select.cuh - what the kernels that select rows by rank share.
 */

enum { SELECT_BATCH = 6 }; /* rows that a thread of a team loads together */

/* The rows that a launch looks at: those of the job, or those that were staged. */
struct select_view {
    const struct tile_source *parts; /* codes are made of these, or ... */
    const char *keys;                /* ... loaded, and become codes by ... */
    const struct field_code *rule;   /* ... a field's rule if `has_rule`, or ... */
    struct key_code enter;           /* ... this */
    int has_rule;
    const unsigned *numbers; /* of the rows; NULL: places from `base` on */
    unsigned base;
    unsigned pitch;
    unsigned count;
    unsigned lead; /* the first tile begins this many rows before the first row */
    int is_dense;  /* codes are an array, one after the other */
};

/* `count` rows from row `first` on, by codes of `bytes` bytes. */
DEVICE struct select_view view_rows(const struct tile_source *source,
                                    const struct key_code *enter, wide first, wide count,
                                    int bytes)
{
    struct select_view view;

    view.parts = source->part_count ? source : 0;
    view.rule = &source->part[0].code;
    view.has_rule = source->is_whole;
    view.keys = (const char *)source->keys + first * source->pitch;
    view.pitch = (unsigned)source->pitch;
    view.enter = *enter;
    view.numbers = 0;
    view.base = (unsigned)first;
    view.count = (unsigned)count;
    view.is_dense = !view.parts && view.pitch == (unsigned)bytes;
    view.lead = view.is_dense ? (unsigned)((wide)view.keys % 16) / (unsigned)bytes : 0;
    return view;
}

DEVICE struct select_view view_job(const struct select_args *args, int bytes)
{
    return view_rows(&args->source, &args->enter, 0, args->count, bytes);
}

/* `count` codes of `bytes` bytes, of rows that have these numbers. */
DEVICE struct select_view view_codes(const void *codes, const unsigned *numbers, wide count,
                                     int bytes)
{
    struct select_view view;

    view.parts = 0;
    view.rule = 0;
    view.has_rule = 0;
    view.keys = (const char *)codes;
    view.pitch = (unsigned)bytes;
    view.enter.flip = 0;
    view.enter.is_float = 0;
    view.numbers = numbers;
    view.base = 0;
    view.count = (unsigned)count;
    view.is_dense = (wide)codes % 16 == 0;
    view.lead = 0;
    return view;
}

/* Is there a row at a place that is counted from where the first tile begins? */
DEVICE int is_row(const struct select_view *view, wide place)
{
    return place - view->lead < view->count;
}

/* Its number. */
DEVICE unsigned row_at(const struct select_view *view, wide place)
{
    return view->numbers ? LOAD((const unsigned_cell *)view->numbers + (place - view->lead))
                         : view->base + (unsigned)(place - view->lead);
}

DEVICE wide_cell *cell_of(const wide *cell)
{
    return (wide_cell *)cell;
}

DEVICE struct select_bound get_bound(const struct select_bound *bound)
{
    const struct select_bound got = {LOAD(cell_of(&bound->code)),
                                     LOAD(cell_of(&bound->row))};

    return got;
}

/* Widen the range [low, high] of each lane to that of the whole warp. */
DEVICE void widen_by_warp(wide *low, wide *high, const int code_bytes)
{
    if (code_bytes == 4) {
        *low = (unsigned)~GREATEST(~(unsigned)*low);
        *high = GREATEST((unsigned)*high);
        return;
    }
    for (int step = WARP / 2; step > 0; step /= 2) {
        const wide lower = SHUFFLE_XOR(*low, step);
        const wide upper = SHUFFLE_XOR(*high, step);

        *low = lower < *low ? lower : *low;
        *high = upper > *high ? upper : *high;
    }
}

/* The same for the whole block: `ends` is shared memory of two for each warp. */
DEVICE void widen_by_block(wide *low, wide *high, const int code_bytes, wide_cell *ends)
{
    const int warp = LANE % (THREADS / WARP);

    widen_by_warp(low, high, code_bytes);
    if (LANE == 0) {
        STORE(&ends[2 * (THREAD / WARP)], *low);
        STORE(&ends[2 * (THREAD / WARP) + 1], *high);
    }
    BARRIER();
    *low = LOAD(&ends[2 * warp]);
    *high = LOAD(&ends[2 * warp + 1]);
    widen_by_warp(low, high, code_bytes);
    BARRIER();
}

/* Shared memory of select_guess; after it select_count has the rows that it collects. */
struct select_shared {
    unsigned_cell sums[SELECT_WARPS];
    unsigned_cell ties[SELECT_WARPS]; /* rows of each warp that have its least code */
    unsigned_cell found[4];           /* a bin, how many come before it, how many it has */
    unsigned_cell ticket;
    unsigned_cell collected;
    unsigned_cell unused[2];
    wide_cell ends[2 * SELECT_WARPS];
    wide_cell words[2 * SELECT_END_CELLS];
    unsigned_cell bins[2][SELECT_BINS];
    unsigned_cell owned[SELECT_UNITS / 32]; /* bits: what select_count's block counts */
};

AGREE(sizeof(struct select_shared) == SELECT_SHARED);
AGREE(SELECT_BINS % SELECT_THREADS == 0);

/* Clear the bins of the last rank and, if there is one, of the first. */
DEVICE void clear_bins(struct select_shared *sm, int is_two_sided)
{
    for (int i = THREAD; i < SELECT_BINS; i += THREADS) {
        STORE(&sm->bins[1][i], 0);
        if (is_two_sided)
            STORE(&sm->bins[0][i], 0);
    }
    BARRIER();
}

/* Find the bin that has what comes after `rank` others. All threads; two barriers. */
DEVICE void find_bin(struct select_shared *sm, const unsigned_cell *bins, unsigned rank)
{
    const int each = SELECT_BINS / THREADS;
    const unsigned_cell *const mine = bins + THREAD * each;
    unsigned sum = 0, before;

    for (int i = 0; i < each; i++)
        sum += LOAD(&mine[i]);
    before = sum_up_to_lane(sum);
    if (LANE == WARP - 1)
        STORE(&sm->sums[THREAD / WARP], before);
    before -= sum;
    BARRIER();
    before += SUM(LANE < THREAD / WARP ? LOAD(&sm->sums[LANE]) : 0);
    for (int i = 0; i < each && rank - before < sum; i++) {
        const unsigned count = LOAD(&mine[i]);

        if (rank - before < count) {
            STORE(&sm->found[0], (unsigned)(THREAD * each + i));
            STORE(&sm->found[1], before);
            STORE(&sm->found[2], count);
            break;
        }
        before += count;
        sum -= count;
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

/* One end while it is being found: see struct select_end. */
struct select_range {
    wide low, high;
    wide code;
    unsigned rank;
    int by_row;
    int found;
};

/* Is the wanted row one of the last (`side` 1) or of the first (0) of `count` rows? */
DEVICE int is_near(unsigned rank, unsigned count, int side, unsigned slack)
{
    return (side ? count - 1 - rank : rank) <= slack;
}

/*
 * Narrow a range to a bin that was found: its number, how many come before it, how many it
 * has. It is narrow enough if the wanted row is near the bin's end or begin.
 */
DEVICE void narrow(struct select_range *range, const unsigned_cell *found, int digit,
                   int side, unsigned slack)
{
    const int shift = shift_of(range->high - range->low, digit);
    const wide low = range->low + ((wide)LOAD(&found[0]) << shift);
    const wide rest = range->high - low; /* nothing here may exceed 64 bits */
    const wide most = ((wide)1 << shift) - 1;

    range->low = low;
    range->high = low + (most < rest ? most : rest);
    range->rank -= LOAD(&found[1]);
    range->found = is_near(range->rank, LOAD(&found[2]), side, slack);
}

/* Rows of a range of one code are told apart by their numbers, which are below `count`. */
DEVICE void narrow_by_row(struct select_range *range, wide count)
{
    if (!range->found && !range->by_row && range->low == range->high) {
        range->by_row = 1;
        range->code = range->low;
        range->low = 0;
        range->high = count - 1;
    }
}

/* Where a row is in a range: the number that is to be narrowed; others are not in it. */
DEVICE wide place_in(const struct select_range *range, wide code, unsigned row)
{
    if (!range->by_row)
        return code - range->low;
    return code == range->code ? row - range->low : ~(wide)0;
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

    return first + ((wide)mixed((unsigned)i) * share >> 32);
}

enum { SELECT_SAMPLES_EACH = SELECT_SAMPLES / SELECT_THREADS };

/* The row of sample `i` of a thread of select_guess. */
DEVICE unsigned my_sample(int i, wide count)
{
    return (unsigned)sampled_row((wide)(i * SELECT_THREADS + THREAD), count);
}

AGREE((int)SELECT_WARPS == (int)WARP);

/*
 * A code that the sample of a rank less than SELECT_WARPS does not exceed. After
 * widen_by_block() shared memory has the least code of each warp. Of these the one with
 * this rank is returned: at least `rank` samples come before it.
 */
DEVICE wide nearer_end(struct select_shared *sm, unsigned rank)
{
    if (THREAD < WARP) {
        const wide mine = LOAD(&sm->ends[2 * LANE]);
        unsigned before = 0;

        UNROLL
        for (int i = 0; i < WARP; i++) {
            const wide other = LOAD(&sm->ends[2 * i]);

            before += other < mine || (other == mine && i < LANE);
        }
        if (before == rank)
            STORE(&sm->words[0], mine);
    }
    BARRIER();
    return LOAD(&sm->words[0]);
}
