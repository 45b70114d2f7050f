/*
 * select_word_count.cuh - select_count for codes of one width: see select_word.cuh.
 */

/* Count the codes of a tile that lie in the ranges: by the bins of each. */
DEVICE void SELECT_NAME(count_tile)(struct select_shared *sm,
                                    const struct select_view *view, wide tile,
                                    const struct select_range *range, int is_shared)
{
    enum {
        PACK = SELECT_NAME(pack),
        TILE = SELECT_TILE(SELECT_BITS / 8),
        PART = TILE / SELECT_WARPS
    };
    const wide begin = tile * TILE + (wide)(THREAD / WARP * PART + LANE * PACK);
    SELECT_CODE code[SELECT_NAME(each)];

    SELECT_NAME(load)(code, view, tile, begin);
    UNROLL
    for (int side = 0; side < 2; side++) {
        const SELECT_CODE low = (SELECT_CODE)range[side].low;
        const SELECT_CODE span = (SELECT_CODE)(range[side].high - range[side].low);
        const int shift = shift_of(span, SELECT_DIGIT);

        if (range[side].found || (is_shared && side == 0))
            continue;
        UNROLL
        for (int i = 0; i < SELECT_NAME(each); i++) {
            const wide at = begin + (wide)(i / PACK * PACK * WARP + i % PACK);
            const SELECT_CODE distance = (SELECT_CODE)(code[i] - low);

            add_to_bin(sm->bins[side], (unsigned)(distance >> shift),
                       distance <= span && is_row(view, at));
        }
    }
}

DEVICE void SELECT_NAME(count)(const struct select_args *args, struct select_shared *sm)
{
    enum { TILE = SELECT_TILE(SELECT_BITS / 8) };
    const int is_staged = stage_holds(args);
    const struct select_view view =
        is_staged ? view_staged(args, SELECT_BITS / 8,
                                LOAD((const wide_cell *)&args->state->staged))
                  : view_job(args, SELECT_BITS / 8);
    const wide tiles = (view.lead + view.count + TILE - 1) / TILE;
    const unsigned units = tiles < (wide)BLOCKS ? (unsigned)tiles : (unsigned)BLOCKS;
    struct select_range range[2];

    if ((unsigned)BLOCK >= units)
        return;
    for (;;) {
        const unsigned ticket = next_ticket(args, sm);
        const unsigned pass = ticket / units;
        int is_shared;

        read_ranges(args, sm, is_staged, pass, range);
        if (range[0].found && range[1].found)
            return;
        is_shared = !range[0].found && !range[1].found && range[0].low == range[1].low &&
                    range[0].high == range[1].high;
        clear_bins(sm);
        for (wide tile = ticket % units; tile < tiles; tile += units)
            SELECT_NAME(count_tile)(sm, &view, tile, range, is_shared);
        BARRIER();
        if (units == 1 || add_up(args, sm, pass, units))
            narrow_both(args, sm, is_staged, pass, range, is_shared);
    }
}
