/*
 * tile_values.inl - moving values of VALUE_BYTES bytes with their keys (tile_stage.cuh,
 * tile_carry.cuh).
 */
#define VALUES_JOINED(name, bytes) name##_##bytes
#define VALUES_NAMED(name, bytes) VALUES_JOINED(name, bytes)
#define VALUES(name) VALUES_NAMED(name, VALUE_BYTES)

CELL(VALUES(value_cell), VALUES(value));

enum { VALUES(unrolled) = VALUE_BYTES >= 4 }; /* others are rare: save instructions */

/*
 * Copy a chunk of a list's values to where their places say: at most `steps`, a constant,
 * for each lane.
 */
DEVICE void VALUES(stage)(const char *from, unsigned step, int left,
                          VALUES(value_cell) *to, const int steps)
{
    UNROLL
    for (int i = 0; i < steps; i++) {
        if (WARP * i < left)
            COPY(BULK, to + WARP * i, (const VALUES(value_cell) *)(from + (wide)step * i));
    }
}

/* The same, or the numbers of the rows if there is no array, without unrolling. */
DEVICE void VALUES(stage_slowly)(const void *in, const char *from, unsigned step,
                                 const struct stage_chunk *chunk, VALUES(value_cell) *to)
{
    NO_UNROLL
    for (int i = 0; i < CHUNK_STEPS && WARP * i < chunk->left; i++) {
        if (in)
            COPY(BULK, to + WARP * i, (const VALUES(value_cell) *)(from + (wide)step * i));
        else
            STORE_AS(VALUE, to + WARP * i, (VALUES(value))(chunk->row + WARP * i));
    }
}

/* Stage a chunk of values, or of the numbers of the rows if `in` is NULL, at `area`. */
DEVICE void VALUES(stage_any)(const void *in, unsigned pitch,
                              const struct stage_chunk *chunk, int area)
{
    const char *const from = (const char *)in + chunk->row * pitch;
    VALUES(value_cell) *const to = SHARED_CELL(VALUES(value_cell), area) + chunk->staged;

    if (!VALUES(unrolled) || !in)
        VALUES(stage_slowly)(in, from, WARP * pitch, chunk, to);
    else if (chunk->left + LANE <= FEW_STEPS * WARP)
        VALUES(stage)(from, WARP * pitch, chunk->left, to, FEW_STEPS);
    else
        VALUES(stage)(from, WARP * pitch, chunk->left, to, CHUNK_STEPS);
}

/* Store the values of my rows, which are at `area` by place. */
DEVICE void VALUES(take)(const struct tile_piece *piece, const struct carry_order *order,
                         const struct carry_rows *mine, int area, const int *place)
{
    char *const out = (char *)piece->out + mine->row * piece->out_pitch;
    const unsigned step = WARP * piece->out_pitch;
    const VALUES(value_cell) *const from = SHARED_CELL(VALUES(value_cell), area);

    if (VALUES(unrolled) && mine->left + LANE >= WARP * ITEMS) {
        UNROLL
        for (int i = 0; i < ITEMS; i++)
            STORE_EVICT(BULK, (VALUES(value_cell) *)(out + (wide)step * i),
                        LOAD_AS(VALUE, from + place[i]));
    } else {
        NO_UNROLL
        for (int i = 0; i < ITEMS && WARP * i < mine->left; i++)
            STORE_EVICT(BULK, (VALUES(value_cell) *)(out + (wide)step * i),
                        LOAD_AS(VALUE, from + order_place(order, mine->at + WARP * i)));
    }
}

#undef VALUES
#undef VALUES_NAMED
#undef VALUES_JOINED
#undef VALUE_BYTES
