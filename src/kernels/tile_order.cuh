/*
 * tile_order.cuh - in a program with places, the order in which the rows of a tile leave.
 *
 * The sorted items say it by their places. But items hold only the prefix of a key: the
 * highest PREFIX_BITS bits in which the tile's keys differ. If that is not all, rows with
 * the same prefix are in order of their places and perhaps not of their keys. With random
 * keys a tile has about 8 such pairs. Their whole codes are compared, and wrong neighbours
 * are put right: in small groups of equal prefixes by one thread each (mend_group),
 * otherwise by sorting the tile again (resort).
 */

/* The rows of a tile, sorted by prefix. */
struct carry_order {
    int cells;       /* where the items are */
    int codes;       /* the staging area: codes by place, then values */
    int_cell *ties;  /* a bit for each row, ITEMS a cell: has it the prefix of the one */
                     /*   before, ... */
    int_cell *wrong; /* ... and a lower code? */
    int_cell *votes;
    int count; /* rows */
};

/* The rows of a tile that a thread stores: 32 apart. */
struct carry_rows {
    wide row; /* my first row in the output */
    int left; /* rows of the tile from mine on */
    int at;   /* my first row in the tile */
};

DEVICE struct carry_rows my_rows(const struct tile_target *to)
{
    struct carry_rows mine;

    mine.at = THREAD / WARP * WARP * ITEMS + LANE;
    mine.row = to->first + mine.at;
    mine.left = to->count - mine.at;
    return mine;
}

/* The cell of a row's item. */
DEVICE item_cell *cell_of_row(const struct carry_order *order, int row)
{
    return SHARED_CELL(item_cell, order->cells) + row + (int)((unsigned)row / ITEMS);
}

DEVICE int order_place(const struct carry_order *order, int row)
{
    return place_of(LOAD_AS(VALUE, cell_of_row(order, row)));
}

/* The bit of a row in `ties` or `wrong`. */
DEVICE int row_bit(const int_cell *bits, int row)
{
    return LOAD_AS(VALUE, &bits[(unsigned)row / ITEMS]) >> row % ITEMS & 1;
}

DEVICE key code_at(const struct carry_order *order, int place)
{
    return LOAD_AS(VALUE, SHARED_CELL(key_cell, order->codes) + place);
}

enum { VOTES = TILE_MOST_ROWS / WARP }; /* words of one exchange */

/*
 * Does any thread of the block say so? The words of warps are exchanged through `votes`: a
 * call uses other ones than the call before it.
 */
DEVICE int any_thread(int_cell *votes, int mine)
{
    const int some = BALLOT(mine) != 0;
    int all = 0;

    if (LANE == 0)
        STORE(&votes[THREAD / WARP], some);
    BARRIER();
    UNROLL
    for (int i = 0; i < TILE_ROWS / WARP; i++)
        all |= LOAD(&votes[i]);
    return all;
}

enum { TIED = 1 << PLACE_BITS }; /* items with one prefix differ by less */

/* A bit for each item of my sorted row but the first: has it the prefix of the one before?
 */
DEVICE unsigned find_ties(const item *r)
{
    unsigned bits = 0;

    UNROLL
    for (int j = 1; j < ITEMS; j++)
        bits |= (r[j] ^ r[j - 1]) < TIED ? 1u << j : 0;
    return bits;
}

/* The bits of my row's items that are rows of the tile, with the first one's. */
DEVICE unsigned all_ties(const struct carry_order *order, unsigned others)
{
    const item_cell *const mine = cell_of_row(order, THREAD * ITEMS);
    const int left = order->count - THREAD * ITEMS;

    if (left <= 0)
        return 0;
    if (THREAD > 0)
        others |= (LOAD(mine) ^ LOAD(mine - 2)) < TIED;
    return left < ITEMS ? others & ((1u << left) - 1) : others;
}

/* Of my rows with the prefix of the one before, those whose code is lower. */
DEVICE unsigned find_wrong(const struct carry_order *order, unsigned ties)
{
    unsigned wrong = 0;

    NO_UNROLL
    for (; ties; ties &= ties - 1) {
        const int row = THREAD * ITEMS + LOWEST_BIT(ties);

        if (code_at(order, order_place(order, row)) <
            code_at(order, order_place(order, row - 1)))
            wrong |= ties & (0 - ties);
    }
    return wrong;
}

enum { MOST_MENDED = 24 }; /* rows of a group that one thread sorts */

/* Sort the rows [first, end) by insertion. */
DEVICE void sort_group(const struct carry_order *order, int first, int end)
{
    NO_UNROLL
    for (int i = first + 1; i < end; i++) {
        const item moved = LOAD_AS(VALUE, cell_of_row(order, i));
        const key code = code_at(order, place_of(moved));
        int to = i;

        NO_UNROLL
        for (; to > first; to--) {
            const item other = LOAD_AS(VALUE, cell_of_row(order, to - 1));

            if (code_at(order, place_of(other)) <= code)
                break;
            STORE_AS(VALUE, cell_of_row(order, to), other);
        }
        STORE_AS(VALUE, cell_of_row(order, to), moved);
    }
}

/*
 * The code of `row` is wrong: sort the rows with its prefix, unless an earlier one is wrong
 * too and does it. Returns 0 if they are too many.
 */
DEVICE int mend_group(const struct carry_order *order, int row)
{
    int first = row - 1;
    int end = row + 1;

    NO_UNROLL
    while (row - first < MOST_MENDED && row_bit(order->ties, first)) {
        if (row_bit(order->wrong, first))
            return 1;
        first--;
    }
    NO_UNROLL
    while (end < order->count && end - first <= MOST_MENDED && row_bit(order->ties, end))
        end++;
    if (end - first > MOST_MENDED)
        return 0;
    sort_group(order, first, end);
    return 1;
}

