/*
 * tile_values.inl - moving values of VALUE_BYTES bytes with their keys (tile_stage.cuh,
 * tile_carry.cuh).
 */
#define VALUES_JOINED(name, bytes) name##_##bytes
#define VALUES_NAMED(name, bytes) VALUES_JOINED(name, bytes)
#define VALUES(name) VALUES_NAMED(name, VALUE_BYTES)

CELL(VALUES(value_cell), VALUES(value));

/*
 * Copy a chunk of values that lie one after the other to where their places say: at most
 * `steps`, a constant, for each lane.
 */
DEVICE void VALUES(stage_dense)(const void *in, const struct stage_chunk *chunk, int area,
                                const int steps)
{
    const VALUES(value_cell) *const from =
        OPAQUE((const VALUES(value_cell) *)in + chunk->row);
    const int to = HELD(area + chunk->staged * VALUE_BYTES);

    UNROLL
    for (int i = 0; i < steps; i++) {
        if (WARP * i < chunk->left)
            COPY(BULK, SHARED_CELL(VALUES(value_cell), to) + WARP * i, from + WARP * i);
    }
}

/* Copy any chunk of values, or write the numbers of its rows. */
DEVICE void VALUES(stage)(const struct value_source *source,
                          const struct stage_chunk *chunk, int area)
{
    VALUES(value_cell) *to = SHARED_CELL(VALUES(value_cell), area) + chunk->staged;
    const unsigned pitch = source->pitch;
    const char *from = (const char *)source->at + (wide)chunk->row * pitch;

    NO_UNROLL
    for (int i = 0; i < CHUNK_STEPS && WARP * i < chunk->left; i++) {
        if (source->at)
            COPY(BULK, to, (const VALUES(value_cell) *)from);
        else
            STORE_AS(VALUE, to, (VALUES(value))(source->first + chunk->row + WARP * i));
        to += WARP;
        from += WARP * pitch;
    }
}

/* Stage a chunk of values. Only the usual ones are worth an unrolled loop. */
DEVICE void VALUES(stage_any)(const struct value_source *source,
                              const struct stage_chunk *chunk, int area)
{
    if (VALUE_BYTES < 4 || !source->at || source->pitch != VALUE_BYTES)
        VALUES(stage)(source, chunk, area);
    else if (chunk->left + LANE <= FEW_STEPS * WARP)
        VALUES(stage_dense)(source->at, chunk, area, FEW_STEPS);
    else
        VALUES(stage_dense)(source->at, chunk, area, CHUNK_STEPS);
}

/* Store the values of my rows, which are at `area` by place. */
DEVICE void VALUES(take)(const struct tile_piece *piece, const struct carry_order *order,
                         const struct carry_rows *mine, int area, const int *place)
{
    const VALUES(value_cell) *const from = SHARED_CELL(VALUES(value_cell), area);
    const unsigned pitch = piece->out_pitch;
    char *out = (char *)piece->out + mine->row * pitch;

    if (VALUE_BYTES >= 4 && pitch == VALUE_BYTES && mine->left + LANE >= WARP * ITEMS) {
        VALUES(value_cell) *const to = OPAQUE((VALUES(value_cell) *)out);

        UNROLL
        for (int i = 0; i < ITEMS; i++)
            STORE_EVICT(BULK, to + WARP * i, LOAD_AS(VALUE, from + place[i]));
        return;
    }
    NO_UNROLL
    for (int i = 0; i < ITEMS && WARP * i < mine->left; i++) {
        const int at = order_place(order, mine->at + WARP * i);

        STORE_AS(BULK, (VALUES(value_cell) *)out, LOAD_AS(VALUE, from + at));
        out += WARP * pitch;
    }
}

#undef VALUES
#undef VALUES_NAMED
#undef VALUES_JOINED
#undef VALUE_BYTES
