/*
 * tile_carry.cuh - in a program with places, what travels with the keys of a tile.
 *
 * Before the pass a tile's rows are staged in shared memory one list after the other; the
 * place of a row is its number there. An item has the place of its row, so the sorted
 * items say in which order rows leave. Values follow in pieces of up to 8 bytes: a piece
 * of all rows is loaded to shared memory, in order of places; each thread takes the
 * pieces of its rows and stores them. So a value moves once from and once to global
 * memory, coalesced, whatever the order is.
 */

typedef unsigned char value_1;
typedef unsigned short value_2;
typedef unsigned value_4;
typedef wide value_8;

/* Where a piece comes from: with lists each list has an array of its own (piece_at). */
#ifdef TILE_LISTS
#define PIECE_IN(piece, chunk) ((chunk)->at)
#define PIECE_HAS_NUMBERS(piece, chunk) PIECE_IS_NUMBER((chunk)->at)
#define PIECE_NUMBER(chunk) ((chunk)->at)
#else
#define PIECE_IN(piece, chunk) ((piece)->in)
#define PIECE_HAS_NUMBERS(piece, chunk) (!(piece)->in)
#define PIECE_NUMBER(chunk) 0
#endif

#define VALUE_BYTES 1
#include "tile_values.inl"
#define VALUE_BYTES 2
#include "tile_values.inl"
#define VALUE_BYTES 4
#include "tile_values.inl"
#define VALUE_BYTES 8
#include "tile_values.inl"

DEVICE void stage_piece(const struct tile_piece *piece, const struct carry_chunk *chunk)
{
    if (piece->bytes == 4)
        stage_any_4(piece, chunk);
    else if (piece->bytes == 8)
        stage_any_8(piece, chunk);
    else if (piece->bytes == 2)
        stage_any_2(piece, chunk);
    else
        stage_any_1(piece, chunk);
}

/* Values of 4 bytes that are stored as 8. */
DEVICE void take_wide(const struct tile_piece *piece, const struct carry_order *order,
                      const struct carry_rows *mine)
{
    char *const out = (char *)piece->out + mine->row * piece->out_pitch;
    const unsigned step = WARP * piece->out_pitch;

    UNROLL
    for (int i = 0; i < ITEMS; i++) {
        if (WARP * i < mine->left)
            STORE_EVICT(BULK, (wide_cell *)(out + i * step),
                        LOAD_AS(VALUE, SHARED_CELL(value_cell_4, order->cells) +
                                           order_place(order, mine->at + WARP * i)));
    }
}

DEVICE void take_piece(const struct tile_piece *piece, const struct carry_order *order,
                       const struct carry_rows *mine)
{
    if (piece->out_bytes > piece->bytes)
        take_wide(piece, order, mine);
    else if (piece->bytes == 4)
        take_any_4(piece, order, mine);
    else if (piece->bytes == 8)
        take_any_8(piece, order, mine);
    else if (piece->bytes == 2)
        take_any_2(piece, order, mine);
    else
        take_any_1(piece, order, mine);
}

/* Move all pieces. Until the first barrier threads may still read the cells. */
DEVICE void carry_pieces(const tile_input *in, const struct tile_carry *carry,
                         const struct tile_list *list, const struct carry_order *order,
                         const struct carry_rows *mine)
{
    const int chunks = SHUFFLE(list->end_chunk, WARP - 1);

    NO_UNROLL
    for (int p = 0; p < carry->piece_count; p++) {
        const struct tile_piece *const piece = &carry->piece[p];

        BARRIER();
        for (int number = THREAD / WARP; number < chunks; number += TILE_ROWS / WARP) {
            struct carry_chunk chunk = chunk_of(list, number, order->cells);

            chunk.at = piece_at(in, carry, p, chunk.list);
            stage_piece(piece, &chunk);
        }
        BARRIER();
        take_piece(piece, order, mine);
    }
}

