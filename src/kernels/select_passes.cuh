/*
 * select_passes.cuh - for select_count: many blocks narrow ranges together.
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

/* The wanted ranks among the staged rows, or among all. */
DEVICE struct select_aim aim_of(const struct select_args *args, int is_staged)
{
    const wide before = is_staged ? LOAD(cell_of(&args->state->before)) : 0;
    struct select_aim aim;

    aim.first = (unsigned)(args->first - before);
    aim.last = (unsigned)(args->last - before);
    aim.slack = args->slack;
    aim.is_two_sided = args->is_two_sided;
    aim.is_sorted = args->is_sorted;
    aim.rows = args->count;
    return aim;
}

DEVICE unsigned next_ticket(const struct select_args *args, struct select_shared *sm)
{
    BARRIER(); /* what was read of shared memory may be overwritten */
    if (THREAD == 0)
        STORE(&sm->ticket, (unsigned)ADD(CUT, cell_of(&args->state->tickets[1]), (wide)1));
    BARRIER();
    return LOAD(&sm->ticket);
}

/* Get the ranges before a pass; 0 if both ends are found. */
DEVICE int read_ranges(const struct select_args *args, struct select_shared *sm,
                       const struct select_aim *aim, int is_staged, unsigned count,
                       unsigned pass)
{
    struct select_state *const state = args->state;

    if (THREAD < 2 && pass == 0) {
        const wide highest = args->result.code_bytes == 4 ? 0xffffffffu : ~(wide)0;
        const wide low = is_staged ? LOAD(cell_of(&state->low.code)) : 0;
        const wide high = is_staged ? LOAD(cell_of(&state->high.code)) & highest : highest;

        begin_range(aim, sm, THREAD, low, high, count);
    }
    if (THREAD < (int)(2 * SELECT_END_CELLS) && pass > 0) {
        while (PEEK(CUT, cell_of(&state->passes)) < pass)
            PAUSE();
        FENCE();
        STORE(&sm->words[THREAD], PEEK(CUT, cell_of(&state->end[0].low) + THREAD));
    }
    BARRIER();
    return is_to_narrow(sm);
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

/* Am I the last block of a pass? Then what the others have stored can be loaded. */
DEVICE int is_last_of(const struct select_args *args, struct select_shared *sm,
                      unsigned pass, unsigned units)
{
    FENCE();
    BARRIER();
    if (THREAD == 0)
        STORE(&sm->ticket,
              ADD(CUT, cell_of(&args->state->done[pass]), (wide)1) == units - 1);
    BARRIER();
    FENCE();
    return LOAD(&sm->ticket) != 0;
}

/* Add my bins to those of all; if I am the last, get them back and return 1. */
DEVICE int add_up(const struct select_args *args, struct select_shared *sm, unsigned pass,
                  unsigned units)
{
    wide *const bins = args->bins + (wide)pass * 2 * SELECT_BINS;

    if (args->is_two_sided)
        add_bins(sm->bins[0], bins);
    add_bins(sm->bins[1], bins + SELECT_BINS);
    if (!is_last_of(args, sm, pass, units))
        return 0;
    if (args->is_two_sided)
        get_bins(sm->bins[0], bins);
    get_bins(sm->bins[1], bins + SELECT_BINS);
    BARRIER();
    return 1;
}

DEVICE void post_range(struct select_end *end, const struct select_range *range)
{
    POST(CUT, cell_of(&end->low), range->low);
    POST(CUT, cell_of(&end->high), range->high);
    POST(CUT, cell_of(&end->rank), (wide)range->rank);
    POST(CUT, cell_of(&end->found), (wide)range->found);
    POST(CUT, cell_of(&end->code), range->code);
    POST(CUT, cell_of(&end->by_row), (wide)range->by_row);
}

/* Narrow both, and tell the other blocks. */
DEVICE void narrow_both(const struct select_args *args, struct select_shared *sm,
                        const struct select_aim *aim, unsigned pass, int is_one)
{
    struct select_state *const state = args->state;
    const struct select_range begin = narrow_end(aim, sm, 0, is_one);
    const struct select_range end = narrow_end(aim, sm, 1, is_one);

    if (THREAD == 0) {
        post_range(&state->end[0], &begin);
        post_range(&state->end[1], &end);
        if (begin.found && end.found) {
            STORE(cell_of(&state->skip), args->is_two_sided ? begin.rank : 0);
            STORE(cell_of(&state->most), (wide)end.rank + 1);
        }
        FENCE();
        POST(CUT, cell_of(&state->passes), pass + 1);
    }
}

/* Get the rows that all blocks have collected. Returns their count. */
DEVICE unsigned get_collected(const struct select_args *args,
                              const struct select_list *list)
{
    const wide all = PEEK(CUT, cell_of(&args->state->collected));
    const unsigned count = all < list->room ? (unsigned)all : list->room;

    for (unsigned i = (unsigned)THREAD; i < count; i += SELECT_THREADS)
        put_in_list(list, i, PEEK(CUT, cell_of(args->collected + 2 * i)),
                    (unsigned)PEEK(CUT, cell_of(args->collected + 2 * i + 1)));
    BARRIER();
    return count;
}

/*
 * Not inlined: it has many values in registers, and its callers many others. It names the
 * shared memory itself: of an address that it is told, only the caller knows which memory
 * it is in.
 */
APART void order_collected(unsigned count, int is_packed)
{
    SHARED(struct select_shared, sm);

    if (is_packed) {
        const struct select_list list = list_of(sm, 4, SELECT_ROOM(4));

        order_list(&list, count, SELECT_ROOM(4) / SELECT_THREADS, sm->bins[0], sm->sums);
    } else {
        const struct select_list list = list_of(sm, 8, SELECT_ROOM(8));

        order_list(&list, count, SELECT_ROOM(8) / SELECT_THREADS, sm->bins[0], sm->sums);
    }
}

/* Sort the rows that were collected, and write those that are wanted. */
DEVICE void write_collected(const struct select_args *args, struct select_shared *sm,
                            const struct select_list *list, unsigned count)
{
    const unsigned skip = range_at(sm, 0).rank;
    const unsigned wanted = (unsigned)(args->last - args->first);

    order_collected(count, list->is_packed);
    for (unsigned i = (unsigned)THREAD; i < wanted; i += SELECT_THREADS) {
        if (skip + i < count)
            write_result(&args->result, &args->enter, i, listed_row(list, skip + i), 0,
                         listed_code(list, skip + i));
        else if (args->result.numbers) /* only if keys change meanwhile */
            STORE_AS(BULK, (unsigned_cell *)args->result.numbers + i, GATHER_NONE);
    }
}
