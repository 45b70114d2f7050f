/*
 * tile_order.cuh - in a program with places, the order in which the rows of a tile leave.
 *
 * Items hold the prefix of a key: the highest PREFIX_BITS bits in which the tile's keys
 * differ. If that is not all, rows with the same prefix are in order of their places and
 * perhaps not of their keys. With random keys a tile has about 8 such pairs. Then whole
 * codes are loaded, and wrong neighbours are put right: in small groups of equal prefixes
 * by one thread each (mend_group), otherwise by sorting the tile again (resort).
 */

enum { FEW_STEPS = (CHUNK_STEPS + 1) / 2 }; /* of a chunk with few rows */

/* A chunk of a list, as one lane sees it: rows 32 apart. */
struct carry_chunk {
    int cells;
    wide row;   /* my first row in the input */
    int left;   /* rows from mine to the end of the list's part */
    int staged; /* my first row's place */
};

/* The rows of a tile that a thread stores: 32 apart, too. */
struct carry_rows {
    wide row; /* my first row in the output */
    int left; /* rows of the tile from mine on */
    int at;   /* my first row in the tile */
};

/* The order of a tile's rows in shared memory. */
struct carry_order {
    place_cell *rows; /* the place of each */
    int_cell *ties;   /* a bit for each: has it the prefix of the row before? */
    int_cell *votes;
    int cells; /* where codes are, by place */
    int count; /* rows */
};

DEVICE int order_place(const struct carry_order *order, int row)
{
    return LOAD_AS(VALUE, &order->rows[row]);
}

DEVICE int is_tied(const struct carry_order *order, int row)
{
    return (unsigned)LOAD(&order->ties[row / WARP]) >> row % WARP & 1;
}

DEVICE key code_at(const struct carry_order *order, int place)
{
    return LOAD_AS(VALUE, SHARED_CELL(key_cell, order->cells) + place);
}

/* Chunk `number` of a tile's lists. */
DEVICE struct carry_chunk chunk_of(const struct tile_list *mine, int number, int cells)
{
    const int list = HIGHEST_BIT(BALLOT(mine->first_chunk <= number));
    const int done = (number - SHUFFLE(mine->first_chunk, list)) * CHUNK + LANE;
    struct carry_chunk chunk;

    chunk.cells = cells;
    chunk.row = (wide)SHUFFLE(mine->from, list) + done;
    chunk.left = SHUFFLE(mine->count, list) - done;
    chunk.staged = SHUFFLE(mine->staged, list) + done;
    return chunk;
}

DEVICE struct carry_rows my_rows(const struct tile_target *to)
{
    struct carry_rows mine;

    mine.at = THREAD / WARP * WARP * ITEMS + LANE;
    mine.row = to->first + mine.at;
    mine.left = to->count - mine.at;
    return mine;
}

/* Load a chunk of keys to shared memory. The constants are those of tile_values.inl. */
DEVICE void stage_keys(const struct tile_source *source, const struct key_code *enter_by,
                       const struct carry_chunk *chunk, const int dense, const int steps,
                       const int whole)
{
    const char *const from = (const char *)key_of_row(source, chunk->row);
    const unsigned step = WARP * (dense ? sizeof(key) : (unsigned)source->pitch);
    key_cell *const to = SHARED_CELL(key_cell, chunk->cells) + chunk->staged;
    bare k[CHUNK_STEPS];

    UNROLL
    for (int i = 0; i < steps; i++) {
        k[i] = 0;
        if (whole || WARP * i < chunk->left)
            k[i] = LOAD_EVICT(BULK, (const key_cell *)(from + i * step));
    }
    enter_all(k, steps, enter_by);
    UNROLL
    for (int i = 0; i < steps; i++) {
        if (whole || WARP * i < chunk->left)
            STORE_AS(VALUE, to + WARP * i, (key)k[i]);
    }
}

