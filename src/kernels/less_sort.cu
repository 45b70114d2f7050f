/*
 * less_sort.cu - sort tiles by a comparison: the first pass.
 *
 * A thread sorts LESS_ROW items in registers, and as many again if it has more, and
 * merges these two lists. Then pairs of threads merge their lists, pairs of pairs, and
 * so on until one list fills the tile.
 */

enum { LESS_ROW = LESS_ITEMS > 16 ? (LESS_ITEMS + 1) / 2 : LESS_ITEMS };

/*
 * Sort the first `count` registers by odd-even transposition: stable, since only
 * neighbours exchange. Two rounds are unrolled and repeated, so that there are few
 * copies of the user's text.
 */
DEVICE void less_registers(const struct less_order *order, item *r, int count)
{
    NO_UNROLL
    for (int round = 0; round < LESS_ROW; round += 2) {
        UNROLL
        for (int odd = 0; odd < 2; odd++) {
            UNROLL
            for (int j = odd; j + 1 < LESS_ROW; j += 2) {
                if (j + 1 < count && comes_before(order, r[j + 1], r[j])) {
                    const item first = r[j];

                    r[j] = r[j + 1];
                    r[j + 1] = first;
                }
            }
        }
    }
}

/* Sort the cells from `first` on, up to LESS_ROW of them and not beyond `last`. */
DEVICE void less_row(const struct less_order *order, item_cell *cells, int first, int last)
{
    item r[LESS_ROW];

    UNROLL
    for (int j = 0; j < LESS_ROW; j++) {
        r[j] = join_parts(0, 0);
        if (first + j < last)
            r[j] = LOAD(&cells[first + j]);
    }
    less_registers(order, r, last - first);
    UNROLL
    for (int j = 0; j < LESS_ROW; j++) {
        if (first + j < last)
            STORE(&cells[first + j], r[j]);
    }
}

DEVICE int least_int(int a, int b)
{
    return a < b ? a : b;
}

/* Sort each thread's items. Returns the levels of merging that took: 0 or 1. */
DEVICE int less_rows(struct less_shared *sm, const struct less_order *order, int count)
{
    struct less_part part;

    part.first = least_int(THREAD * LESS_ITEMS, count);
    part.middle = least_int(part.first + LESS_ROW, count);
    part.last = least_int(part.first + LESS_ITEMS, count);
    part.diagonal = 0;
    part.count = part.last - part.first;
    NO_UNROLL
    for (int first = part.first; first < part.last; first += LESS_ROW)
        less_row(order, sm->cells[0], first, least_int(first + LESS_ROW, part.last));
    if (LESS_ROW == LESS_ITEMS)
        return 0;
    BARRIER(); /* merging also reads the cell after my last one */
    if (part.count > 0)
        less_serial(order, sm->cells[0], sm->cells[1], &part, 0);
    return 1;
}

/* My part of merging lists of `span` threads' items in pairs. */
DEVICE struct less_part less_pair_part(int span, int count)
{
    const int mine = THREAD & (2 * span - 1);
    struct less_part part;

    part.first = least_int((THREAD - mine) * LESS_ITEMS, count);
    part.middle = least_int(part.first + span * LESS_ITEMS, count);
    part.last = least_int(part.first + 2 * span * LESS_ITEMS, count);
    part.diagonal = least_int(mine * LESS_ITEMS, part.last - part.first);
    part.count = least_int(LESS_ITEMS, part.last - part.first - part.diagonal);
    return part;
}

enum { less_sort_blocks = LESS_SORT_BLOCKS };

/* Each block sorts one tile; the last may be short. */
KERNEL(less_sort, struct less_sort_args)
{
    SHARED(struct less_shared, sm);
    const wide first = (wide)BLOCK * LESS_TILE;
    const wide left = args.count - first;
    const struct less_order *const order = &args.order;
    const wide flag = (wide)BLOCK * LESS_THREADS + THREAD;
    struct less_source source;
    int level;
    int sound = 1;

    source.in = args.in;
    source.order = order;
    source.count = (int)(left < LESS_TILE ? left : LESS_TILE);
    if (flag < args.flag_count)
        STORE((wide_cell *)args.flags + flag, 0);
    if (THREAD == 0) {
        STORE(&sm->origin[0], first);
        STORE(&sm->bound[1], source.count);
    }
    BARRIER();
    less_load(sm, &source);
    BARRIER();
    level = less_rows(sm, order, source.count);
    BARRIER();
    NO_UNROLL
    for (int span = 1; span * LESS_ITEMS < source.count; span *= 2) {
        const struct less_part part = less_pair_part(span, source.count);

        sound &= less_merge_part(sm, order, &part, level);
        level++;
    }
    sound = less_all_sound(sm, sound);
    less_store(sm, &source, sm->cells[level % 2], sound,
               (char *)args.out + first * (wide)STORED_BYTES(order));
}
