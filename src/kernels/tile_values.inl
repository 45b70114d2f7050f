/*
 * tile_values.inl - moving values of VALUE_BYTES bytes with their keys (tile_stage.cuh,
 * tile_carry.cuh).
 */
#define VALUES_JOINED(name, bytes) name##_##bytes
#define VALUES_NAMED(name, bytes) VALUES_JOINED(name, bytes)
#define VALUES(name) VALUES_NAMED(name, VALUE_BYTES)

CELL(VALUES(value_cell), VALUES(value));

/*
 * Copy a chunk of values to where their places say: at most `steps` for each lane. They
 * may be `dense`, one after the other. Both are constants.
 */
DEVICE void VALUES(stage_steps)(const void *in, unsigned pitch,
                                const struct stage_chunk *chunk, int area, const int steps,
                                const int dense)
{
    const char *from = OPAQUE((const char *)in + (wide)chunk->row * pitch);
    const int to = HELD(area + chunk->staged * VALUE_BYTES);

    UNROLL
    for (int i = 0; i < steps; i++) {
        if (WARP * i < chunk->left)
            COPY(BULK, SHARED_CELL(VALUES(value_cell), to) + WARP * i,
                 (const VALUES(value_cell) *)from + (dense ? WARP * i : 0));
        if (!dense)
            from = OPAQUE(from + WARP * pitch);
    }
}

/* The same in few instructions; if `in` is NULL, the numbers of the rows. */
DEVICE void VALUES(stage)(const void *in, unsigned pitch, const struct stage_chunk *chunk,
                          int area)
{
    VALUES(value_cell) *to = SHARED_CELL(VALUES(value_cell), area) + chunk->staged;
    const char *from = (const char *)in + (wide)chunk->row * pitch;

    NO_UNROLL
    for (int i = 0; i < CHUNK_STEPS && WARP * i < chunk->left; i++) {
        if (in)
            COPY(BULK, to, (const VALUES(value_cell) *)from);
        else
            STORE_AS(VALUE, to, (VALUES(value))(chunk->row + WARP * i));
        to += WARP;
        from += WARP * pitch;
    }
}

/* Stage a chunk of values. Those of 1 and 2 bytes are rare: they save instructions. */
DEVICE void VALUES(stage_any)(const void *in, unsigned pitch,
                              const struct stage_chunk *chunk, int area)
{
    if (VALUE_BYTES < 4 || !in)
        VALUES(stage)(in, pitch, chunk, area);
    else if (pitch != VALUE_BYTES)
        VALUES(stage_steps)(in, pitch, chunk, area, CHUNK_STEPS, 0);
    else if (chunk->left + LANE <= FEW_STEPS * WARP)
        VALUES(stage_steps)(in, VALUE_BYTES, chunk, area, FEW_STEPS, 1);
    else
        VALUES(stage_steps)(in, VALUE_BYTES, chunk, area, CHUNK_STEPS, 1);
}

/* Store the values of all rows of my warp, which are at `area` by place. */
DEVICE void VALUES(take_whole)(char *to, unsigned pitch, int area, const int *place,
                               const int dense)
{
    const VALUES(value_cell) *const from = SHARED_CELL(VALUES(value_cell), area);
    char *out = OPAQUE(to);

    UNROLL
    for (int i = 0; i < ITEMS; i++) {
        const VALUES(value) v = LOAD_AS(VALUE, from + place[i]);

        if (dense) {
            STORE_EVICT(BULK, (VALUES(value_cell) *)out + WARP * i, v);
        } else { /* L2 keeps the sector: other pieces of the row will fill it up */
            STORE_AS(BULK, (VALUES(value_cell) *)out, v);
            out = OPAQUE(out + WARP * pitch);
        }
    }
}

/* Store the values of my rows. */
DEVICE void VALUES(take)(const struct tile_piece *piece, const struct carry_order *order,
                         const struct carry_rows *mine, int area, const int *place)
{
    const unsigned pitch = piece->out_pitch;
    char *out = (char *)piece->out + mine->row * pitch;

    if (VALUE_BYTES >= 4 && mine->left + LANE >= WARP * ITEMS) {
        if (pitch == VALUE_BYTES)
            VALUES(take_whole)(out, pitch, area, place, 1);
        else
            VALUES(take_whole)(out, pitch, area, place, 0);
        return;
    }
    NO_UNROLL
    for (int i = 0; i < ITEMS && WARP * i < mine->left; i++) {
        const int at = order_place(order, mine->at + WARP * i);

        STORE_AS(BULK, (VALUES(value_cell) *)out,
                 LOAD_AS(VALUE, SHARED_CELL(VALUES(value_cell), area) + at));
        out += WARP * pitch;
    }
}

#undef VALUES
#undef VALUES_NAMED
#undef VALUES_JOINED
#undef VALUE_BYTES
