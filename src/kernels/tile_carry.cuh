/*
 * tile_carry.cuh - in a program with places, storing a sorted tile: keys, samples and what
 * travels with them.
 *
 * The place of a row is its number in the tile before the pass, when rows lie one list
 * after the other. An item has the place of its row, so the sorted items say in which
 * order rows leave. Codes and values were staged in order of places (tile_stage.cuh); each
 * thread takes those of its rows and stores them. So a value moves once from and once to
 * global memory, coalesced, whatever the order is. Values for which the staging area has
 * no room are staged after the codes have left.
 */

/* The places of my rows; 0 for those past the last. */
DEVICE void load_places(const struct carry_order *order, const struct carry_rows *mine,
                        int *place)
{
    enum { STEP = WARP + WARP / ITEMS };
    const item_cell *const items = cell_of_row(order, mine->at);

    if (mine->left + LANE >= WARP * ITEMS) {
        UNROLL
        for (int i = 0; i < ITEMS; i++)
            place[i] = place_of(LOAD(items + STEP * i));
    } else {
        UNROLL
        for (int i = 0; i < ITEMS; i++)
            place[i] = WARP * i < mine->left ? place_of(LOAD(items + STEP * i)) : 0;
    }
}

/* Values of 4 bytes that are stored as 8. */
DEVICE void take_wide(const struct tile_piece *piece, const struct carry_order *order,
                      const struct carry_rows *mine, int area)
{
    char *const out = (char *)piece->out + mine->row * piece->out_pitch;
    const unsigned step = WARP * piece->out_pitch;

    NO_UNROLL
    for (int i = 0; i < ITEMS && WARP * i < mine->left; i++)
        STORE_EVICT(BULK, (wide_cell *)(out + (wide)step * i),
                    LOAD_AS(VALUE, SHARED_CELL(value_cell_4, area) +
                                       order_place(order, mine->at + WARP * i)));
}

DEVICE void take_piece(const struct tile_piece *piece, const struct carry_order *order,
                       const struct carry_rows *mine, int area, const int *place)
{
    if (piece->out_bytes > piece->bytes)
        take_wide(piece, order, mine, area);
    else if (piece->bytes == 4)
        take_4(piece, order, mine, area, place);
    else if (piece->bytes == 8)
        take_8(piece, order, mine, area, place);
    else if (piece->bytes == 2)
        take_2(piece, order, mine, area, place);
    else
        take_1(piece, order, mine, area, place);
}

/* Take pieces [first, end), of which the first was staged after `used` bytes a row. */
DEVICE void take_pieces(const struct tile_carry *carry, int first, int end, int used,
                        const struct carry_order *order, const struct carry_rows *mine,
                        const int *place)
{
    NO_UNROLL
    for (int p = first; p < end; p++) {
        take_piece(&carry->piece[p], order, mine, order->codes + used * TILE, place);
        used += (int)carry->piece[p].bytes;
        WARP_BARRIER(); /* lanes with fewer rows wait for the others */
    }
}

/* Stage and take the pieces from `first` on. The area is read until the first barrier. */
DEVICE void carry_rest(const struct tile_carry *carry, int first,
                       const struct tile_staging *stage, const struct carry_order *order,
                       const struct carry_rows *mine, const int *place)
{
    NO_UNROLL
    while (first < carry->piece_count) {
        BARRIER();

        const int end = stage_pieces(stage, carry, first, 0);

        COPIES_WAIT();
        BARRIER();
        take_pieces(carry, first, end, 0, order, mine, place);
        first = end;
    }
}

/* Where the codes of my rows go. */
struct carry_keys {
    char *out;               /* my first key; NULL: no keys are wanted */
    wide step;               /* to my next key, in bytes */
    key_cell *samples;       /* my first sample; NULL: I have none, or none are wanted */
    struct key_code leaving; /* how codes become keys */
};

DEVICE struct carry_keys my_keys(const struct tile_carry *carry,
                                 const struct tile_target *to,
                                 const struct carry_rows *mine,
                                 const struct key_code *leave_by)
{
    struct carry_keys keys;

    keys.out = to->array ? (char *)to->array + mine->row * carry->out_pitch : 0;
    keys.step = WARP * carry->out_pitch;
    keys.samples = to->samples && mine->row % TILE_SAMPLE == 0
                       ? to->samples + mine->row / TILE_SAMPLE
                       : 0;
    keys.leaving = *leave_by;
    return keys;
}