/* How my keys are stored: constants for the compiler, and what they depend on. */
struct carry_keys {
    char *out;         /* my first key; NULL: no keys are wanted */
    unsigned step;     /* to my next key, in bytes */
    key_cell *samples; /* my first sample; NULL: I have none, or none are wanted */
    int left;          /* rows of the tile from mine on */
};

DEVICE struct carry_keys my_keys(const struct tile_carry *carry,
                                 const struct tile_target *to,
                                 const struct carry_rows *mine)
{
    struct carry_keys keys;

    keys.out = to->array ? (char *)to->array + mine->row * carry->out_pitch : 0;
    keys.step = WARP * (unsigned)carry->out_pitch;
    keys.samples = to->samples && mine->row % TILE_SAMPLE == 0
                       ? to->samples + mine->row / TILE_SAMPLE
                       : 0;
    keys.left = mine->left;
    return keys;
}

/* Store the code of my row i as a key, and as a sample. */
DEVICE void store_code(const struct carry_keys *keys, int i, bare code,
                       const struct key_code *leave_by, const int floats, const int dense)
{
    const unsigned step = dense ? WARP * sizeof(key) : keys->step;

    if (keys->samples)
        STORE_AS(SAMPLE, keys->samples + i, (key)code);
    if (keys->out)
        STORE_EVICT(BULK, (key_cell *)(keys->out + i * step),
                    floats ? leave((key)code, leave_by) : (key)(code ^ leave_by->flip));
}

/*
 * Store the codes of my rows. They are in the cells by place, if they are `staged`, or in
 * the items there.
 */
DEVICE void store_codes_as(const struct carry_keys *keys, const struct carry_order *order,
                           const struct carry_rows *mine, bare base,
                           const struct key_code *leave_by, const int staged,
                           const int floats, const int dense)
{
    enum { STEP = WARP + WARP / ITEMS };
    const item_cell *const items =
        SHARED_CELL(item_cell, order->cells) + mine->at + mine->at / ITEMS;
    const place_cell *const places = order->rows + mine->at;

    UNROLL
    for (int i = 0; i < ITEMS; i++) {
        if (WARP * i < keys->left) {
            if (staged)
                store_code(keys, i, code_at(order, LOAD_AS(VALUE, places + WARP * i)),
                           leave_by, floats, dense);
            else
                store_code(keys, i, key_of(LOAD(&items[STEP * i])) + base, leave_by, floats,
                           dense);
        }
    }
}

DEVICE void store_codes(const struct tile_carry *carry, const struct carry_order *order,
                        const struct tile_target *to, const struct carry_rows *mine,
                        bare base, const struct key_code *leave_by, const int staged)
{
    const struct carry_keys keys = my_keys(carry, to, mine);

    if (leave_by->is_float)
        store_codes_as(&keys, order, mine, base, leave_by, staged, 1, 0);
    else if (carry->out_pitch != sizeof(key))
        store_codes_as(&keys, order, mine, base, leave_by, staged, 0, 0);
    else
        store_codes_as(&keys, order, mine, base, leave_by, staged, 0, 1);
}

/* Store a tile whose items are sorted in the cells: its keys, samples and pieces. */
DEVICE void store_carried(const tile_input *in, const struct tile_carry *carry,
                          const struct key_code *enter_by, const struct tile_list *list,
                          int cells, place_cell *rows, int_cell *splits,
                          const struct tile_target *to, const struct tile_base *b,
                          const struct key_code *leave_by)
{
    const struct carry_rows mine = my_rows(to);
    const struct carry_order order = {rows, splits + TILE_ROWS / 2, splits, cells,
                                      to->count};

    if (b->rest_bits) {
        BARRIER(); /* the rows of all warps are there */

        const unsigned ties = put_order(&order, &mine, 1);

        stage_codes(in, enter_by, list, cells);
        mend_order(in, enter_by, list, &order, &mine, ties, b->base);
        store_codes(carry, &order, to, &mine, 0, leave_by, 1);
    } else {
        put_order(&order, &mine, 0);
        store_codes(carry, &order, to, &mine, b->base, leave_by, 0);
    }
    carry_pieces(in, carry, list, &order, &mine);
}
