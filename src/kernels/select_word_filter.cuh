/*
 * select_word_filter.cuh - select_filter for codes of one width: see select_word.cuh.
 */

/* The rows of each class among my codes: see struct select_classes. */
DEVICE void SELECT_NAME(count_classes)(const SELECT_CODE *code, unsigned missing,
                                       const struct select_classes *classes,
                                       unsigned *between, unsigned *high, unsigned *low)
{
    const SELECT_CODE lowest = (SELECT_CODE)classes->low;
    const SELECT_CODE highest = (SELECT_CODE)classes->high;
    const unsigned ones = highest == (SELECT_CODE) ~(SELECT_CODE)0;
    unsigned under = 0, at_low = 0;

    *between = 0;
    *high = 0;
    UNROLL
    for (int i = 0; i < SELECT_NAME(each); i++) {
        *between += code[i] < highest;
        *high += code[i] == highest;
    }
    *high -= ones ? missing : 0;
    if (classes->is_two_sided) {
        UNROLL
        for (int i = 0; i < SELECT_NAME(each); i++) {
            under += code[i] < lowest;
            at_low += code[i] == lowest;
        }
        at_low -= lowest == (SELECT_CODE) ~(SELECT_CODE)0 ? missing : 0;
    }
    *low = classes->is_last ? at_low : under;
    *between -= under + (classes->is_last ? at_low : 0);
    if (classes->is_one_code) { /* those count as low */
        *between = 0;
        *high = 0;
    }
}

/* Write the rows of my warp that are taken; `before` are those of the classes before. */
DEVICE void SELECT_NAME(write)(const struct select_args *args, const SELECT_CODE *code,
                               const struct select_view *view,
                               const struct select_classes *classes,
                               const struct select_limits *limits, wide begin,
                               struct select_counts before)
{
    enum { PACK = SELECT_NAME(pack) };
    const unsigned lower = (1u << LANE) - 1;

    NO_UNROLL
    for (int i = 0; i < SELECT_NAME(each); i += PACK) {
        unsigned mine[PACK]; /* classes: 1 between, 2 high, 4 low */
        unsigned any = 0;
        struct select_counts here = before;

        UNROLL
        for (int j = 0; j < PACK; j++) {
            SELECT_CODE c = 0;

            UNROLL
            for (int k = 0; k < SELECT_NAME(each); k += PACK) /* keeps it in registers */
                c = k == i ? code[k + j] : c;
            mine[j] = is_row(view, begin + (wide)(i * WARP + j)) ? class_of(classes, c) : 0;
            any |= mine[j];
        }
        if (!BALLOT(any))
            continue;
        UNROLL
        for (int j = 0; j < PACK; j++) { /* rows of lower lanes, and of all */
            const unsigned between = BALLOT(mine[j] & 1);
            const unsigned high = BALLOT(mine[j] & 2);
            const unsigned low = BALLOT(mine[j] & 4);

            here.between += BITS(between & lower);
            here.high += BITS(high & lower);
            here.low += BITS(low & lower);
            before.between += BITS(between);
            before.high += BITS(high);
            before.low += BITS(low);
        }
        UNROLL
        for (int j = 0; j < PACK; j++) {
            const wide at = taken_before(limits, &here);

            here.between += mine[j] & 1;
            here.high += mine[j] >> 1 & 1;
            here.low += mine[j] >> 2;
            if (taken_before(limits, &here) > at && at < limits->capacity) {
                const wide row = begin + (wide)(i * WARP + j) - view->lead;
                const unsigned number =
                    view->numbers ? LOAD((const unsigned_cell *)view->numbers + row)
                                  : (unsigned)row;
                SELECT_CODE c = 0;

                UNROLL
                for (int k = 0; k < SELECT_NAME(each); k += PACK)
                    c = k == i ? code[k + j] : c;
                STORE_AS(BULK, (unsigned_cell *)limits->out + at, number);
                if (!classes->is_last)
                    STORE_AS(BULK, (SELECT_NAME(cell) *)args->codes + at, c);
            }
        }
    }
}

DEVICE void SELECT_NAME(filter)(const struct select_args *args, struct filter_shared *sm)
{
    enum { TILE = SELECT_TILE(SELECT_BITS / 8), PART = TILE / SELECT_WARPS };
    const struct select_classes classes = classes_of(args);
    const struct select_view view =
        args->is_last && LOAD(cell_of(&args->state->is_staged))
            ? view_staged(args, SELECT_BITS / 8, LOAD(cell_of(&args->state->staged)))
            : view_job(args, SELECT_BITS / 8);
    const unsigned tiles = (unsigned)((view.lead + view.count + TILE - 1) / TILE);
    const int warp = THREAD / WARP;

    for (unsigned tile; (tile = next_tile(args, sm)) < tiles;) {
        const wide begin =
            (wide)tile * TILE + (wide)(warp * PART + LANE * SELECT_NAME(pack));
        SELECT_CODE code[SELECT_NAME(each)];
        struct select_counts counts;
        const unsigned missing = SELECT_NAME(load)(code, &view, tile, begin);
        unsigned between, high, low;

        SELECT_NAME(count_classes)(code, missing, &classes, &between, &high, &low);
        counts = count_before(args, &classes, sm, tile, tiles, between, high, low);
        if (LOAD(&sm->between[warp]) + LOAD(&sm->high[warp]) + LOAD(&sm->low[warp])) {
            const struct select_limits limits = limits_of(args, &classes);

            if (takes_any(&limits, sm, &counts))
                SELECT_NAME(write)(args, code, &view, &classes, &limits, begin, counts);
        }
        BARRIER(); /* before the sums are written again */
    }
}