/* Store the codes of my rows as keys, and as samples. */
DEVICE void store_codes(const struct carry_keys *keys, const struct carry_order *order,
                        const struct carry_rows *mine, const int *place)
{
    char *out = keys->out;

    if (mine->left + LANE >= WARP * ITEMS && !keys->leaving.is_float &&
        keys->step == WARP * sizeof(key)) { /* the usual case */
        key_cell *const samples = OPAQUE(keys->samples);
        key_cell *const to = OPAQUE((key_cell *)keys->out);

        UNROLL
        for (int i = 0; i < ITEMS; i++) {
            const key code = code_at(order, place[i]);

            if (keys->samples)
                STORE_AS(SAMPLE, samples + i, code);
            if (keys->out)
                STORE_EVICT(BULK, to + WARP * i, code ^ (key)keys->leaving.flip);
        }
        return;
    }
    NO_UNROLL
    for (int i = 0; i < ITEMS && WARP * i < mine->left; i++) {
        const key code = code_at(order, order_place(order, mine->at + WARP * i));

        if (keys->samples)
            STORE_AS(SAMPLE, keys->samples + i, code);
        if (keys->out)
            STORE_AS(BULK, (key_cell *)out, leave(code, &keys->leaving));
        out += keys->step;
    }
}

/* A record of two halves: the key, and the only piece. */
struct key_pair {
    ALIGNED(2 * sizeof(key)) key first;
    key second;
};

CELL(pair_cell, struct key_pair);

/* Are the output's rows such records, with integers as keys? */
DEVICE int are_pairs(const struct tile_carry *carry, const struct tile_target *to,
                     const struct carry_keys *keys)
{
    const struct tile_piece *const piece = &carry->piece[0];
    const char *const out = (const char *)to->array;

    return carry->piece_count == 1 && piece->bytes == sizeof(key) &&
           piece->out_bytes == sizeof(key) && piece->out_pitch == 2 * sizeof(key) &&
           carry->out_pitch == 2 * sizeof(key) && piece->out == out + sizeof(key) &&
           (wide)out % (2 * sizeof(key)) == 0 && !keys->leaving.is_float;
}

/*
 * Store them whole: halves would be written to every sector twice. Keys stay in registers
 * until the piece is staged.
 */
DEVICE void store_pairs(const struct tile_carry *carry, const struct tile_staging *stage,
                        int staged, const struct carry_keys *keys,
                        const struct carry_order *order, const struct carry_rows *mine)
{
    const int values = stage->area + (staged ? (int)sizeof(key) * TILE : 0);
    pair_cell *const out = OPAQUE((pair_cell *)keys->out);
    key k[ITEMS];

    UNROLL
    for (int i = 0; i < ITEMS; i++) {
        k[i] = 0;
        if (WARP * i < mine->left) {
            k[i] = code_at(order, order_place(order, mine->at + WARP * i));
            if (keys->samples)
                STORE_AS(SAMPLE, keys->samples + i, k[i]);
        }
    }
    if (!staged) {
        BARRIER();
        stage_pieces(stage, carry, 0, 0);
        COPIES_WAIT();
        BARRIER();
    }
    UNROLL
    for (int i = 0; i < ITEMS; i++) {
        if (WARP * i < mine->left) {
            const int place = order_place(order, mine->at + WARP * i);
            const struct key_pair pair = {
                (key)(k[i] ^ (key)keys->leaving.flip),
                LOAD_AS(VALUE, SHARED_CELL(key_cell, values) + place)};

            STORE_AS(BULK, out + WARP * i, pair);
        }
    }
}

/*
 * Store a tile whose items are sorted in the cells: its keys, samples and pieces. Codes
 * and the first `staged` pieces are staged; `ties` are those of my row. `may_pair`, a
 * constant: is it worth the
 * instructions to store records of two halves whole?
 */
DEVICE void store_carried(const struct tile_carry *carry, const struct tile_staging *stage,
                          int staged, unsigned ties, int cells, int_cell *splits,
                          const struct tile_target *to, const struct tile_base *b,
                          const struct key_code *leave_by, const int may_pair)
{
    const struct carry_rows mine = my_rows(to);
    const struct carry_order order = order_of(stage, cells, splits, to->count);
    int place[ITEMS];

    BARRIER(); /* the rows and values of all warps are there */
    if (b->rest_bits)
        (void)mend_order(&order, &mine, ties);

    const struct carry_keys keys = my_keys(carry, to, &mine, leave_by);

    if (may_pair && are_pairs(carry, to, &keys)) {
        store_pairs(carry, stage, staged, &keys, &order, &mine);
        return;
    }
    load_places(&order, &mine, place);
    store_codes(&keys, &order, &mine, place);
    take_pieces(carry, 0, staged, (int)sizeof(key), &order, &mine, place);
    carry_rest(carry, staged, stage, &order, &mine, place);
}
