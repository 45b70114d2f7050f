/*
 * segment_tiny.cuh - ordering the rows of tiny regions, in registers (segment_sort.cu).
 *
 * Each thread sorts ITEMS neighbouring rows by items: the row's region, a prefix of its
 * code, and its place among these rows. That orders regions that cross no multiple of
 * ITEMS. Then it sorts ITEMS rows from HALF_ITEMS further on, for regions that do. A
 * region must not cross boundaries of both kinds (is_tiny). Rows of a region whose items
 * differ only by place have equal prefixes. If their codes are out of order, all rows are
 * ordered by counting.
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

/* The places of a word that are multiples of `step`, a power of two. */
DEVICE wide each_place(const int step)
{
    wide places = 1;

    UNROLL
    for (int i = step; i < SEGMENT_WORD; i *= 2)
        places |= places << i;
    return places;
}

/*
 * Does a region cross boundaries of both kinds? `none` are the places of a word without a
 * bound; `follows`: so is the place after it.
 */
DEVICE int is_no_tiny(wide none, int follows)
{
    wide empty = none; /* HALF_ITEMS places from here on have no bound */

    UNROLL
    for (int step = 1; step < HALF_ITEMS; step *= 2)
        empty &= empty >> step;
    return (empty & each_place(HALF_ITEMS) &
            (none >> HALF_ITEMS | (wide)follows << (SEGMENT_WORD - HALF_ITEMS))) != 0;
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

/* Bits 0 to 7, moved to every fourth bit. */
DEVICE unsigned spread_bits(unsigned bits)
{
    bits = (bits | bits << 12) & 0x000f000f;
    bits = (bits | bits << 6) & 0x03030303;
    return (bits | bits << 3) & 0x11111111;
}

/*
 * The regions of up to 16 rows, 4 bits a row: how many regions begin after row 0 up to that
 * row. Rows are rotated so that row `turn` comes first.
 */
DEVICE wide number_regions(unsigned bounds, int turn)
{
    const unsigned each = 0x11111111;
    const unsigned low = spread_bits(bounds & 0xfe) * each;
    const unsigned high = spread_bits(bounds >> 8 & 0xff) * each + (low >> 28) * each;

    if (ITEMS == 8)
        return low >> 4 * turn | low << (32 - 4 * turn) % 32;

    const wide all = (wide)high << 32 | low;

    return all >> 4 * turn | all << (64 - 4 * turn) % 64;
}

/* The region of a row as the highest bits of its item; `numbers` has those of all rows. */
DEVICE unsigned tiny_region(wide numbers, unsigned bounds, int j, int at)
{
    enum { SHIFT = 32 - TINY_BITS };
    const unsigned half = j < 8 ? (unsigned)numbers : (unsigned)(numbers >> 32);

    if (ITEMS > 16)
        return ((unsigned)BITS(bounds & ((2u << at) - 1)) - 1) << SHIFT;
    return half << (SHIFT - 4 * (j % 8)) & ~0u << SHIFT;
}

/*
 * Load the codes of ITEMS rows, `left` of which exist, rotated: `turn` comes first. Others
 * get the code of the first row.
 */
DEVICE void load_few(const struct carry_order *order, int first, int turn, int left,
                     bare *k)
{
    if (left >= ITEMS) {
        UNROLL
        for (int j = 0; j < ITEMS; j++)
            k[j] = code_at(order, first + (j + turn) % ITEMS);
        return;
    }
    UNROLL
    for (int j = 0; j < ITEMS; j++) {
        const int at = (j + turn) % ITEMS;

        k[j] = code_at(order, first + (at < left ? at : 0));
    }
}

/* The base of these codes. */
DEVICE struct tile_base base_of_few(const bare *k)
{
    bare least = k[0], most = k[0];

    UNROLL
    for (int j = 1; j < ITEMS; j++) {
        most = k[j] > most ? k[j] : most;
        least = k[j] < least ? k[j] : least;
    }
    return base_within((key)least, (key)most, TINY_PREFIX);
}

/*
 * Sort the items of ITEMS rows, from place `first` on. Rows past the last one become a
 * region of their own. Returns how many bits of codes the items lack.
 */
DEVICE int sort_few(const struct segment_map *map, const struct carry_order *order,
                    int first, item *r)
{
    /* Lanes begin with different rows: then their codes are in different banks. */
    const int turn = LANE * (ITEMS * (int)sizeof(key)) / 128 % ITEMS;
    const int left = order->count - first;
    const unsigned bounds = (unsigned)bounds_from(map, first, order->count) |
                            (left < ITEMS ? 1u << left : 0) | 1;
    const wide numbers = ITEMS > 16 ? 0 : number_regions(bounds, turn);
    bare k[ITEMS];

    load_few(order, first, turn, left, k);

    const struct tile_base b = base_of_few(k);

    UNROLL
    for (int j = 0; j < ITEMS; j++) {
        const int at = (j + turn) % ITEMS;
        const unsigned prefix = (unsigned)((k[j] - b.base) >> b.rest_bits);

        r[j] = tiny_region(numbers, bounds, j, at) | (prefix << TINY_BITS | (unsigned)at);
    }
    sort_registers(r, ITEMS);
    return b.rest_bits;
}

/*
 * Rows were sorted by prefix, and their places are stored. Has any row in [begin, end) the
 * prefix of the row before, but a lower code?
 */
DEVICE int is_out_of_order(const struct carry_order *order, int first, int begin, int end,
                           const item *r)
{
    unsigned least = ~0u, ties = 0;
    int wrong = 0;

    UNROLL
    for (int j = 1; j < ITEMS; j++) {
        const unsigned off = r[j] ^ r[j - 1];

        least = off < least ? off : least;
    }
    if (least >= ITEMS)
        return 0;
    UNROLL
    for (int j = 1; j < ITEMS; j++)
        ties |= (r[j] ^ r[j - 1]) < ITEMS && j > begin && j < end ? 1u << j : 0;
    NO_UNROLL
    for (; ties; ties &= ties - 1) {
        const int row = first + LOWEST_BIT(ties);

        wrong |= code_at(order, order_place(order, row)) <
                 code_at(order, order_place(order, row - 1));
    }
    return wrong;
}

/*
 * Order the rows of regions that cross no multiple of ITEMS. Other rows come in any order.
 * Returns 1 if prefixes are not enough.
 */
DEVICE int order_blocks(const struct segment_map *map, const struct carry_order *order)
{
    const int first = THREAD * ITEMS;
    item_cell *const to = cell_of_row(order, first);
    item r[ITEMS];

    if (first >= order->count)
        return 0;

    const int rest_bits = sort_few(map, order, first, r);

    UNROLL
    for (int j = 0; j < ITEMS; j++)
        STORE_AS(VALUE, to + j, (item)first | r[j] % ITEMS);
    return rest_bits && is_out_of_order(order, first, 0, order->count - first, r);
}

/* The same for a region that crosses the next multiple of ITEMS, if there is one. */
DEVICE int order_crossing(const struct segment_map *map, const struct carry_order *order)
{
    const int first = THREAD * ITEMS + HALF_ITEMS;
    const int next = first + HALF_ITEMS;
    item r[ITEMS];

    if (next >= order->count ||
        (LOAD(&map->bounds[next / SEGMENT_WORD]) >> next % SEGMENT_WORD & 1))
        return 0;

    const int rest_bits = sort_few(map, order, first, r);
    const int begin = region_begin(map, next) - first;
    const int end = region_end(map, next, order->count) - first;

    UNROLL
    for (int j = 0; j < ITEMS; j++) {
        if (j >= begin && j < end)
            STORE_AS(VALUE, cell_of_row(order, first + j), (item)first + r[j] % ITEMS);
    }
    return rest_bits && is_out_of_order(order, first, begin, end, r);
}

/*
 * Order tiny regions by prefixes. Codes are staged. Returns 1 if that is not enough. A
 * barrier has to follow.
 */
DEVICE int order_tiny(const struct segment_map *map, const struct carry_order *order)
{
    int wrong = order_blocks(map, order);

    if (LOAD(&map->is_crossed)) {
        BARRIER();
        wrong |= order_crossing(map, order);
    }
    return wrong;
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
