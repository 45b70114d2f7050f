/*
 * select_passes.cuh - for select_count: the codes of the first and the last rank. Each pass
 * counts the codes of a range by their next bits and goes on with the bin that has the
 * rank.
 *
 * All passes are one launch. A block takes tickets: the first ones are for parts of the
 * first pass, the next ones for parts of the second. A block that waits for a pass to end
 * waits for tickets that blocks already running have taken, so no block waits forever.
 */

/* Do the staged rows include all that are wanted? */
DEVICE int stage_holds(const struct select_args *args)
{
    wide before, staged;

    if (!args->is_sampled)
        return 0;
    before = LOAD(cell_of(&args->state->before));
    staged = LOAD(cell_of(&args->state->staged));
    return staged <= args->capacity && before <= args->first &&
           before + staged >= args->last;
}

DEVICE unsigned next_ticket(const struct select_args *args, struct select_shared *sm)
{
    BARRIER(); /* what was read of shared memory may be overwritten */
    if (THREAD == 0)
        STORE(&sm->is_mine, (unsigned)ADD(CUT, cell_of(&args->state->tickets[2]), (wide)1));
    BARRIER();
    return LOAD(&sm->is_mine);
}

/* One of the ranges that are in shared memory. */
DEVICE struct select_range range_at(const struct select_shared *sm, int side)
{
    struct select_range range;

    range.low = LOAD(&sm->words[4 * side]);
    range.high = LOAD(&sm->words[4 * side + 1]);
    range.rank = (unsigned)LOAD(&sm->words[4 * side + 2]);
    range.found = LOAD(&sm->words[4 * side + 3]) != 0;
    return range;
}

/* The ranges before the first pass. One thread. */
DEVICE void begin_ranges(const struct select_args *args, struct select_shared *sm,
                         int is_staged)
{
    struct select_state *const state = args->state;
    const wide before = is_staged ? LOAD(cell_of(&state->before)) : 0;
    const wide highest = args->code_bytes == 4 ? 0xffffffffu : ~(wide)0;
    const wide low = is_staged ? LOAD(cell_of(&state->low)) : 0;
    const wide high = is_staged ? LOAD(cell_of(&state->high)) : highest;

    STORE(&sm->words[0], low);
    STORE(&sm->words[1], high);
    STORE(&sm->words[2], args->first - before);
    STORE(&sm->words[3], !args->is_two_sided);
    STORE(&sm->words[4], low);
    STORE(&sm->words[5], high);
    STORE(&sm->words[6], args->last - 1 - before);
    STORE(&sm->words[7], 0);
}

/* Get the ranges before a pass; 0 if both ends are found. */
DEVICE int read_ranges(const struct select_args *args, struct select_shared *sm,
                       int is_staged, unsigned pass)
{
    struct select_state *const state = args->state;

    if (THREAD == 0 && pass == 0)
        begin_ranges(args, sm, is_staged);
    if (THREAD < 8 && pass > 0) {
        while (PEEK(CUT, cell_of(&state->passes)) < pass)
            PAUSE();
        FENCE();
        STORE(&sm->words[THREAD], PEEK(CUT, cell_of(&state->end[0].low) + THREAD));
    }
    BARRIER();
    return !LOAD(&sm->words[3]) || !LOAD(&sm->words[7]);
}

/* Are both ends still in the same range? Then one histogram serves both. */
DEVICE int is_one_range(const struct select_shared *sm)
{
    return !LOAD(&sm->words[3]) && !LOAD(&sm->words[7]) &&
           LOAD(&sm->words[0]) == LOAD(&sm->words[4]) &&
           LOAD(&sm->words[1]) == LOAD(&sm->words[5]);
}

/* Add my bins of a range to those of all. */
DEVICE void add_bins(const unsigned_cell *bins, wide *all)
{
    UNROLL
    for (int i = 0; i < SELECT_BINS / SELECT_THREADS; i++) {
        const int bin = i * SELECT_THREADS + THREAD;
        const unsigned mine = LOAD(&bins[bin]);

        if (mine)
            ADD(CUT, cell_of(all + bin), (wide)mine);
    }
}

/* Get them back; all loads are under way before the first value is used. */
DEVICE void get_bins(unsigned_cell *bins, const wide *all)
{
    wide sum[SELECT_BINS / SELECT_THREADS];

    UNROLL
    for (int i = 0; i < SELECT_BINS / SELECT_THREADS; i++)
        sum[i] = PEEK(CUT, cell_of(all + i * SELECT_THREADS + THREAD));
    UNROLL
    for (int i = 0; i < SELECT_BINS / SELECT_THREADS; i++)
        STORE(&bins[i * SELECT_THREADS + THREAD], (unsigned)sum[i]);
}

/* Add my bins to those of all; if I am the last, get them back and return 1. */
DEVICE int add_up(const struct select_args *args, struct select_shared *sm, unsigned pass,
                  unsigned units)
{
    wide *const bins = args->bins + (wide)pass * 2 * SELECT_BINS;

    if (args->is_two_sided)
        add_bins(sm->bins[0], bins);
    add_bins(sm->bins[1], bins + SELECT_BINS);
    FENCE();
    BARRIER();
    if (THREAD == 0)
        STORE(&sm->is_mine,
              ADD(CUT, cell_of(&args->state->done[pass]), (wide)1) == units - 1);
    BARRIER();
    if (!LOAD(&sm->is_mine))
        return 0;
    FENCE();
    if (args->is_two_sided)
        get_bins(sm->bins[0], bins);
    get_bins(sm->bins[1], bins + SELECT_BINS);
    BARRIER();
    return 1;
}

/* Narrow one range by the bins of all rows, and post it. */
DEVICE struct select_range narrow_end(const struct select_args *args,
                                      struct select_shared *sm, int side, int is_one)
{
    struct select_end *const end = &args->state->end[side];
    struct select_range range = range_at(sm, side);

    if (!range.found) {
        find_bin(sm, sm->bins[is_one ? 1 : side], range.rank);
        narrow(&range, sm->found, SELECT_DIGIT, side);
    }
    if (THREAD == 0) {
        POST(CUT, cell_of(&end->low), range.low);
        POST(CUT, cell_of(&end->high), range.high);
        POST(CUT, cell_of(&end->rank), range.rank);
        POST(CUT, cell_of(&end->found), range.found);
    }
    return range;
}

/* Narrow both, and tell the other blocks. */
DEVICE void narrow_both(const struct select_args *args, struct select_shared *sm,
                        int is_staged, unsigned pass, int is_one)
{
    struct select_state *const state = args->state;
    const struct select_range begin = narrow_end(args, sm, 0, is_one);
    const struct select_range end = narrow_end(args, sm, 1, is_one);

    if (THREAD == 0) {
        if (begin.found && end.found) {
            STORE(cell_of(&state->is_staged), is_staged);
            STORE(cell_of(&state->skip), args->is_two_sided ? begin.rank : 0);
            STORE(cell_of(&state->most), (wide)end.rank + 1);
        }
        FENCE();
        POST(CUT, cell_of(&state->passes), pass + 1);
    }
}
