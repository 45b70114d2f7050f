/*
 * select_word_count.cuh - select_count for codes of one width: see select_word.cuh.
 */

/* Count the rows of every `units`-th tile. */
DEVICE void SELECT_NAME(count_tiles)(struct select_shared *sm,
                                     const struct select_view *view, unsigned tile,
                                     unsigned units)
{
    enum { TILE = SELECT_TILE(SELECT_THREADS, SELECT_BITS / 8) };

    clear_bins(sm, 1);
    NO_UNROLL
    for (; (wide)tile * TILE < (wide)view->lead + view->count; tile += units) {
        const wide begin = SELECT_NAME(begin)(tile);
        SELECT_CODE code[SELECT_NAME(each)];
        const unsigned has = SELECT_NAME(load)(code, view, (wide)tile * TILE,
                                               (wide)(tile + 1) * TILE, begin);
        SELECT_NAME(count_both)(sm, view, begin, code, has);
    }
    BARRIER();
}

/* Collect the rows of every `units`-th tile that lie between the ends that were found. */
DEVICE void SELECT_NAME(collect_tiles)(const struct select_args *args,
                                       struct select_shared *sm,
                                       const struct select_view *view, unsigned tile,
                                       unsigned units)
{
    enum { TILE = SELECT_TILE(SELECT_THREADS, SELECT_BITS / 8) };
    const struct select_sink sink = {0,
                                     0,
                                     args->collected,
                                     SELECT_ROOM(SELECT_BITS / 8),
                                     &args->state->collected,
                                     SELECT_BITS / 8};
    struct select_bound low, high;
    struct stage_held *const held = (struct stage_held *)(sm + 1) + THREAD / WARP;
    unsigned count = 0;

    found_bounds(sm, &low, &high);
    NO_UNROLL
    for (; (wide)tile * TILE < (wide)view->lead + view->count; tile += units) {
        const wide begin = SELECT_NAME(begin)(tile);
        SELECT_CODE code[SELECT_NAME(each)];
        const unsigned has = SELECT_NAME(load)(code, view, (wide)tile * TILE,
                                               (wide)(tile + 1) * TILE, begin);
        count = SELECT_NAME(stage_tile)(&sink, held, count, view, code, has, begin, &low,
                                        &high);
    }
    stage_rest(&sink, held, count, sm->sums, &sm->ends[0]);
}

DEVICE void SELECT_NAME(count)(const struct select_args *args, struct select_shared *sm)
{
    enum { TILE = SELECT_TILE(SELECT_THREADS, SELECT_BITS / 8) };
    const int is_staged = stage_holds(args);
    const struct select_view view =
        is_staged ? view_codes(args->codes, args->rows, LOAD(cell_of(&args->state->staged)),
                               SELECT_BITS / 8)
                  : view_job(args, SELECT_BITS / 8);
    const unsigned tiles = (unsigned)(((wide)view.lead + view.count + TILE - 1) / TILE);
    const unsigned units = tiles < (unsigned)BLOCKS ? tiles : (unsigned)BLOCKS;
    const struct select_aim aim = aim_of(args, is_staged);
    const struct select_list list =
        list_of(sm, SELECT_BITS / 8, SELECT_ROOM(SELECT_BITS / 8));
    unsigned ticket, pass;

    if ((unsigned)BLOCK >= units)
        return;
    if (units == 1 && args->is_sorted) {
        write_collected(args, sm, &list, SELECT_NAME(select_alone)(sm, &list, &view, &aim));
        return;
    }
    for (;;) {
        ticket = next_ticket(args, sm);
        pass = ticket / units;
        if (!read_ranges(args, sm, &aim, is_staged, view.count, pass))
            break;
        SELECT_NAME(count_tiles)(sm, &view, ticket % units, units);
        if (add_up(args, sm, pass, units))
            narrow_both(args, sm, &aim, pass, is_one_range(sm));
    }
    if (!args->is_sorted)
        return;
    SELECT_NAME(collect_tiles)(args, sm, &view, ticket % units, units);
    if (is_last_of(args, sm, pass, units))
        write_collected(args, sm, &list, get_collected(args, &list));
}
