/*
 * select_leaders.cuh - leaders of a long segment: the least codes of groups of its rows,
 * which bound the codes of the first rows.
 */

/* The leaders of a segment are stored one after the other. */
DEVICE wide_cell *leaders_of(const struct select_segments_args *args, wide segment)
{
    return cell_of(args->leaders + segment * SELECT_LEADERS);
}

/* The least of my codes in `count` chunks of a view, from chunk `first` on. */
DEVICE wide least_of_chunks(const struct select_view *view, unsigned first, unsigned count,
                            const int code_bytes)
{
    wide least = ~(wide)0;

    NO_UNROLL
    for (unsigned i = first; i < first + count; i++) {
        wide code[unsigned_each];
        wide mine;

        load_chunk(view, (wide)i * chunk_of(code_bytes), code, code_bytes);
        mine = least_code(code, code_bytes);
        least = mine < least ? mine : least;
    }
    return least;
}

/*
 * Of a long segment `samplers` warps look at a share each. A share's first rows are divided
 * into as many groups as there are leaders for each warp, and a leader is the least code of
 * a group; all ones: there is none.
 */
DEVICE void find_leaders(const struct select_segments_args *args)
{
    const wide warp = (wide)BLOCK * SELECT_TEAM_WARPS + THREAD / WARP;
    const wide segment = warp / args->samplers;
    const unsigned mine = (unsigned)(warp % args->samplers);
    const int lanes = (int)(WARP * args->samplers / SELECT_LEADERS); /* of a group */
    const int bytes = args->result.code_bytes;
    wide begin;
    const unsigned rows = segment_of(args, segment, &begin);
    const struct select_view view = view_part(args, begin, rows);
    const unsigned chunks = (unsigned)(((wide)view.lead + rows) / chunk_of(bytes));
    const unsigned share = chunks < args->samplers ? 1 : chunks / args->samplers;
    const unsigned count = share < SELECT_LED ? 1 : share / SELECT_LED;
    wide least = ~(wide)0;

    if (rows <= 2 * args->part)
        return;
    if (mine < chunks)
        least = bytes == 4 ? least_of_chunks(&view, mine * share, count, 4)
                           : least_of_chunks(&view, mine * share, count, 8);
    for (int step = 1; step < lanes; step *= 2) {
        const wide other = SHUFFLE_XOR(least, step);

        least = other < least ? other : least;
    }
    if (LANE % lanes == 0)
        STORE(leaders_of(args, segment) + mine * (unsigned)(WARP / lanes) + LANE / lanes,
              least);
}

AGREE((int)SELECT_WARP_MOST < (int)SELECT_LEADERS);
AGREE((int)SELECT_LEADERS <= (int)SELECT_WARP_ROOM);

/*
 * A code that the wanted rows of the segment of a part do not exceed: leaders are codes of
 * different rows, and `last` of them do not exceed it. The first part's is kept for the
 * join.
 */
DEVICE wide bound_of(const struct select_segments_args *args, struct warp_shared *sm,
                     wide place)
{
    const int is_packed = args->result.code_bytes == 4;
    const unsigned segment = LOAD((const unsigned_cell *)&args->parts[place].segment);
    const unsigned number = LOAD((const unsigned_cell *)&args->parts[place].number);
    const struct select_list list = list_in(sm, is_packed);
    wide bound = ~(wide)0;

    if (args->samplers) {
        WARP_BARRIER(); /* the list may be overwritten */
        for (unsigned i = (unsigned)LANE; i < SELECT_LEADERS; i += WARP)
            put_in_list(&list, i, LOAD(leaders_of(args, segment) + i), i);
        WARP_BARRIER();
        bound = cut_rows(sm, is_packed, SELECT_LEADERS, (unsigned)args->last,
                         SELECT_LEADERS / WARP)
                    .last;
        if (is_packed && bound == ~0u)
            bound = ~(wide)0;
    }
    if (LANE == 0 && number == 0)
        STORE(cell_of(&args->parts[place].bound), bound);
    return bound;
}
