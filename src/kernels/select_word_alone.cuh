/*
 * select_word_alone.cuh - one block selects from the rows of a view, for codes of one
 * width: see select_code.cuh and select_ranges.cuh.
 */

/* The least and the greatest code that were counted for each side. */
struct SELECT_NAME(seen) {
    SELECT_CODE least[2], most[2];
};

/*
 * Count the rows of a tile that lie in a range, by its bins. `seen` may be NULL, and is not
 * changed by rows that are counted by their numbers.
 */
DEVICE void SELECT_NAME(count_range)(struct select_shared *sm,
                                     const struct select_view *view, wide begin,
                                     const SELECT_CODE *code, unsigned has, int side,
                                     struct SELECT_NAME(seen) * seen)
{
    const struct select_range range = range_at(sm, side);
    const int shift = shift_of(range.high - range.low, SELECT_DIGIT);
    const SELECT_CODE low = (SELECT_CODE)range.low;
    const SELECT_CODE span = (SELECT_CODE)(range.high - range.low);

    if (range.by_row) {
        UNROLL
        for (int i = 0; i < SELECT_NAME(each); i++) {
            if ((has >> i & 1) && code[i] == (SELECT_CODE)range.code) {
                const wide place = row_at(view, begin + SELECT_NAME(offset)(i)) - range.low;

                if (place <= range.high - range.low)
                    ADD(PLAIN, &sm->bins[side][place >> shift], 1u);
            }
        }
        return;
    }
    UNROLL
    for (int i = 0; i < SELECT_NAME(each); i++) {
        const SELECT_CODE place = (SELECT_CODE)(code[i] - low);

        if ((has >> i & 1) && place <= span) {
            ADD(PLAIN, &sm->bins[side][place >> shift], 1u);
            if (seen) {
                seen->least[side] =
                    code[i] < seen->least[side] ? code[i] : seen->least[side];
                seen->most[side] = code[i] > seen->most[side] ? code[i] : seen->most[side];
            }
        }
    }
}

/* The same for both ranges, if they are still to be narrowed. */
DEVICE void SELECT_NAME(count_both)(struct select_shared *sm,
                                    const struct select_view *view, wide begin,
                                    const SELECT_CODE *code, unsigned has,
                                    struct SELECT_NAME(seen) * seen)
{
    if (!LOAD(&sm->words[3]) && !is_one_range(sm))
        SELECT_NAME(count_range)(sm, view, begin, code, has, 0, seen);
    if (!LOAD(&sm->words[SELECT_END_CELLS + 3]))
        SELECT_NAME(count_range)(sm, view, begin, code, has, 1, seen);
}

/*
 * Collect my rows of a tile that lie between the ends that were found. Most tiles have few,
 * so each lane takes one after the other; numbers that must be loaded are loaded before.
 */
DEVICE void SELECT_NAME(collect)(struct select_shared *sm, const struct select_list *list,
                                 const struct select_view *view, const SELECT_CODE *code,
                                 unsigned has, wide begin)
{
    struct select_bound low, high;
    unsigned row[SELECT_NAME(each)];
    unsigned mine = 0;

    found_bounds(sm, &low, &high);
    UNROLL
    for (int i = 0; i < SELECT_NAME(each); i++) {
        mine |= (unsigned)((SELECT_CODE)(code[i] - (SELECT_CODE)low.code) <=
                           (SELECT_CODE)(high.code - low.code))
                << i;
        row[i] = 0;
    }
    mine &= has;
    if (view->numbers) {
        UNROLL
        for (int i = 0; i < SELECT_NAME(each); i++)
            row[i] = mine >> i & 1 ? row_at(view, begin + SELECT_NAME(offset)(i)) : 0;
    }
    while (BALLOT(mine)) {
        const int i = mine ? LOWEST_BIT(mine) : 0;
        SELECT_CODE its = code[0];
        unsigned number = row[0], all, place = 0;
        int takes = mine != 0;

        UNROLL
        for (int j = 1; j < SELECT_NAME(each); j++) {
            its = j == i ? code[j] : its;
            number = j == i ? row[j] : number;
        }
        if (!view->numbers)
            number = row_at(view, begin + SELECT_NAME(offset)(i));
        takes = takes && is_between(&low, &high, its, number);
        mine &= mine - 1;
        all = BALLOT(takes);
        if (LANE == 0)
            place = ADD(PLAIN, &sm->collected, (unsigned)BITS(all));
        place = SHUFFLE(place, 0) + (unsigned)BITS(all & ((1u << LANE) - 1));
        if (takes && place < list->room)
            put_in_list(list, place, its, number);
    }
}

/* A view by one block: a single tile is loaded once and stays in registers. */
struct SELECT_NAME(alone) {
    struct select_view view;
    SELECT_CODE code[SELECT_NAME(each)];
    unsigned has;
    unsigned tiles;
};

DEVICE void SELECT_NAME(visit)(struct SELECT_NAME(alone) * alone, unsigned tile)
{
    const wide size = (wide)(THREADS * SELECT_NAME(each));

    if (alone->tiles > 1 || alone->has == ~0u)
        alone->has = SELECT_NAME(load)(alone->code, &alone->view, (wide)tile * size,
                                       (wide)(tile + 1) * size, SELECT_NAME(begin)(tile));
}

