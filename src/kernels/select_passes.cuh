/*
 * select_passes.cuh - for select_count: the codes of the first and the last rank. Each pass
 * counts the codes of a range by their next bits and goes on with the bin that has the
 * rank.
 *
 * All passes are one launch. A block takes tickets: the first ones are for parts of the
 * first pass, the next ones for parts of the second. Whoever waits for a pass to end waits
 * for tickets that running blocks have taken before, so nobody waits for ever.
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

/* The ranges before a pass. */
DEVICE void read_ranges(const struct select_args *args, struct select_shared *sm,
                        int is_staged, unsigned pass, struct select_range *range)
{
    struct select_state *const state = args->state;

    if (pass == 0) {
        const wide before = is_staged ? LOAD(cell_of(&state->before)) : 0;
        const wide high = args->code_bytes == 4 ? 0xffffffffu : ~(wide)0;

        range[0].low = range[1].low = is_staged ? LOAD(cell_of(&state->low)) : 0;
        range[0].high = range[1].high = is_staged ? LOAD(cell_of(&state->high)) : high;
        range[0].rank = (unsigned)(args->first - before);
        range[1].rank = (unsigned)(args->last - 1 - before);
        range[0].found = !args->is_two_sided;
        range[1].found = 0;
        return;
    }
    if (THREAD == 0) {
        while (PEEK(CUT, cell_of(&state->passes)) < pass)
            PAUSE();
        FENCE();
        UNROLL
        for (int i = 0; i < 8; i++)
            STORE(&sm->words[i], PEEK(CUT, cell_of(&state->end[0].low) + i));
    }
    BARRIER();
    UNROLL
    for (int side = 0; side < 2; side++) {
        range[side].low = LOAD(&sm->words[4 * side]);
        range[side].high = LOAD(&sm->words[4 * side + 1]);
        range[side].rank = (unsigned)LOAD(&sm->words[4 * side + 2]);
        range[side].found = LOAD(&sm->words[4 * side + 3]) != 0;
    }
}

/* Add my bins to those of all; if I am the last, get them back and return 1. */
DEVICE int add_up(const struct select_args *args, struct select_shared *sm, unsigned pass,
                  unsigned units)
{
    wide *const bins = args->bins + (wide)pass * 2 * SELECT_BINS;

    for (int i = THREAD; i < 2 * SELECT_BINS; i += SELECT_THREADS) {
        const unsigned mine = LOAD(&sm->bins[0][0] + i);

        if (mine)
            ADD(CUT, cell_of(bins + i), (wide)mine);
    }
    FENCE();
    BARRIER();
    if (THREAD == 0)
        STORE(&sm->is_mine,
              ADD(CUT, cell_of(&args->state->done[pass]), (wide)1) == units - 1);
    BARRIER();
    if (!LOAD(&sm->is_mine))
        return 0;
    FENCE();
    for (int i = THREAD; i < 2 * SELECT_BINS; i += SELECT_THREADS)
        STORE(&sm->bins[0][0] + i, (unsigned)PEEK(CUT, cell_of(bins + i)));
    BARRIER();
    return 1;
}

/* Narrow the ranges by the bins of all rows, and tell the other blocks. */
DEVICE void narrow_both(const struct select_args *args, struct select_shared *sm,
                        int is_staged, unsigned pass, struct select_range *range,
                        int is_shared)
{
    struct select_state *const state = args->state;

    UNROLL
    for (int side = 0; side < 2; side++) {
        if (!range[side].found) {
            find_bin(sm, sm->bins[is_shared ? 1 : side], range[side].rank);
            narrow(&range[side], sm->found, SELECT_DIGIT, side);
        }
    }
    if (THREAD == 0) {
        UNROLL
        for (int side = 0; side < 2; side++) {
            POST(CUT, cell_of(&state->end[side].low), range[side].low);
            POST(CUT, cell_of(&state->end[side].high), range[side].high);
            POST(CUT, cell_of(&state->end[side].rank), range[side].rank);
            POST(CUT, cell_of(&state->end[side].found), range[side].found);
        }
        if (range[0].found && range[1].found) {
            STORE(cell_of(&state->is_staged), is_staged);
            STORE(cell_of(&state->skip), args->is_two_sided ? range[0].rank : 0);
            STORE(cell_of(&state->most), (wide)range[1].rank + 1);
        }
        FENCE();
        POST(CUT, cell_of(&state->passes), pass + 1);
    }
}
