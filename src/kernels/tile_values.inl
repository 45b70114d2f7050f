/*
 * tile_values.inl - moving values of VALUE_BYTES bytes with their keys (tile_carry.cuh).
 */
#define VALUES_JOINED(name, bytes) name##_##bytes
#define VALUES_NAMED(name, bytes) VALUES_JOINED(name, bytes)
#define VALUES(name) VALUES_NAMED(name, VALUE_BYTES)

CELL(VALUES(value_cell), VALUES(value));

/*
 * Load a chunk of a list's values and put them where their keys' places say. Constants:
 * `dense` values lie one after the other; the chunk has at most `steps` values for each
 * lane, or exactly that number if it is `whole`.
 */
DEVICE void VALUES(stage)(const struct tile_piece *piece, const struct carry_chunk *chunk,
                          const int dense, const int steps, const int whole)
{
    const char *const from =
        (const char *)PIECE_IN(piece, chunk) + chunk->row * piece->in_pitch;
    const unsigned step = dense ? WARP * VALUE_BYTES : WARP * piece->in_pitch;
    VALUES(value_cell) *const to =
        SHARED_CELL(VALUES(value_cell), chunk->cells) + chunk->staged;
    VALUES(value) v[CHUNK_STEPS];

    UNROLL
    for (int i = 0; i < steps; i++) {
        v[i] = 0;
        if (whole || WARP * i < chunk->left)
            v[i] = LOAD_EVICT(BULK, (const VALUES(value_cell) *)(from + i * step));
    }
    UNROLL
    for (int i = 0; i < steps; i++) {
        if (whole || WARP * i < chunk->left)
            STORE_AS(VALUE, to + WARP * i, v[i]);
    }
}

/* The numbers of the rows instead. */
DEVICE void VALUES(number)(const struct carry_chunk *chunk)
{
    VALUES(value_cell) *const to =
        SHARED_CELL(VALUES(value_cell), chunk->cells) + chunk->staged;

    UNROLL
    for (int i = 0; i < CHUNK_STEPS; i++) {
        if (WARP * i < chunk->left)
            STORE_AS(VALUE, to + WARP * i,
                     (VALUES(value))(chunk->row + PIECE_NUMBER(chunk) + WARP * i));
    }
}

DEVICE void VALUES(stage_any)(const struct tile_piece *piece,
                              const struct carry_chunk *chunk)
{
    if (PIECE_HAS_NUMBERS(piece, chunk))
        VALUES(number)(chunk);
    else if (piece->in_pitch != VALUE_BYTES)
        VALUES(stage)(piece, chunk, 0, CHUNK_STEPS, 0);
    else if (chunk->left + LANE >= CHUNK)
        VALUES(stage)(piece, chunk, 1, CHUNK_STEPS, 1);
    else if (chunk->left + LANE <= FEW_STEPS * WARP)
        VALUES(stage)(piece, chunk, 1, FEW_STEPS, 0);
    else
        VALUES(stage)(piece, chunk, 1, CHUNK_STEPS, 0);
}

/* Take the values of my rows by their places, and store them. Constants as above. */
DEVICE void VALUES(take)(const struct tile_piece *piece, const struct carry_order *order,
                         const struct carry_rows *mine, const int dense, const int whole)
{
    char *const out = (char *)piece->out + mine->row * piece->out_pitch;
    const unsigned step = dense ? WARP * VALUE_BYTES : WARP * piece->out_pitch;
    const VALUES(value_cell) *const from = SHARED_CELL(VALUES(value_cell), order->cells);
    const place_cell *const places = order->rows + mine->at;

    UNROLL
    for (int i = 0; i < ITEMS; i++) {
        if (whole || WARP * i < mine->left)
            STORE_EVICT(BULK, (VALUES(value_cell) *)(out + i * step),
                        LOAD_AS(VALUE, from + LOAD_AS(VALUE, places + WARP * i)));
    }
}

DEVICE void VALUES(take_any)(const struct tile_piece *piece,
                             const struct carry_order *order, const struct carry_rows *mine)
{
    if (piece->out_pitch != VALUE_BYTES)
        VALUES(take)(piece, order, mine, 0, 0);
    else if (mine->left + LANE >= WARP * ITEMS)
        VALUES(take)(piece, order, mine, 1, 1);
    else
        VALUES(take)(piece, order, mine, 1, 0);
}

#undef VALUES
#undef VALUES_NAMED
#undef VALUES_JOINED
#undef VALUE_BYTES