/*
 * Put the rows in the order that the sorted items say: their places are rows of the order
 * before, of which `old` are mine, two in a word.
 */
DEVICE void put_order(const struct carry_order *order, const struct carry_rows *mine,
                      const unsigned *old)
{
    item r[ITEMS];

    UNROLL
    for (int i = 0; i < ITEMS; i++)
        r[i] = WARP * i < mine->left ? order_place(order, mine->at + WARP * i) : 0;
    BARRIER();
    UNROLL
    for (int i = 0; i < ITEMS; i++) {
        if (WARP * i < mine->left)
            STORE_AS(VALUE, cell_of_row(order, mine->at + WARP * i),
                     old[i / 2] >> i % 2 * 16 & 0xffff);
    }
    BARRIER();
    UNROLL
    for (int i = 0; i < ITEMS; i++) {
        if (WARP * i < mine->left)
            r[i] = LOAD_AS(VALUE, cell_of_row(order, (int)r[i]));
    }
    BARRIER();
    UNROLL
    for (int i = 0; i < ITEMS; i++) {
        if (WARP * i < mine->left)
            STORE_AS(VALUE, cell_of_row(order, mine->at + WARP * i), r[i]);
    }
}

/* The lowest bit of a mask that has one. */
DEVICE int lowest_of(wide mask)
{
    return (unsigned)mask ? LOWEST_BIT((unsigned)mask)
                          : 32 + LOWEST_BIT((unsigned)(mask >> 32));
}

/* The bits in which staged codes of the tile differ. Uses `wrong` as room. */
DEVICE wide varying_bits(const struct carry_order *order)
{
    wide_cell *const room = (wide_cell *)order->wrong;
    const wide first = code_at(order, 0);
    wide bits = 0;

    NO_UNROLL
    for (int at = THREAD; at < order->count; at += TILE_ROWS)
        bits |= code_at(order, at) ^ first;
    NO_UNROLL
    for (int step = 1; step < WARP; step *= 2)
        bits |= (wide)SHUFFLE_XOR((unsigned)(bits >> 32), step) << 32 |
                SHUFFLE_XOR((unsigned)bits, step);
    if (LANE == 0)
        STORE(&room[THREAD / WARP], bits);
    BARRIER();
    NO_UNROLL
    for (int i = 0; i < TILE_ROWS / WARP; i++)
        bits |= LOAD(&room[i]);
    return bits;
}

/* The bits of `code` that `mask` has, side by side. */
DEVICE unsigned pack_bits(wide code, wide mask)
{
    unsigned packed = 0;
    int at = 0;

    NO_UNROLL
    while (mask) { /* a run of bits each time */
        const int low = lowest_of(mask);
        const wide run = ~(mask >> low);
        const int bits = run ? lowest_of(run) : 64;

        packed |= ((unsigned)(code >> low) & ((1u << bits) - 1)) << at;
        at += bits;
        mask = mask >> low >> bits << bits << low;
    }
    return packed;
}

/* The lowest PREFIX_BITS of the bits that are set. */
DEVICE wide lowest_bits(wide bits)
{
    wide rest = bits;

    NO_UNROLL
    for (int i = 0; i < PREFIX_BITS && rest; i++)
        rest &= rest - 1;
    return bits ^ rest;
}

/*
 * Sort a tile by whole codes: by the lowest PREFIX_BITS bits that vary, then by the next,
 * each time stably.
 */
DEVICE void resort(const struct carry_order *order, const struct carry_rows *mine)
{
    const struct key_code no_code = {0, 0, 0};
    wide left = varying_bits(order);

    NO_UNROLL
    while (left) {
        const wide mask = lowest_bits(left);
        unsigned old[ITEMS / 2];
        item r[ITEMS];

        UNROLL
        for (int i = 0; i < ITEMS; i++) {
            const int place =
                WARP * i < mine->left ? order_place(order, mine->at + WARP * i) : 0;

            old[i / 2] = i % 2 ? old[i / 2] | (unsigned)place << 16 : (unsigned)place;
        }
        NO_UNROLL
        for (int i = 0; i < ITEMS && WARP * i < mine->left; i++) {
            const int at = mine->at + WARP * i;
            const key code = code_at(order, order_place(order, at));

            STORE_AS(VALUE, cell_of_row(order, at), item_of(pack_bits(code, mask), at));
        }
        UNROLL
        for (int i = 0; i < ITEMS; i++)
            r[i] = WARP * i < mine->left
                       ? LOAD_AS(VALUE, cell_of_row(order, mine->at + WARP * i))
                       : filler();
        BARRIER(); /* all have read the cells, and the bits where splits go now */
        sort_tile(order->cells, order->ties, &no_code, r);
        put_order(order, mine, old);
        left ^= mask;
        BARRIER();
    }
}

/*
 * Put right what is in order of prefixes, but not of whole codes. Returns 1 if all rows
 * were sorted again, by codes alone.
 */
DEVICE int mend_order(const struct carry_order *order, const struct carry_rows *mine,
                      unsigned found)
{
    const unsigned ties = all_ties(order, found);
    const unsigned wrong = find_wrong(order, ties);
    int failed = 0;

    STORE(&order->ties[THREAD], (int)ties);
    STORE(&order->wrong[THREAD], (int)wrong);
    if (!any_thread(order->votes, wrong != 0))
        return 0;
    NO_UNROLL
    for (unsigned left = wrong; left; left &= left - 1)
        failed |= !mend_group(order, THREAD * ITEMS + LOWEST_BIT(left));
    if (!any_thread(order->votes + VOTES, failed))
        return 0;
    resort(order, mine);
    return 1;
}
