/*
 * select_word_stage.cuh - rows between two bounds, for codes of one width: see
 * select_word.cuh and select_stage.cuh.
 */

/*
 * Stage my rows of a tile that lie between the bounds. Few do: so the codes of most tiles
 * are compared and dropped, and those of rows to be staged are loaded again.
 */
DEVICE unsigned SELECT_NAME(stage_tile)(const struct select_sink *sink,
                                        struct stage_held *held, unsigned count,
                                        const struct select_view *view,
                                        const SELECT_CODE *code, unsigned has, wide begin,
                                        const struct select_bound *low,
                                        const struct select_bound *high)
{
    enum { PACK = SELECT_NAME(pack), LAST = (SELECT_NAME(each) - PACK) * WARP + PACK - 1 };
    const SELECT_CODE lowest = (SELECT_CODE)low->code;
    const SELECT_CODE span = (SELECT_CODE)high->code - lowest;
    const int no_low = !view->numbers && begin + LAST < low->row + view->lead;
    const int no_high = !view->numbers && begin > view->lead &&
                        begin - view->lead > high->row; /* which may be all ones */
    unsigned mine = 0; /* bit i: code i is between them, perhaps */

    UNROLL
    for (int i = 0; i < SELECT_NAME(each); i++)
        mine |= (unsigned)((SELECT_CODE)(code[i] - lowest) <= span) << i;
    if (no_low || no_high) { /* rows at a bound are not taken */
        UNROLL
        for (int i = 0; i < SELECT_NAME(each); i++)
            mine &= ~((unsigned)((no_low && code[i] == lowest) ||
                                 (no_high && code[i] == (SELECT_CODE)high->code))
                      << i);
    }
    mine &= has;
    while (BALLOT(mine)) {
        wide at = 0;
        unsigned row = 0;
        SELECT_CODE again = 0;
        int takes = mine != 0;

        if (takes) {
            at = begin + SELECT_NAME(offset)(LOWEST_BIT(mine));
            mine &= mine - 1;
            row = row_at(view, at);
            again = SELECT_NAME(code_of)(view, at - view->lead);
            takes = is_between(low, high, again, row);
        }
        count = hold(sink, held, count, takes, again, row);
    }
    return count;
}

/* How many of my rows of a tile come before a bound. */
DEVICE unsigned SELECT_NAME(before)(const struct select_view *view, const SELECT_CODE *code,
                                    unsigned has, wide begin,
                                    const struct select_bound *bound)
{
    unsigned before = 0;

    UNROLL
    for (int i = 0; i < SELECT_NAME(each); i++) {
        const wide at = begin + SELECT_NAME(offset)(i);

        before += code[i] < (SELECT_CODE)bound->code ||
                  (code[i] == (SELECT_CODE)bound->code && has >> i & 1 &&
                   at - view->lead < bound->row);
    }
    return before;
}

DEVICE void SELECT_NAME(stage)(const struct select_args *args, struct stage_shared *sm)
{
    enum { TILE = SELECT_TILE(SELECT_FILTER_THREADS, SELECT_BITS / 8) };
    struct select_state *const state = args->state;
    const struct select_view view = view_job(args, SELECT_BITS / 8);
    const struct select_sink sink = {args->codes, args->rows, args->capacity,
                                     &state->staged, SELECT_BITS / 8};
    const struct select_bound low = get_bound(&state->low);
    const struct select_bound high = get_bound(&state->high);
    const unsigned tiles = (unsigned)(((wide)view.lead + view.count + TILE - 1) / TILE);
    struct stage_held *const held = &sm->held[THREAD / WARP];
    unsigned count = 0, before = 0;

    NO_UNROLL
    for (unsigned tile = (unsigned)BLOCK; tile < tiles; tile += (unsigned)BLOCKS) {
        const wide begin = SELECT_NAME(begin)(tile);
        SELECT_CODE code[SELECT_NAME(each)];
        const unsigned has = SELECT_NAME(load)(code, &view, (wide)tile * TILE,
                                               (wide)(tile + 1) * TILE, begin);
        if (args->is_two_sided)
            before += SELECT_NAME(before)(&view, code, has, begin, &low);
        count = SELECT_NAME(stage_tile)(&sink, held, count, &view, code, has, begin, &low,
                                        &high);
    }
    stage_rest(&sink, held, count, sm->counts, &sm->place);
    if (args->is_two_sided) {
        before = SUM(before);
        if (LANE == 0)
            STORE(&sm->before[THREAD / WARP], before);
        BARRIER();
        if (THREAD < WARP) {
            before = SUM(LANE < SELECT_FILTER_WARPS ? LOAD(&sm->before[LANE]) : 0);
            if (LANE == 0)
                ADD(CUT, cell_of(&state->before), (wide)before);
        }
    }
}
