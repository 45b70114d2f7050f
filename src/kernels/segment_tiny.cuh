/*
 * segment_tiny.cuh - ordering the rows of tiny regions, in registers (segment_sort.cu).
 *
 * Each thread sorts ITEMS neighbouring rows by items: the row's region, a prefix of its
 * code, and its place among these rows. That orders regions that cross no multiple of
 * ITEMS. Then it sorts ITEMS rows from HALF_ITEMS further on, for regions that do. A
 * region must not cross boundaries of both kinds (is_tiny). If rows come out of order,
 * because their prefixes are equal, all are ordered by counting.
 */

enum {
    TINY_BITS = ITEMS == 8    ? 3
                : ITEMS == 16 ? 4
                              : 5, /* of a region, and of a place */
    TINY_PREFIX = 32 - 2 * TINY_BITS,
    HALF_ITEMS = ITEMS / 2
};

/* The word of bounds from a place on, a multiple of HALF_ITEMS. */
DEVICE wide bounds_from(const struct segment_map *map, int place, int count)
{
    const int word = place / SEGMENT_WORD;
    const int shift = place % SEGMENT_WORD;
    wide bounds = LOAD(&map->bounds[word]) >> shift;

    if (shift && (word + 1) * SEGMENT_WORD < count)
        bounds |= LOAD(&map->bounds[word + 1]) << (SEGMENT_WORD - shift);
    return bounds;
}

/* Do regions cross boundaries of one kind only? One warp looks at all of the map. */
DEVICE int is_tiny(const struct segment_map *map, int count)
{
    wide starts = 1; /* of half blocks in a word */
    unsigned bad = 0;

    UNROLL
    for (int step = HALF_ITEMS; step < SEGMENT_WORD; step *= 2)
        starts |= starts << step;
    for (int base = 0; base * SEGMENT_WORD < count; base += WARP) {
        const int word = base + LANE;
        const int left = count - word * SEGMENT_WORD;
        const wide mask = left >= SEGMENT_WORD ? ~(wide)0
                          : left > 0           ? ((wide)1 << left) - 1
                                               : 0;
        const wide none = left > 0 ? ~LOAD(&map->bounds[word]) & mask : 0;
        const int follows = left > SEGMENT_WORD && !(LOAD(&map->bounds[word + 1]) & 1);
        wide empty = none; /* HALF_ITEMS places from here on have no bound */

        UNROLL
        for (int step = 1; step < HALF_ITEMS; step *= 2)
            empty &= empty >> step;
        bad |= BALLOT(
            (empty & starts &
             (none >> HALF_ITEMS | (wide)follows << (SEGMENT_WORD - HALF_ITEMS))) != 0);
    }
    return !bad;
}

/* Where the region of a place ends, which has no more rows than a word has marks. */
DEVICE int region_end(const struct segment_map *map, int place, int count)
{
    const int word = place / SEGMENT_WORD;
    const wide marks = LOAD(&map->bounds[word]);
    const wide after = marks ^ marks_up_to(marks, place);
    const int next = (word + 1) * SEGMENT_WORD;
    int end = count;

    if (after) {
        end = word * SEGMENT_WORD + lowest_mark(after);
    } else if (next < count) {
        const wide more = LOAD(&map->bounds[word + 1]);

        if (more)
            end = next + lowest_mark(more);
    }
    return end;
}

/* Sort the items of ITEMS rows, from place `first` on. */
DEVICE void sort_few(const struct segment_map *map, const struct carry_order *order,
                     const struct tile_base *b, int first, item *r)
{
    /* Lanes begin with different rows: then their codes are in different banks. */
    const int turn = LANE * (ITEMS * (int)sizeof(key)) / 128;
    const unsigned bounds = (unsigned)bounds_from(map, first, order->count) | 1;

    UNROLL
    for (int j = 0; j < ITEMS; j++) {
        const int at = (j + turn) % ITEMS;
        const unsigned region = (unsigned)BITS(bounds & ((2u << at) - 1)) - 1;

        r[j] = filler();
        if (first + at < order->count)
            r[j] = region << (32 - TINY_BITS) |
                   (unsigned)((code_at(order, first + at) - b->base) >> b->rest_bits)
                       << TINY_BITS |
                   (unsigned)at;
    }
    sort_registers(r, ITEMS);
}

/* Order the rows of regions that cross no multiple of ITEMS, and others somehow. */
DEVICE void order_blocks(const struct segment_map *map, const struct carry_order *order,
                         const struct tile_base *b)
{
    const int first = THREAD * ITEMS;
    item_cell *const to = cell_of_row(order, first);
    item r[ITEMS];

    if (first >= order->count)
        return;
    sort_few(map, order, b, first, r);
    UNROLL
    for (int j = 0; j < ITEMS; j++)
        STORE_AS(VALUE, to + j, (item)first + r[j] % ITEMS);
}

/* Order the rows of a region that crosses the next multiple of ITEMS, if there is one. */
DEVICE void order_crossing(const struct segment_map *map, const struct carry_order *order,
                           const struct tile_base *b)
{
    const int first = THREAD * ITEMS + HALF_ITEMS;
    const int next = first + HALF_ITEMS;
    item r[ITEMS];

    if (next >= order->count ||
        (LOAD(&map->bounds[next / SEGMENT_WORD]) >> next % SEGMENT_WORD & 1))
        return;
    sort_few(map, order, b, first, r);

    const int begin = region_begin(map, next) - first;
    const int end = region_end(map, next, order->count) - first;

    UNROLL
    for (int j = 0; j < ITEMS; j++) {
        if (j >= begin && j < end)
            STORE_AS(VALUE, cell_of_row(order, first + j), (item)first + r[j] % ITEMS);
    }
}

/* Order tiny regions by prefixes. Codes are staged. */
DEVICE void order_tiny(const struct segment_map *map, const struct carry_order *order,
                       const struct tile_base *b)
{
    order_blocks(map, order, b);
    BARRIER();
    order_crossing(map, order, b);
    BARRIER();
}

/* Order them by whole codes: each row counts those of its region that precede it. */
DEVICE void rank_tiny(const struct segment_map *map, const struct carry_order *order,
                      const struct carry_rows *mine)
{
    NO_UNROLL
    for (int i = 0; i < ITEMS && WARP * i < mine->left; i++) {
        const int at = mine->at + WARP * i;
        const int begin = region_begin(map, at);
        const int end = region_end(map, at, order->count);
        const key code = code_at(order, at);
        int rank = begin;

        NO_UNROLL
        for (int j = begin; j < end; j++) {
            const key other = code_at(order, j);

            rank += other < code || (other == code && j < at);
        }
        STORE_AS(VALUE, cell_of_row(order, rank), (item)at);
    }
    BARRIER();
}
