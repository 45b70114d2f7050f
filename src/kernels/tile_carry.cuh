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
 * Items hold 49 bits of a key. If an 8-byte key needs more, neighbours with the same 49
 * bits are in order of their places and perhaps not of their keys. This is checked, and
 * put right by another sort of the tile (settle_ties).
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

#if KEY_BITS == 64

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
            if (enter_by)
                enter_all(k, CHUNK_STEPS, enter_by);
            UNROLL
            for (int i = 0; i < CHUNK_STEPS; i++) {
                if (WARP * i < chunk.left)
                    STORE_AS(VALUE, to + WARP * i, k[i]);
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

/* Which of my items have the same prefix as the item before? A bit for each. */
DEVICE unsigned find_ties(int cells, const struct carry_rows *mine)
{
    unsigned ties = 0;

    UNROLL
    for (int i = 0; i < ITEMS; i++) {
        const int at = mine->at + WARP * i;
        const int before = at > 0 ? at - 1 : 0;

        if (WARP * i < mine->left && at > 0) {
            const item a = LOAD(SHARED_CELL(item_cell, cells) + before + before / ITEMS);
            const item b = LOAD(SHARED_CELL(item_cell, cells) + at + at / ITEMS);

            ties |= (unsigned)(((a ^ b) >> PLACE_BITS) == 0) << i;
        }
    }
    return ties;
}

/*
 * Sort the rows of a tile whose prefixes tie by their whole keys. `k` and `place` are
 * those of my rows in order of prefixes. An item then is the number of its group of
 * equal prefixes, the rest of its key, and its rank so far.
 */
COLD void settle_ties(int cells, int_cell *splits, const struct carry_rows *mine,
                      unsigned ties, int rest_bits, const bare *k, int *place)
{
    const struct key_code no_code = {0, 0, 0};
    const bare rest_mask = ((bare)1 << rest_bits) - 1;
    unsigned before = 0; /* groups begun in rows of my warp before this one */
    unsigned groups[ITEMS];
    item r[ITEMS];

    for (int i = 0; i < ITEMS; i++) {
        const unsigned begun = BALLOT(WARP * i < mine->left && !(ties >> i & 1));

        groups[i] = before + BITS(begun & ~0u >> (WARP - 1 - LANE));
        before += BITS(begun);
    }
    if (LANE == 0)
        STORE(&splits[THREAD / WARP], (int)before);
    BARRIER();
    for (int i = 0; i < THREAD / WARP; i++) {
        const unsigned others = (unsigned)LOAD(&splits[i]);

        for (int j = 0; j < ITEMS; j++)
            groups[j] += others;
    }
    BARRIER();
    for (int i = 0; i < ITEMS; i++) {
        const wide order = (wide)groups[i] << rest_bits | (k[i] & rest_mask);

        r[i] = WARP * i < mine->left ? item_of(order, mine->at + WARP * i) : filler();
    }
    sort_tile(cells, splits, &no_code, r);
    for (int i = 0; i < ITEMS; i++) {
        const int at = mine->at + WARP * i;

        r[i] = LOAD(SHARED_CELL(item_cell, cells) + at + at / ITEMS);
    }
    BARRIER();
    for (int i = 0; i < ITEMS; i++) {
        if (WARP * i < mine->left)
            STORE_AS(VALUE, SHARED_CELL(int_cell, cells) + mine->at + WARP * i, place[i]);
    }
    BARRIER();
    for (int i = 0; i < ITEMS; i++) {
        if (WARP * i < mine->left)
            place[i] = LOAD_AS(VALUE, SHARED_CELL(int_cell, cells) + place_of(r[i]));
    }
}

/* Are two rows with the same prefix in the wrong order? `k` are the keys of my rows. */
DEVICE int is_wrong(int cells, const struct carry_rows *mine, unsigned ties, const bare *k)
{
    key_cell *const sorted = SHARED_CELL(key_cell, cells);
    int wrong = 0;

    BARRIER();
    UNROLL
    for (int i = 0; i < ITEMS; i++) {
        if (WARP * i < mine->left)
            STORE_AS(VALUE, sorted + mine->at + WARP * i, k[i]);
    }
    BARRIER();
    UNROLL
    for (int i = 0; i < ITEMS; i++) {
        if (ties >> i & 1)
            wrong |= LOAD_AS(VALUE, sorted + mine->at + WARP * i - 1) > k[i];
    }
    return wrong;
}

DEVICE void take_codes(int cells, const struct carry_rows *mine, const int *place, bare *k)
{
    UNROLL
    for (int i = 0; i < ITEMS; i++) {
        k[i] = 0;
        if (WARP * i < mine->left)
            k[i] = LOAD_AS(VALUE, SHARED_CELL(key_cell, cells) + place[i]);
    }
}

/*
 * Store the keys of a tile whose items do not hold all of their bits: they are loaded
 * again. Mends the places if items with the same prefix are in the wrong order.
 */
DEVICE void store_whole_codes(const struct tile_carry *carry,
                              const struct key_code *enter_by, const struct tile_list *list,
                              int cells, int_cell *splits, const struct tile_target *to,
                              const struct carry_rows *mine, int rest_bits, int *place,
                              const struct key_code *leave)
{
    bare k[ITEMS];

    BARRIER(); /* the rows of all warps are there */

    const unsigned ties = find_ties(cells, mine);
    const int tied = anyone(splits, ties != 0);

    if (!tied && !to->array && !to->samples)
        return;
    stage_codes(&carry->source, enter_by, list, cells);
    take_codes(cells, mine, place, k);
    if (tied && anyone(splits, is_wrong(cells, mine, ties, k))) {
        bare whole[ITEMS];
        int mended[ITEMS];

        UNROLL
        for (int i = 0; i < ITEMS; i++) {
            whole[i] = k[i];
            mended[i] = place[i];
        }
        settle_ties(cells, splits, mine, ties, rest_bits, whole, mended);
        UNROLL
        for (int i = 0; i < ITEMS; i++)
            place[i] = mended[i];
        stage_codes(&carry->source, enter_by, list, cells);
        take_codes(cells, mine, place, k);
    }
    store_codes(carry, to, mine, k, leave);
}

#endif

/* Store a tile whose items are sorted in the cells: its keys, samples and pieces. */
DEVICE void store_carried(const struct tile_carry *carry, const struct key_code *enter_by,
                          const struct tile_list *list, int cells, int_cell *splits,
                          const struct tile_target *to, const struct tile_base *b,
                          const struct key_code *leave)
{
    const struct carry_rows mine = my_rows(to);
    const item_cell *const from = SHARED_CELL(item_cell, cells) + mine.at + mine.at / ITEMS;
    enum { STEP = WARP + WARP / ITEMS };
    int place[ITEMS];

    if (b->rest_bits == 0) {
        bare k[ITEMS];

        UNROLL
        for (int i = 0; i < ITEMS; i++) {
            const item c = WARP * i < mine.left ? LOAD(&from[STEP * i]) : 0;

            place[i] = place_of(c);
            k[i] = add_base(key_of(c), b->base);
        }
        store_codes(carry, to, &mine, k, leave);
    } else {
#if KEY_BITS == 64
        UNROLL
        for (int i = 0; i < ITEMS; i++)
            place[i] = WARP * i < mine.left ? place_of(LOAD(&from[STEP * i])) : 0;
        store_whole_codes(carry, enter_by, list, cells, splits, to, &mine, b->rest_bits,
                          place, leave);
#else
        (void)enter_by;
        (void)splits;
#endif
    }
    carry_pieces(carry, list, cells, &mine, place);
}
