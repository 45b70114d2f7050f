/*
 * select_word_filter.cuh - select_filter for codes of one width: see select_word.cuh.
 */

/* The rows of each class among my codes: see struct select_classes. */
DEVICE void SELECT_NAME(count_classes)(const struct select_args *args,
                                       const SELECT_CODE *code, unsigned missing,
                                       SELECT_CODE lowest, SELECT_CODE highest,
                                       unsigned *between, unsigned *high, unsigned *low)
{
    const SELECT_CODE ones = (SELECT_CODE) ~(SELECT_CODE)0;
    unsigned under = 0, at_low = 0;

    *between = 0;
    *high = 0;
    UNROLL
    for (int i = 0; i < SELECT_NAME(each); i++) {
        *between += code[i] < highest;
        *high += code[i] == highest;
    }
    *high -= highest == ones ? missing : 0;
    if (args->is_two_sided) {
        UNROLL
        for (int i = 0; i < SELECT_NAME(each); i++) {
            under += code[i] < lowest;
            at_low += code[i] == lowest;
        }
        at_low -= lowest == ones ? missing : 0;
    }
    *low = at_low;
    *between -= under + at_low;
    if (args->is_two_sided && lowest == highest) { /* all are low */
        *between = 0;
        *high = 0;
    }
}

/* Write the rows of a part that are taken; `before` are those of the classes before. */
DEVICE void SELECT_NAME(write)(const struct select_view *view,
                               const struct select_classes *classes,
                               const struct select_limits *limits, wide begin,
                               struct select_counts before)
{
    enum { PACK = SELECT_NAME(pack) };
    const unsigned lower = (1u << LANE) - 1;

    NO_UNROLL
    for (int i = 0; i < SELECT_NAME(each) / PACK; i++) {
        const wide place = begin + (wide)(i * PACK * WARP);
        SELECT_CODE code[PACK];
        unsigned mine[PACK]; /* classes: 1 between, 2 high, 4 low */
        unsigned some = 0;
        struct select_counts here = before;

        SELECT_NAME(load_pack)(code, view, place);
        UNROLL
        for (int j = 0; j < PACK; j++) {
            mine[j] = is_row(view, place + j) ? class_of(classes, code[j]) : 0;
            some |= mine[j];
        }
        if (!BALLOT(some))
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
            if (taken_before(limits, &here) > at && at < limits->capacity)
                STORE_AS(BULK, (unsigned_cell *)limits->out + at, row_at(view, place + j));
        }
    }
}

/*
 * Codes are counted, and not kept: only parts of which rows are taken are loaded again.
 * The next ticket is taken early, so that no block waits for it.
 */
DEVICE void SELECT_NAME(filter)(const struct select_args *args, struct filter_shared *sm)
{
    enum { TILE = SELECT_TILE(SELECT_FILTER_THREADS, SELECT_BITS / 8) };
    const struct select_classes classes = classes_of(args);
    const SELECT_CODE lowest = (SELECT_CODE)classes.low;
    const SELECT_CODE highest = (SELECT_CODE)classes.high;
    const struct select_view view = view_job(args, SELECT_BITS / 8);
    const unsigned tiles = (unsigned)(((wide)view.lead + view.count + TILE - 1) / TILE);
    const unsigned spans = (tiles + args->span - 1) / args->span;
    wide_cell *const tickets = cell_of(&args->state->tickets[0]);
    const wide mine = SELECT_NAME(begin)(0);
    unsigned next = 0;

    if (THREAD == 0)
        STORE(&sm->ticket, (unsigned)ADD(CUT, tickets, (wide)1));
    for (;;) {
        unsigned span, parts;

        BARRIER();
        span = LOAD(&sm->ticket);
        if (span >= spans)
            return;
        if (THREAD == 0)
            next = (unsigned)ADD(CUT, tickets, (wide)1);
        NO_UNROLL
        for (parts = 0; parts < args->span * SELECT_FILTER_WARPS;
             parts += SELECT_FILTER_WARPS) {
            const wide tile = (wide)span * args->span + parts / SELECT_FILTER_WARPS;
            SELECT_CODE code[SELECT_NAME(each)];
            unsigned has, between, high, low;

            if (tile >= tiles)
                break;
            has = SELECT_NAME(load)(code, &view, tile * TILE, (tile + 1) * TILE,
                                    tile * TILE + mine);
            SELECT_NAME(count_classes)
            (args, code, SELECT_NAME(each) - (unsigned)BITS(has), lowest, highest, &between,
             &high, &low);
            keep_counts(sm, parts + THREAD / WARP, between, high, low, args->is_two_sided);
        }
        BARRIER();
        if (THREAD < WARP)
            sum_parts(args, sm, span, parts);
        BARRIER();
        for (unsigned part = THREAD / WARP; part < parts; part += SELECT_FILTER_WARPS) {
            const wide tile = (wide)span * args->span + part / SELECT_FILTER_WARPS;
            const struct select_counts before = counts_before(sm, part);
            const struct select_counts after = counts_before(sm, part + 1);

            if (after.between + after.high + after.low !=
                before.between + before.high + before.low) {
                const struct select_classes again = classes_of(args);
                const struct select_limits limits = limits_of(args, &again);

                if (taken_before(&limits, &after) > taken_before(&limits, &before))
                    SELECT_NAME(write)
                (&view, &classes, &limits, tile * TILE + mine, before);
            }
        }
        if (THREAD == 0)
            STORE(&sm->ticket, next);
    }
}
