/*
 * tile_carry.cuh - in a program with places, what travels with the keys of a tile.
 *
 * Before the pass a tile's rows are staged in shared memory one list after the other; the
 * place of a row is its number there. An item has the place of its row, so the sorted
 * items say in which order rows leave. Values follow in pieces of up to 8 bytes: a piece
 * of all rows is loaded to shared memory, in order of places; each thread takes the
 * pieces of its rows and stores them. So a value moves once from and once to global
 * memory, coalesced, whatever the order is.
 *
 * Items hold the prefix of a key: the highest PREFIX_BITS bits in which the tile's keys
 * differ. If that is not all, rows with the same prefix are in order of their places and
 * perhaps not of their keys. With random keys a tile has about 8 such pairs. Then whole
 * codes are loaded, and wrong neighbours are put right: in small groups of equal prefixes
 * by one thread each (mend_group), otherwise by sorting the tile again (resort).
 */

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

typedef unsigned char value_1;
typedef unsigned short value_2;
typedef unsigned value_4;
typedef wide value_8;

#define VALUE_BYTES 1
#include "tile_values.inl"
#define VALUE_BYTES 2
#include "tile_values.inl"
#define VALUE_BYTES 4
#include "tile_values.inl"
#define VALUE_BYTES 8
#include "tile_values.inl"

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

DEVICE void stage_piece(const struct tile_piece *piece, const struct carry_chunk *chunk)
{
    if (piece->bytes == 4)
        stage_4(piece, chunk);
    else if (piece->bytes == 8)
        stage_8(piece, chunk);
    else if (piece->bytes == 2)
        stage_2(piece, chunk);
    else
        stage_1(piece, chunk);
}

DEVICE void take_piece(const struct tile_piece *piece, int cells,
                       const struct carry_rows *mine, const int *place)
{
    if (piece->bytes == 4)
        take_4(piece, cells, mine, place);
    else if (piece->bytes == 8)
        take_8(piece, cells, mine, place);
    else if (piece->bytes == 2)
        take_2(piece, cells, mine, place);
    else
        take_1(piece, cells, mine, place);
}

/* Move all pieces. Until the first barrier threads may still read the tile's items. */
DEVICE void carry_pieces(const struct tile_carry *carry, const struct tile_list *list,
                         int cells, const struct carry_rows *mine, const int *place)
{
    const int chunks = SHUFFLE(list->end_chunk, WARP - 1);

    NO_UNROLL
    for (int p = 0; p < carry->piece_count; p++) {
        const struct tile_piece *const piece = &carry->piece[p];

        BARRIER();
        for (int number = THREAD / WARP; number < chunks; number += TILE_ROWS / WARP) {
            const struct carry_chunk chunk = chunk_of(list, number, cells);

            stage_piece(piece, &chunk);
        }
        BARRIER();
        take_piece(piece, cells, mine, place);
    }
}

/* The sample in each 32 rows of mine, if I have it: sample i is the key of row 32 i. */
DEVICE void store_my_samples(const struct tile_target *to, const struct carry_rows *mine,
                             const bare *k)
{
    if (!to->samples || mine->row % TILE_SAMPLE)
        return;
    UNROLL
    for (int i = 0; i < ITEMS; i++) {
        if (WARP * i < mine->left)
            STORE_AS(SAMPLE, &to->samples[mine->row / TILE_SAMPLE + i], (key)k[i]);
    }
}

/* Store my keys, and their samples as codes. */
DEVICE void store_codes(const struct tile_carry *carry, const struct tile_target *to,
                        const struct carry_rows *mine, bare *k,
                        const struct key_code *leave)
{
    char *const out = (char *)to->array + mine->row * carry->out_pitch;
    const wide step = (wide)WARP * carry->out_pitch;

    store_my_samples(to, mine, k);
    if (!to->array)
        return;
    leave_all(k, ITEMS, 0, leave);
    UNROLL
    for (int i = 0; i < ITEMS; i++) {
        if (WARP * i < mine->left)
            STORE_EVICT(BULK, (key_cell *)(out + i * step), (key)k[i]);
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
        } else {
            const char *const from = (const char *)key_of_row(source, chunk.row);
            bare k[CHUNK_STEPS];

            UNROLL
            for (int i = 0; i < CHUNK_STEPS; i++) {
                k[i] = 0;
                if (WARP * i < chunk.left)
                    k[i] = LOAD_EVICT(
                        BULK, (const key_cell *)(from + i * (WARP * source->pitch)));
            }
            enter_all(k, CHUNK_STEPS, enter_by);
            UNROLL
            for (int i = 0; i < CHUNK_STEPS; i++) {
                if (WARP * i < chunk.left)
                    STORE_AS(VALUE, to + WARP * i, (key)k[i]);
            }
        }
    }
    BARRIER();
}

/* Does any thread say so? The words of all warps are exchanged through `votes`. */
DEVICE int anyone(int_cell *votes, int says)
{
    const int mine = BALLOT(says) != 0;
    int all = 0;

    if (LANE == 0)
        STORE(&votes[THREAD / WARP], mine);
    BARRIER();
    UNROLL
    for (int i = 0; i < TILE_ROWS / WARP; i++)
        all |= LOAD(&votes[i]);
    BARRIER();
    return all;
}

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

