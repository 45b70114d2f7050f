/*
 * tile_values.inl - moving values of VALUE_BYTES bytes with their keys (tile_carry.cuh).
 */
#define VALUES_JOINED(name, bytes) name##_##bytes
#define VALUES_NAMED(name, bytes) VALUES_JOINED(name, bytes)
#define VALUES(name) VALUES_NAMED(name, VALUE_BYTES)

CELL(VALUES(value_cell), VALUES(value));

/* Load a chunk of a list's values and put them where their keys' places say. */
DEVICE void VALUES(stage)(const struct tile_piece *piece, const struct carry_chunk *chunk)
{
    const char *const from = (const char *)piece->in + chunk->row * piece->in_pitch;
    const wide step = (wide)WARP * piece->in_pitch;
    VALUES(value_cell) *const to =
        SHARED_CELL(VALUES(value_cell), chunk->cells) + chunk->staged;
    VALUES(value) v[CHUNK_STEPS];

    if (piece->in) {
        UNROLL
        for (int i = 0; i < CHUNK_STEPS; i++) {
            v[i] = 0;
            if (WARP * i < chunk->left)
                v[i] = LOAD_EVICT(BULK, (const VALUES(value_cell) *)(from + i * step));
        }
    } else {
        UNROLL
        for (int i = 0; i < CHUNK_STEPS; i++)
            v[i] = (VALUES(value))(chunk->row + WARP * i);
    }
    UNROLL
    for (int i = 0; i < CHUNK_STEPS; i++) {
        if (WARP * i < chunk->left)
            STORE_AS(VALUE, to + WARP * i, v[i]);
    }
}

/* Take the values of my keys by their places, and store them. */
DEVICE void VALUES(take)(const struct tile_piece *piece, int cells,
                         const struct carry_rows *mine, const int *place)
{
    char *const out = (char *)piece->out + mine->row * piece->out_pitch;
    const wide step = (wide)WARP * piece->out_pitch;
    const VALUES(value_cell) *const from = SHARED_CELL(VALUES(value_cell), cells);

#if VALUE_BYTES == 4
    if (piece->out_bytes > 4) {
        UNROLL
        for (int i = 0; i < ITEMS; i++) {
            if (WARP * i < mine->left)
                STORE_EVICT(BULK, (wide_cell *)(out + i * step),
                            LOAD_AS(VALUE, from + place[i]));
        }
        return;
    }
#endif
    UNROLL
    for (int i = 0; i < ITEMS; i++) {
        if (WARP * i < mine->left)
            STORE_EVICT(BULK, (VALUES(value_cell) *)(out + i * step),
                        LOAD_AS(VALUE, from + place[i]));
    }
}

#undef VALUES
#undef VALUES_NAMED
#undef VALUES_JOINED
#undef VALUE_BYTES