/* Load the codes of a tile to shared memory, in order of places. */
DEVICE void stage_codes(const struct tile_source *source, const struct key_code *enter_by,
                        const struct tile_list *list, int cells)
{
    const int chunks = SHUFFLE(list->end_chunk, WARP - 1);

    BARRIER();
    for (int number = THREAD / WARP; number < chunks; number += TILE_ROWS / WARP) {
        const struct carry_chunk chunk = chunk_of(list, number, cells);
        key_cell *const to = SHARED_CELL(key_cell, cells) + chunk.staged;

        if (source->part_count) {
            NO_UNROLL
            for (int i = 0; WARP * i < chunk.left && i < CHUNK_STEPS; i++)
                STORE_AS(VALUE, to + WARP * i, code_of_parts(source, chunk.row + WARP * i));
        } else if (source->pitch != sizeof(key)) {
            stage_keys(source, enter_by, &chunk, 0, CHUNK_STEPS, 0);
        } else if (chunk.left + LANE >= CHUNK) {
            stage_keys(source, enter_by, &chunk, 1, CHUNK_STEPS, 1);
        } else if (chunk.left + LANE <= FEW_STEPS * WARP) {
            stage_keys(source, enter_by, &chunk, 1, FEW_STEPS, 0);
        } else {
            stage_keys(source, enter_by, &chunk, 1, CHUNK_STEPS, 0);
        }
    }
    BARRIER();
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

/*
 * Store the order of my rows. If `may_tie`, a constant, returns a bit for each that has the
 * prefix of the row before; lane i stores the bits of all lanes' rows i.
 */
DEVICE unsigned put_order(const struct carry_order *order, const struct carry_rows *mine,
                          const int may_tie)
{
    enum { STEP = WARP + WARP / ITEMS };
    const item_cell *const items =
        SHARED_CELL(item_cell, order->cells) + mine->at + mine->at / ITEMS;
    const int back = mine->at % ITEMS ? 1 : 2; /* a spare cell is between rows */
    unsigned ties = 0;
    unsigned word = 0;

    UNROLL
    for (int i = 0; i < ITEMS; i++) {
        int tied = 0;

        if (WARP * i < mine->left) {
            const item c = LOAD(items + STEP * i);

            STORE_AS(VALUE, &order->rows[mine->at + WARP * i], (unsigned short)place_of(c));
            if (may_tie && (i > 0 || mine->at > 0))
                tied = (c ^ LOAD(items + STEP * i - back)) >> PLACE_BITS == 0;
        }
        if (may_tie) {
            const unsigned all = BALLOT(tied);

            ties |= (unsigned)tied << i;
            word = LANE == i ? all : word;
        }
    }
    if (may_tie && LANE < ITEMS)
        STORE(&order->ties[mine->at / WARP + LANE], (int)word);
    return ties;
}

enum { MOST_MENDED = 24 }; /* rows of a group that one thread sorts */

/*
 * The row is tied to the one before. Returns 1 if the two are in the wrong order, and
 * 2 if the group is also too large for mend_group, as far as this row can tell.
 */
DEVICE int judge_row(const struct carry_order *order, int row)
{
    int first = row - 1;

    if (code_at(order, order_place(order, row - 1)) <=
        code_at(order, order_place(order, row)))
        return 0;
    NO_UNROLL
    while (row - first < MOST_MENDED && is_tied(order, first))
        first--;
    return is_tied(order, first) ? 2 : 1;
}

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
        const int place = order_place(order, i);
        const key code = code_at(order, place);
        int to = i;

        NO_UNROLL
        for (; to > first; to--) {
            const int other = order_place(order, to - 1);

            if (code_at(order, other) <= code)
                break;
            STORE_AS(VALUE, &order->rows[to], (unsigned short)other);
        }
        STORE_AS(VALUE, &order->rows[to], (unsigned short)place);
    }
    return 1;
}

/*
 * Sort a tile by whole codes: by PREFIX_BITS of them after the other, the lowest first,
 * each time stably.
 */
DEVICE void resort(const struct tile_source *source, const struct key_code *enter_by,
                   const struct tile_list *list, const struct carry_order *order,
                   const struct carry_rows *mine, bare base)
{
    const struct key_code no_code = {0, 0, 0};

    NO_UNROLL
    for (int shift = 0; shift < KEY_BITS; shift += PREFIX_BITS) {
        item r[ITEMS];
        int differs = 0;

        stage_codes(source, enter_by, list, order->cells);
        UNROLL
        for (int i = 0; i < ITEMS; i++) {
            const int at = mine->at + WARP * i;

            r[i] = filler();
            if (WARP * i < mine->left) {
                const bare digit = (code_at(order, order_place(order, at)) - base) >> shift;
                const bare first = (code_at(order, 0) - base) >> shift;

                r[i] = item_of(digit, at);
                differs |= item_of(digit, 0) != item_of(first, 0);
            }
        }
        if (!any_bits(order->votes, differs))
            continue;
        BARRIER(); /* all have read the votes, where splits go now */
        sort_tile(order->cells, order->votes, &no_code, r);
        UNROLL
        for (int i = 0; i < ITEMS; i++) {
            const int at = mine->at + WARP * i;

            r[i] = 0;
            if (WARP * i < mine->left) {
                const item sorted =
                    LOAD(SHARED_CELL(item_cell, order->cells) + at + at / ITEMS);

                r[i] = (item)order_place(order, place_of(sorted));
            }
        }
        BARRIER();
        UNROLL
        for (int i = 0; i < ITEMS; i++) {
            if (WARP * i < mine->left)
                STORE_AS(VALUE, &order->rows[mine->at + WARP * i], (unsigned short)r[i]);
        }
    }
    stage_codes(source, enter_by, list, order->cells);
}

/*
 * Put right what is in order of prefixes, but not of whole codes. Returns 1 if all rows
 * were sorted again, by codes alone.
 */
DEVICE int mend_order(const struct tile_source *source, const struct key_code *enter_by,
                      const struct tile_list *list, const struct carry_order *order,
                      const struct carry_rows *mine, unsigned ties, bare base)
{
    int verdict = 0;
    int failed = 1;

    NO_UNROLL
    for (unsigned left = ties; left; left &= left - 1)
        verdict |= judge_row(order, mine->at + WARP * LOWEST_BIT(left));
    verdict = any_bits(order->votes, verdict);
    if (!verdict)
        return 0;
    if (!(verdict & 2)) {
        failed = 0;
        NO_UNROLL
        for (unsigned left = ties; left; left &= left - 1) {
            const int row = mine->at + WARP * LOWEST_BIT(left);

            if (!is_tied(order, row - 1)) /* it is the second of its group */
                failed |= !mend_group(order, row);
        }
        failed = any_bits(order->votes + VOTES, failed);
    }
    if (failed)
        resort(source, enter_by, list, order, mine, base);
    return failed;
}