/* The least and the greatest code. */
DEVICE void SELECT_NAME(find_ends)(struct select_shared *sm,
                                   struct SELECT_NAME(alone) * alone, wide *low, wide *high)
{
    SELECT_CODE least = (SELECT_CODE) ~(SELECT_CODE)0, most = 0;

    NO_UNROLL
    for (unsigned tile = 0; tile < alone->tiles; tile++) {
        SELECT_NAME(visit)(alone, tile);
        UNROLL
        for (int i = 0; i < SELECT_NAME(each); i++) {
            const SELECT_CODE code = alone->code[i]; /* all ones if there is none */

            least = code < least ? code : least;
            most = alone->has >> i & 1 && code > most ? code : most;
        }
    }
    *low = least;
    *high = most;
    widen_by_block(low, high, SELECT_BITS / 8, sm->ends);
}

/* Narrow the ranges until both ends are found. */
DEVICE void SELECT_NAME(find_bounds)(struct select_shared *sm,
                                     struct SELECT_NAME(alone) * alone,
                                     const struct select_aim *aim)
{
    wide low, high;

    SELECT_NAME(find_ends)(sm, alone, &low, &high);
    if (THREAD < 2)
        begin_range(aim, sm, THREAD, low, high, alone->view.count);
    BARRIER();
    while (is_to_narrow(sm)) {
        clear_bins(sm, aim->is_two_sided);
        NO_UNROLL
        for (unsigned tile = 0; tile < alone->tiles; tile++) {
            SELECT_NAME(visit)(alone, tile);
            SELECT_NAME(count_both)
            (sm, &alone->view, SELECT_NAME(begin)(tile), alone->code, alone->has, 0);
        }
        BARRIER();
        narrow_alone(aim, sm);
    }
}

DEVICE unsigned SELECT_NAME(collect_all)(struct select_shared *sm,
                                         const struct select_list *list,
                                         struct SELECT_NAME(alone) * alone)
{
    BARRIER();
    if (THREAD == 0)
        STORE(&sm->collected, 0);
    BARRIER();
    NO_UNROLL
    for (unsigned tile = 0; tile < alone->tiles; tile++) {
        SELECT_NAME(visit)(alone, tile);
        SELECT_NAME(collect)
        (sm, list, &alone->view, alone->code, alone->has, SELECT_NAME(begin)(tile));
    }
    BARRIER();
    return LOAD(&sm->collected);
}

/*
 * Load a tile of samples of many rows, to guess how far the first `last` rows reach: the
 * aim becomes one for the samples. They are taken in packs of neighbours, as one load has
 * them. 0 if there are not enough.
 */
DEVICE int SELECT_NAME(load_samples)(struct SELECT_NAME(alone) * alone,
                                     struct select_aim *aim)
{
    enum { PACK = SELECT_NAME(pack) };
    const struct select_view *const view = &alone->view;
    const unsigned samples = (unsigned)(THREADS * SELECT_NAME(each));
    const unsigned mean = (unsigned)((wide)aim->last * samples / view->count);
    const unsigned most = mean + (4u << (HIGHEST_BIT(mean + 1) + 2) / 2) + 4;

    if (view->numbers || aim->is_two_sided || most >= samples)
        return 0;
    UNROLL
    for (int i = 0; i < SELECT_NAME(each); i++) {
        const unsigned pack = (unsigned)(i / PACK * THREADS + THREAD);
        const wide row = (wide)pack * (view->count - PACK) / (samples / PACK) + i % PACK;

        alone->code[i] = SELECT_NAME(bits_of)(view, row);
    }
    SELECT_NAME(encode)(view, alone->code, SELECT_NAME(each));
    alone->has = (1u << SELECT_NAME(each)) - 1;
    alone->tiles = 1;
    aim->last = most + 1;
    aim->slack = most / 4;
    aim->is_sorted = 0;
    return 1;
}

/*
 * Collect the wanted rows, and perhaps some more, in a list. Returns its count; in order
 * the first of them is the `rank`-th of range 0. If what the samples tell is wrong, all
 * rows are counted.
 */
DEVICE unsigned SELECT_NAME(select_alone)(struct select_shared *sm,
                                          const struct select_list *list,
                                          const struct select_view *view,
                                          const struct select_aim *aim)
{
    const unsigned size = (unsigned)(THREADS * SELECT_NAME(each));
    const unsigned tiles = (unsigned)(((wide)view->lead + view->count + size - 1) / size);
    struct SELECT_NAME(alone) alone;
    int guesses = tiles > 1 && !view->parts;

    alone.view = *view;
    for (;;) {
        struct select_aim now = *aim;
        unsigned count;

        alone.has = ~0u;
        alone.tiles = tiles;
        guesses = guesses && SELECT_NAME(load_samples)(&alone, &now);
        SELECT_NAME(find_bounds)(sm, &alone, &now);
        alone.has = tiles > 1 ? ~0u : alone.has;
        alone.tiles = tiles;
        count = SELECT_NAME(collect_all)(sm, list, &alone);
        if (!guesses || (count >= aim->last && count <= list->room))
            return count < list->room ? count : list->room;
        guesses = 0;
    }
}
