/*
 * select_passes.cuh - for select_count: many blocks narrow ranges together.
 *
 * All passes are one launch. The rows are divided into units. In the first pass a block
 * takes a ticket for a unit, counts it, and takes the next one, until no unit is left. Its
 * units are the same in all later passes. So a block only waits for units of blocks that
 * already run.
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

DEVICE unsigned take_ticket(const struct select_args *args)
{
    return (unsigned)ADD(CUT, cell_of(&args->state->tickets[1]), (wide)1);
}

/* The units of my block: a bit for each. */
DEVICE void own(struct select_shared *sm, unsigned unit)
{
    if (THREAD == 0)
        STORE(&sm->owned[unit / 32], LOAD(&sm->owned[unit / 32]) | 1u << unit % 32);
}

/* The first of them from `unit` on; `units` if there is none. */
DEVICE unsigned next_owned(const struct select_shared *sm, unsigned unit, unsigned units)
{
    NO_UNROLL
    while (unit < units) {
        const unsigned bits = LOAD(&sm->owned[unit / 32]) >> unit % 32;

        if (bits)
            return unit + (unsigned)LOWEST_BIT(bits);
        unit = (unit / 32 + 1) * 32;
    }
    return units;
}

/* The ranges before the first pass. A barrier follows. */
DEVICE void begin_ranges(const struct select_args *args, struct select_shared *sm,
                         const struct select_aim *aim, int is_staged, unsigned count)
{
    const struct select_state *const state = args->state;
    const wide highest = args->result.code_bytes == 4 ? 0xffffffffu : ~(wide)0;

    if (THREAD < 2) {
        const wide low = is_staged ? LOAD(cell_of(&state->low.code)) : 0;
        const wide high = is_staged ? LOAD(cell_of(&state->high.code)) & highest : highest;

        begin_range(aim, sm, THREAD, low, high, count);
    }
    if (THREAD < SELECT_UNITS / 32)
        STORE(&sm->owned[THREAD], 0);
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

/* Load the sums of all blocks; all loads are issued before the first value is used. */
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

DEVICE void add_both_bins(const struct select_args *args, const struct select_shared *sm,
                          unsigned pass)
{
    wide *const bins = args->bins + pass * (args->is_two_sided ? 2u : 1u) * SELECT_BINS;

    add_bins(sm->bins[1], bins);
    if (args->is_two_sided)
        add_bins(sm->bins[0], bins + SELECT_BINS);
}

/* The greatest number that any lane has. */
DEVICE wide greatest_of_warp(wide mine, int code_bytes)
{
    unsigned upper;

    if (code_bytes == 4)
        return GREATEST((unsigned)mine);
    upper = GREATEST((unsigned)(mine >> 32));
    return (wide)upper << 32 | GREATEST(mine >> 32 == upper ? (unsigned)mine : 0);
}

/*
 * Keep the least and greatest code that my warp counted for a side. A barrier follows.
 * Returns the complement of the least.
 */
DEVICE wide keep_seen(struct select_shared *sm, wide unlike, wide most, int code_bytes)
{
    unlike = greatest_of_warp(unlike, code_bytes);
    most = greatest_of_warp(most, code_bytes);
    if (LANE == 0) {
        STORE(&sm->ends[THREAD / WARP], unlike);
        STORE(&sm->ends[SELECT_WARPS + THREAD / WARP], most);
    }
    return unlike;
}

/* Tell all blocks the least and the greatest code that mine has counted. */
DEVICE void post_seen(const struct select_shared *sm, struct select_seen *seen,
                      int code_bytes)
{
    if (THREAD < WARP) {
        const wide unlike = greatest_of_warp(LOAD(&sm->ends[LANE]), code_bytes);
        const wide most =
            greatest_of_warp(LOAD(&sm->ends[SELECT_WARPS + LANE]), code_bytes);

        if (LANE == 0) {
            RAISE(CUT, cell_of(&seen->unlike), unlike);
            RAISE(CUT, cell_of(&seen->most), most);
        }
    }
}

/*
 * Wait until all units are done, as `done` counts them; mine are. Then what their blocks
 * have stored can be loaded. One thread calls this, before a barrier.
 */
DEVICE void await_units(const wide *done, unsigned units)
{
    while (PEEK(CUT, cell_of(done)) < units) {
    }
}

/* Limit the range of a side, after it was narrowed, to the codes that were seen. */
DEVICE void clip_range(const struct select_aim *aim, struct select_shared *sm, int side,
                       wide least, wide most)
{
    struct select_range range = range_at(sm, side);

    if (!range.by_row && least <= most) {
        range.low = range.low < least ? least : range.low;
        range.high = range.high > most ? most : range.high;
        if (aim->is_sorted)
            narrow_by_row(&range, aim->rows);
        else
            range.found = range.found || range.low == range.high;
        keep_range(sm, side, &range);
    }
}

/* All units are counted: narrow both ranges. All blocks find the same. */
DEVICE void narrow_both(const struct select_args *args, struct select_shared *sm,
                        const struct select_aim *aim, unsigned pass)
{
    const wide *const bins =
        args->bins + pass * (aim->is_two_sided ? 2u : 1u) * SELECT_BINS;
    /* where no begin is searched for, the first pass tells the least code */
    const int is_begin = !aim->is_two_sided && aim->is_sorted && pass == 0;
    const int both = is_begin || is_one_range(sm);
    const int clips = THREAD < 2 && (is_begin || !range_at(sm, THREAD % 2).found);
    wide unlike = 0, most = 0;

    if (clips) {
        const struct select_seen *const seen =
            &args->state->seen[pass][both ? 1 : THREAD % 2];

        unlike = PEEK(CUT, cell_of(&seen->unlike));
        most = PEEK(CUT, cell_of(&seen->most));
    }
    get_bins(sm->bins[1], bins);
    if (aim->is_two_sided)
        get_bins(sm->bins[0], bins + SELECT_BINS);
    BARRIER();
    narrow_alone(aim, sm);
    if (clips)
        clip_range(aim, sm, THREAD,
                   args->result.code_bytes == 4 ? (unsigned)~unlike : ~unlike, most);
    BARRIER();
}

/* Tell select_filter which ranges were found. */
DEVICE void tell_ends(const struct select_args *args, const struct select_shared *sm)
{
    struct select_state *const state = args->state;
    const struct select_range begin = range_at(sm, 0), end = range_at(sm, 1);

    if (THREAD == 0) {
        STORE(cell_of(&state->end[0].low), begin.low);
        STORE(cell_of(&state->end[1].high), end.high);
        STORE(cell_of(&state->skip), args->is_two_sided ? begin.rank : 0);
        STORE(cell_of(&state->most), (wide)end.rank + 1);
    }
}

/*
 * Not inlined: it has many values in registers, and its callers many others. It declares
 * the shared memory itself: the compiler would not know that a pointer argument points
 * there.
 */
APART void order_collected(unsigned count, int is_packed)
{
    SHARED(struct select_shared, sm);

    if (is_packed) {
        const struct select_list list = list_of(sm, 4, SELECT_ROOM);

        order_list(&list, count, SELECT_ROOM / SELECT_THREADS, sm->bins[0], sm->sums);
    } else {
        const struct select_list list = list_of(sm, 8, SELECT_ROOM);

        order_list(&list, count, SELECT_ROOM / SELECT_THREADS, sm->bins[0], sm->sums);
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
