/*
 * select_word_count.cuh - select_count for codes of one width: see select_word.cuh.
 */

/* Count the codes of a tile that lie in a range, by its bins. */
DEVICE void SELECT_NAME(count_range)(struct select_shared *sm,
                                     const struct select_view *view, wide begin,
                                     const SELECT_CODE *code, int side)
{
    enum { PACK = SELECT_NAME(pack) };
    const SELECT_CODE low = (SELECT_CODE)LOAD(&sm->words[4 * side]);
    const SELECT_CODE span = (SELECT_CODE)(LOAD(&sm->words[4 * side + 1]) - low);
    const int shift = shift_of(span, SELECT_DIGIT);

    UNROLL
    for (int i = 0; i < SELECT_NAME(each); i++) {
        const wide at = begin + (wide)(i / PACK * PACK * WARP + i % PACK);
        const SELECT_CODE distance = (SELECT_CODE)(code[i] - low);

        add_to_bin(sm->bins[side], (unsigned)(distance >> shift),
                   distance <= span && is_row(view, at));
    }
}

DEVICE void SELECT_NAME(count)(const struct select_args *args, struct select_shared *sm)
{
    enum {
        PACK = SELECT_NAME(pack),
        TILE = SELECT_TILE(SELECT_BITS / 8),
        PART = TILE / SELECT_WARPS
    };
    const int is_staged = stage_holds(args);
    const struct select_view view =
        is_staged ? view_staged(args, SELECT_BITS / 8,
                                LOAD((const wide_cell *)&args->state->staged))
                  : view_job(args, SELECT_BITS / 8);
    const unsigned tiles = (unsigned)(((wide)view.lead + view.count + TILE - 1) / TILE);
    const unsigned units = tiles < (unsigned)BLOCKS ? tiles : (unsigned)BLOCKS;

    if ((unsigned)BLOCK >= units)
        return;
    for (;;) {
        const unsigned ticket = next_ticket(args, sm);
        const unsigned pass = ticket / units;
        int is_one;

        if (!read_ranges(args, sm, is_staged, pass))
            return;
        is_one = is_one_range(sm);
        clear_bins(sm);
        NO_UNROLL
        for (unsigned tile = ticket % units; tile < tiles; tile += units) {
            const wide begin =
                (wide)tile * TILE + (wide)(THREAD / WARP * PART + LANE * PACK);
            SELECT_CODE code[SELECT_NAME(each)];

            SELECT_NAME(load)(code, &view, tile, begin);
            if (!LOAD(&sm->words[3]) && !is_one)
                SELECT_NAME(count_range)(sm, &view, begin, code, 0);
            if (!LOAD(&sm->words[7]))
                SELECT_NAME(count_range)(sm, &view, begin, code, 1);
        }
        BARRIER();
        if (units == 1 || add_up(args, sm, pass, units))
            narrow_both(args, sm, is_staged, pass, is_one);
    }
}
