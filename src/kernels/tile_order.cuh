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
    int cells;        /* where the items are */
    int codes;        /* the staging area: codes by place, then values */
    place_cell *ties; /* a bit for each row, ITEMS a cell: has it the prefix of the one */
                      /*   before? */
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

DEVICE int is_tied(const struct carry_order *order, int row)
{
    return LOAD(&order->ties[(unsigned)row / ITEMS]) >> row % ITEMS & 1;
}

DEVICE key code_at(const struct carry_order *order, int place)
{
    return LOAD_AS(VALUE, SHARED_CELL(key_cell, order->codes) + place);
}

/*
 * The bits that any thread of the block has set, of 2. The words of warps are exchanged
 * through `votes`: a call uses other ones than the call before it.
 */
DEVICE int any_bits(int_cell *votes, int mine)
{
    const int bits = (BALLOT(mine & 1) != 0) | (BALLOT(mine & 2) != 0) << 1;
    int all = 0;

    if (LANE == 0)
        STORE(&votes[THREAD / WARP], bits);
    BARRIER();
    UNROLL
    for (int i = 0; i < TILE_ROWS / WARP; i++)
        all |= LOAD(&votes[i]);
    return all;
}

enum { VOTES = TILE_MOST_ROWS / WARP }; /* words of one exchange */

enum { TIED = 1 << PLACE_BITS }; /* items with one prefix differ by less */

/* A bit for each item of my sorted row but the first: has it the prefix of the one before? */
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

/* Are two of my rows with the same prefix in the wrong order? */
DEVICE int are_wrong(const struct carry_order *order, unsigned ties)
{
    int wrong = 0;

    NO_UNROLL
    for (; ties; ties &= ties - 1) {
        const int row = THREAD * ITEMS + LOWEST_BIT(ties);

        wrong |= code_at(order, order_place(order, row)) <
                 code_at(order, order_place(order, row - 1));
    }
    return wrong;
}

enum { MOST_MENDED = 24 }; /* rows of a group that one thread sorts */

/* Sort the group that begins before `row` by insertion. Returns 0 if it is too large. */
DEVICE int mend_group(const struct carry_order *order, int row)
{
    const int first = row - 1;
    int end = row + 1;

    NO_UNROLL
    while (end < order->count && end - first <= MOST_MENDED && is_tied(order, end))
        end++;
    if (end - first > MOST_MENDED)
        return 0;
    NO_UNROLL
    for (int i = row; i < end; i++) {
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

/*
 * Sort a tile by whole codes: by PREFIX_BITS of them after the other, the lowest first,
 * each time stably.
 */
DEVICE void resort(const struct carry_order *order, const struct carry_rows *mine,
                   bare base)
{
    const struct key_code no_code = {0, 0, 0};

    NO_UNROLL
    for (int shift = 0; shift < KEY_BITS; shift += PREFIX_BITS) {
        const bare first = (code_at(order, 0) - base) >> shift;
        unsigned old[ITEMS / 2];
        item r[ITEMS];
        int differs = 0;

        BARRIER(); /* the order is there, and all have read the votes */
        UNROLL
        for (int i = 0; i < ITEMS; i++) {
            const int at = mine->at + WARP * i;
            int place = 0;

            r[i] = filler();
            if (WARP * i < mine->left) {
                place = order_place(order, at);

                const bare digit = (code_at(order, place) - base) >> shift;

                r[i] = item_of(digit, at);
                differs |= item_of(digit, 0) != item_of(first, 0);
            }
            old[i / 2] = i % 2 ? old[i / 2] | (unsigned)place << 16 : (unsigned)place;
        }
        if (!any_bits(order->votes, differs))
            continue;
        BARRIER(); /* all have read the votes, where splits go now */
        sort_tile(order->cells, order->votes, &no_code, r);
        put_order(order, mine, old);
    }
    BARRIER();
}

/* Put right what is in order of prefixes, but not of whole codes. */
DEVICE void mend_order(const struct carry_order *order, const struct carry_rows *mine,
                       bare base, unsigned found)
{
    const unsigned ties = all_ties(order, found);
    int failed = 0;

    STORE(&order->ties[THREAD], (unsigned short)ties);
    if (!any_bits(order->votes, are_wrong(order, ties)))
        return;
    NO_UNROLL
    for (unsigned left = ties; left; left &= left - 1) {
        const int row = THREAD * ITEMS + LOWEST_BIT(left);

        if (!is_tied(order, row - 1)) /* it is the second of its group */
            failed |= !mend_group(order, row);
    }
    if (any_bits(order->votes + VOTES, failed))
        resort(order, mine, base);
}
