/*
 * select_word_stage.cuh - rows between two bounds, for codes of one width: see
 * select_word.cuh and select_stage.cuh.
 */

/*
 * The codes of a tile that may lie between the bounds: `span` + 1 from `lowest` on, or
 * none. A bound's own code is none of them if all rows of the tile are beyond its row: so
 * it is in tiles before `low_tile`, and from `high_tile` on.
 */
struct SELECT_NAME(between) {
    SELECT_CODE lowest, span;
    int is_empty;
};

DEVICE struct SELECT_NAME(between)
    SELECT_NAME(between_in)(unsigned tile, unsigned low_tile, unsigned high_tile,
                            const struct select_bound *low, const struct select_bound *high)
{
    const SELECT_CODE no_low = tile < low_tile;
    const SELECT_CODE none = (SELECT_CODE)(no_low + (tile >= high_tile));
    const SELECT_CODE span = (SELECT_CODE)high->code - (SELECT_CODE)low->code;
    const struct SELECT_NAME(between)
        codes = {(SELECT_CODE)low->code + no_low, span - none, none > span};

    return codes;
}

/* Does any lane have such a code? */
DEVICE int SELECT_NAME(any_between)(const SELECT_CODE *code,
                                    const struct SELECT_NAME(between) * codes)
{
    SELECT_CODE least = (SELECT_CODE) ~(SELECT_CODE)0;

    UNROLL
    for (int i = 0; i < SELECT_NAME(each); i++) {
        const SELECT_CODE place = (SELECT_CODE)(code[i] - codes->lowest);

        least = place < least ? place : least;
    }
    return BALLOT(least <= codes->span && !codes->is_empty) != 0;
}

/*
 * Stage my rows of a tile that lie between the bounds. Few do: so the codes of most tiles
 * are compared and dropped, and those of rows to be staged are loaded again.
 */
DEVICE unsigned SELECT_NAME(stage_tile)(const struct select_sink *sink,
                                        struct stage_held *held, unsigned count,
                                        const struct select_view *view,
                                        const SELECT_CODE *code, unsigned has, wide begin,
                                        const struct SELECT_NAME(between) * codes,
                                        const struct select_bound *low,
                                        const struct select_bound *high)
{
    unsigned mine = 0; /* bit i: code i is between them, perhaps */

    UNROLL
    for (int i = 0; i < SELECT_NAME(each); i++)
        mine |= (unsigned)((SELECT_CODE)(code[i] - codes->lowest) <= codes->span) << i;
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
    const wide places = (wide)view.lead + view.count;
    const unsigned tiles = (unsigned)((places + TILE - 1) / TILE);
    const unsigned first = view.lead > 0; /* the first full tile */
    const unsigned full =
        view.is_dense ? (unsigned)(places / TILE) - first : 0; /* full tiles */
    const quad_cell *const mine =
        OPAQUE(SELECT_NAME(pack_at)(&view, view.is_dense ? SELECT_NAME(begin)(0) : 0));
    const unsigned low_tile = (unsigned)((low.row + view.lead) / TILE);
    const unsigned high_tile =
        high.row < view.count ? (unsigned)((high.row + view.lead) / TILE) + 1 : tiles;
    struct stage_held *const held = &sm->held[THREAD / WARP];
    unsigned count = 0, before = 0;

    NO_UNROLL
    for (unsigned tile = (unsigned)BLOCK; tile < tiles; tile += (unsigned)BLOCKS) {
        const wide from = (wide)tile * TILE;
        const struct SELECT_NAME(between) codes =
            SELECT_NAME(between_in)(tile, low_tile, high_tile, &low, &high);
        SELECT_CODE code[SELECT_NAME(each)];
        unsigned has = (1u << SELECT_NAME(each)) - 1;

        if (tile - first < full)
            SELECT_NAME(load_full)(code, &view, mine + from / SELECT_NAME(pack));
        else
            has =
                SELECT_NAME(load)(code, &view, from, from + TILE, SELECT_NAME(begin)(tile));
        if (args->is_two_sided)
            before += SELECT_NAME(before)(&view, code, has, SELECT_NAME(begin)(tile), &low);
        if (SELECT_NAME(any_between)(code, &codes))
            count = SELECT_NAME(stage_tile)(&sink, held, count, &view, code, has,
                                            SELECT_NAME(begin)(tile), &codes, &low, &high);
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