/* Store the order of my rows. Returns a bit for each that is tied to the row before. */
DEVICE unsigned put_order(const struct carry_order *order, const struct carry_rows *mine)
{
    const item_cell *const items = SHARED_CELL(item_cell, order->cells);
    unsigned ties = 0;

    UNROLL
    for (int i = 0; i < ITEMS; i++) {
        const int at = mine->at + WARP * i;
        const int before = at > 0 ? at - 1 : 0;
        int tied = 0;

        if (WARP * i < mine->left) {
            const item a = LOAD(items + before + before / ITEMS);
            const item b = LOAD(items + at + at / ITEMS);

            tied = at > 0 && (a ^ b) >> PLACE_BITS == 0;
            STORE_AS(VALUE, &order->rows[at], (unsigned short)place_of(b));
        }
        ties |= (unsigned)tied << i;

        const unsigned all = BALLOT(tied);

        if (LANE == 0)
            STORE(&order->ties[at / WARP], (int)all);
    }
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
        if (!anyone(order->votes, differs))
            continue;
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

/* Put right what is in order of prefixes, but not of whole codes. */
DEVICE void mend_order(const struct tile_source *source, const struct key_code *enter_by,
                       const struct tile_list *list, const struct carry_order *order,
                       const struct carry_rows *mine, unsigned ties, bare base, int *place)
{
    int verdict = 0;
    int failed = 0;

    NO_UNROLL
    for (unsigned left = ties; left; left &= left - 1)
        verdict |= judge_row(order, mine->at + WARP * LOWEST_BIT(left));
    if (!anyone(order->votes, verdict))
        return;
    if (!anyone(order->votes, verdict & 2)) {
        unsigned heads = 0; /* rows that are the second of their groups */

        NO_UNROLL
        for (unsigned left = ties; left; left &= left - 1) {
            const int i = LOWEST_BIT(left);

            heads |= (unsigned)!is_tied(order, mine->at + WARP * i - 1) << i;
        }
        BARRIER(); /* all rows have been judged: the order may change */
        NO_UNROLL
        for (; heads; heads &= heads - 1)
            failed |= !mend_group(order, mine->at + WARP * LOWEST_BIT(heads));
        failed = anyone(order->votes, failed);
    } else {
        failed = 1;
    }
    if (failed)
        resort(source, enter_by, list, order, mine, base);
    UNROLL
    for (int i = 0; i < ITEMS; i++)
        place[i] = WARP * i < mine->left ? order_place(order, mine->at + WARP * i) : 0;
}

/* Store the keys of a tile whose items do not hold all of their bits. */
DEVICE void store_whole_codes(const struct tile_carry *carry,
                              const struct key_code *enter_by, const struct tile_list *list,
                              const struct carry_order *order, const struct tile_target *to,
                              const struct carry_rows *mine, const struct tile_base *b,
                              int *place, const struct key_code *leave)
{
    BARRIER(); /* the rows of all warps are there */

    const unsigned ties = put_order(order, mine);
    const int tied = anyone(order->votes, ties != 0);
    bare k[ITEMS];

    if (!tied && !to->array && !to->samples)
        return;
    stage_codes(&carry->source, enter_by, list, order->cells);
    if (tied)
        mend_order(&carry->source, enter_by, list, order, mine, ties, b->base, place);
    UNROLL
    for (int i = 0; i < ITEMS; i++)
        k[i] = WARP * i < mine->left ? code_at(order, place[i]) : 0;
    store_codes(carry, to, mine, k, leave);
}

/* Store a tile whose items are sorted in the cells: its keys, samples and pieces. */
DEVICE void store_carried(const struct tile_carry *carry, const struct key_code *enter_by,
                          const struct tile_list *list, int cells, place_cell *rows,
                          int_cell *splits, const struct tile_target *to,
                          const struct tile_base *b, const struct key_code *leave)
{
    enum { STEP = WARP + WARP / ITEMS };
    const struct carry_rows mine = my_rows(to);
    const struct carry_order order = {rows, splits + TILE_ROWS / 2, splits, cells,
                                      to->count};
    const item_cell *const from = SHARED_CELL(item_cell, cells) + mine.at + mine.at / ITEMS;
    int place[ITEMS];

    if (b->rest_bits == 0) {
        bare k[ITEMS];

        UNROLL
        for (int i = 0; i < ITEMS; i++) {
            const item c = WARP * i < mine.left ? LOAD(&from[STEP * i]) : 0;

            place[i] = place_of(c);
            k[i] = key_of(c) + b->base;
        }
        store_codes(carry, to, &mine, k, leave);
    } else {
        UNROLL
        for (int i = 0; i < ITEMS; i++)
            place[i] = WARP * i < mine.left ? place_of(LOAD(&from[STEP * i])) : 0;
        store_whole_codes(carry, enter_by, list, &order, to, &mine, b, place, leave);
    }
    carry_pieces(carry, list, cells, &mine, place);
}
