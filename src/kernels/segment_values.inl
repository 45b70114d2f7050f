/*
 * segment_values.inl - storing values of VALUE_BYTES bytes of segments (segment_store.cuh).
 */
#define VALUES_JOINED(name, bytes) name##_##bytes
#define VALUES_NAMED(name, bytes) VALUES_JOINED(name, bytes)
#define VALUES(name) VALUES_NAMED(name, VALUE_BYTES)

/* Take the values of my rows, which are at `area` by place, and store them where they go.
 */
DEVICE void VALUES(take_segments)(const struct tile_piece *piece, void *temp, int area,
                                  const struct carry_order *order,
                                  const struct carry_rows *mine,
                                  const struct segment_rows *rows)
{
    char *const out = (char *)piece->out + mine->row * piece->out_pitch;
    char *const kept = (char *)temp + mine->row * VALUE_BYTES;
    const unsigned step = WARP * piece->out_pitch;
    const VALUES(value_cell) *const from = SHARED_CELL(VALUES(value_cell), area);

    UNROLL
    for (int i = 0; i < ITEMS; i++) {
        const int leaves = rows->out >> i & 1;

        if (leaves || (rows->temp >> i & 1))
            STORE_EVICT(BULK,
                        (VALUES(value_cell) *)(leaves ? out + i * step
                                                      : kept + i * WARP * VALUE_BYTES),
                        LOAD_AS(VALUE, from + order_place(order, mine->at + WARP * i)));
    }
}

#undef VALUES
#undef VALUES_NAMED
#undef VALUES_JOINED
#undef VALUE_BYTES
