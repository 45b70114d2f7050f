/*
 * select_word_count.cuh - select_count for codes of one width: see select_word.cuh.
 */

/* Count the rows of a unit: every `units`-th tile. */
DEVICE void SELECT_NAME(count_unit)(struct select_shared *sm,
                                    struct SELECT_NAME(alone) * mine, unsigned unit,
                                    unsigned units, unsigned tiles,
                                    struct SELECT_NAME(seen) * seen)
{
    NO_UNROLL
    for (unsigned tile = unit; tile < tiles; tile += units) {
        SELECT_NAME(visit)(mine, tile);
        SELECT_NAME(count_both)
        (sm, &mine->view, SELECT_NAME(begin)(tile), mine->code, mine->has, seen);
    }
}

/*
 * Count the rows of units, and add my bins to those of all: of `unit` in the first pass,
 * then of all units that are mine.
 */
DEVICE void SELECT_NAME(count_pass)(const struct select_args *args,
                                    struct select_shared *sm,
                                    struct SELECT_NAME(alone) * mine, unsigned unit,
                                    unsigned units, unsigned tiles, unsigned pass,
                                    int is_clear)
{
    const int ties = pass == 0 && tells_ties(args, &mine->view, units, tiles);
    const SELECT_CODE ones = (SELECT_CODE) ~(SELECT_CODE)0;
    struct SELECT_NAME(seen) seen = {
        {ones, ones},
        {0,    0   }
    };
    struct select_seen *const all = args->state->seen[pass];
    wide unlike;

    if (!is_clear)
        clear_bins(sm, args->is_two_sided);
    for (unsigned i = pass ? next_owned(sm, 0, units) : unit; i < units;
         i = pass ? next_owned(sm, i + 1, units) : units)
        SELECT_NAME(count_unit)(sm, mine, i, units, tiles, &seen);
    unlike = keep_seen(sm, (SELECT_CODE)~seen.least[1], seen.most[1], SELECT_BITS / 8);
    if (ties)
        keep_ties(sm, (unsigned)BITS(SELECT_NAME(tied)(mine, (SELECT_CODE)~unlike)));
    BARRIER();
    post_seen(sm, &all[1], SELECT_BITS / 8);
    if (ties)
        post_ties(args, sm, unit, SELECT_BITS / 8);
    add_both_bins(args, sm, pass);
    if (args->is_two_sided) {
        BARRIER();
        keep_seen(sm, (SELECT_CODE)~seen.least[0], seen.most[0], SELECT_BITS / 8);
        BARRIER();
        post_seen(sm, &all[0], SELECT_BITS / 8);
    }
}

/*
 * Find both ends, in passes. In the first pass a block takes tickets until no unit is left.
 * Returns how many units are mine; 0 if the wanted rows are ties, which need no ends.
 */
DEVICE unsigned SELECT_NAME(find_together)(const struct select_args *args,
                                           struct select_shared *sm,
                                           struct SELECT_NAME(alone) * mine,
                                           const struct select_aim *aim, unsigned unit,
                                           unsigned units, unsigned tiles)
{
    struct select_state *const state = args->state;
    unsigned owned = 0;

    mine->has = ~0u;
    mine->tiles = (tiles + units - 1) / units;
    NO_UNROLL
    for (unsigned pass = 0;;) {
        const int narrows = is_to_narrow(sm);

        if (pass > 0 && !narrows)
            return owned;
        if (narrows)
            SELECT_NAME(count_pass)(args, sm, mine, unit, units, tiles, pass, owned == 0);
        if (pass == 0) {
            own(sm, unit);
            owned++;
        }
        FENCE();
        BARRIER();
        if (THREAD == 0) {
            const unsigned next = pass == 0 ? take_ticket(args) : units;
            wide done = 0;

            if (narrows) {
                ADD(CUT, cell_of(&state->done[pass]), (wide)(pass == 0 ? 1 : owned));
                done = PEEK(CUT, cell_of(&state->done[pass]));
            }
            if (narrows && next >= units && done < units)
                await_units(&state->done[pass], units);
            STORE(&sm->ticket, next);
        }
        BARRIER();
        FENCE();
        unit = LOAD(&sm->ticket);
        if (unit < units) { /* the codes of several units do not stay in registers */
            mine->tiles = 2;
            continue;
        }
        if (!narrows)
            return owned;
        narrow_both(args, sm, aim, pass++);
        if (pass == 1 && is_to_narrow(sm) && tells_ties(args, &mine->view, units, tiles) &&
            find_ties(args, sm, units))
            return 0;
    }
}

/*
 * Collect the rows of my units, first in the list of my block and then in buckets; wait for
 * those of all others, and write.
 */
DEVICE void SELECT_NAME(collect_units)(const struct select_args *args,
                                       struct select_shared *sm,
                                       const struct select_list *list,
                                       struct SELECT_NAME(alone) * mine, unsigned owned,
                                       unsigned units, unsigned tiles)
{
    if (THREAD == 0)
        STORE(&sm->collected, 0);
    BARRIER();
    NO_UNROLL
    for (unsigned i = next_owned(sm, 0, units); i < units;
         i = next_owned(sm, i + 1, units)) {
        NO_UNROLL
        for (unsigned tile = i; tile < tiles; tile += units) {
            SELECT_NAME(visit)(mine, tile);
            SELECT_NAME(collect)
            (sm, list, &mine->view, mine->code, mine->has, SELECT_NAME(begin)(tile));
        }
    }
    BARRIER();
    write_together(args, sm, list, owned, units);
}

DEVICE void SELECT_NAME(count)(const struct select_args *args, struct select_shared *sm)
{
    enum { TILE = SELECT_TILE(SELECT_THREADS, SELECT_BITS / 8) };
    const unsigned ticket = THREAD == 0 ? take_ticket(args) : 0; /* under way meanwhile */
    const int is_staged = stage_holds(args);
    const struct select_view view =
        is_staged ? view_codes(args->codes, args->rows, LOAD(cell_of(&args->state->staged)),
                               SELECT_BITS / 8)
                  : view_job(args, SELECT_BITS / 8);
    const unsigned tiles = (unsigned)(((wide)view.lead + view.count + TILE - 1) / TILE);
    const unsigned units = tiles < (unsigned)BLOCKS ? tiles : (unsigned)BLOCKS;
    const struct select_aim aim = aim_of(args, is_staged);
    const struct select_list list = list_of(sm, SELECT_BITS / 8, SELECT_ROOM);
    struct SELECT_NAME(alone) mine;
    unsigned unit;

    begin_ranges(args, sm, &aim, is_staged, view.count);
    if (THREAD == 0)
        STORE(&sm->ticket, ticket);
    clear_bins(sm, args->is_two_sided); /* and a barrier */
    unit = LOAD(&sm->ticket);
    if (unit >= units)
        return;
    if (tiles <= SELECT_ALONE && args->is_sorted) {
        if (unit == 0)
            write_collected(args, sm, &list,
                            SELECT_NAME(select_alone)(sm, &list, &view, &aim));
        return;
    }
    mine.view = view;
    unit = SELECT_NAME(find_together)(args, sm, &mine, &aim, unit, units, tiles);
    if (unit == 0)
        SELECT_NAME(write_ties)(args, sm, &mine, units);
    else if (args->is_sorted)
        SELECT_NAME(collect_units)(args, sm, &list, &mine, unit, units, tiles);
    else if (LOAD(&sm->owned[0]) & 1)
        tell_ends(args, sm);
}
