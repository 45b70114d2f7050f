/*
 * pair_sort.cu - sort tiles: the first pass of engine pair.
 *
 * A thread sorts its keys in registers; then pairs of threads merge their lists,
 * pairs of pairs, and so on until one list fills the tile.
 */

/* Sort my registers by odd-even transposition: stable, since only neighbours exchange. */
DEVICE void pair_registers(item *r)
{
    UNROLL
    for (int round = 0; round < PAIR_E; round++) {
        UNROLL
        for (int j = round % 2; j + 1 < PAIR_E; j += 2)
            exchange(&r[j], &r[j + 1]);
    }
}

/* Load coalesced, then transpose: each thread gets PAIR_E consecutive keys. */
DEVICE void pair_load(key_cell *cells, const key_cell *in, int count,
                      const struct key_code *code, item *r)
{
    const int first = THREAD / WARP * WARP * PAIR_E;

    UNROLL
    for (int j = 0; j < PAIR_E; j++) {
        const int i = first + WARP * j + LANE;

        r[j] = filler();
        if (i < count)
            r[j] = enter(LOAD_AS(BULK, &in[i]), code);
    }
    UNROLL
    for (int j = 0; j < PAIR_E; j++)
        STORE(&cells[pair_place(first + WARP * j + LANE)], (key)r[j]);
    WARP_BARRIER();
    UNROLL
    for (int j = 0; j < PAIR_E; j++)
        r[j] = LOAD(&cells[pair_place(THREAD * PAIR_E + j)]);
}

/*
 * Store my keys to the tile, contiguously. nvcc combines two 8-byte stores into one of
 * 16 bytes. The source does the same, so that the ledger counts what a GPU does.
 */
#if KEY_BITS == 64 && PAIR_WIDE_ITEMS % 2 == 0

typedef struct {
    ALIGNED(16) key first;
    key second;
} pair_twin;
CELL(twin_cell, pair_twin);

DEVICE void pair_put(key_cell *cells, const item *r)
{
    twin_cell *const to = (twin_cell *)cells;

    UNROLL
    for (int j = 0; j < PAIR_E; j += 2) {
        pair_twin twin;

        twin.first = r[j];
        twin.second = r[j + 1];
        STORE_AS(SCATTER, &to[j / 2], twin);
    }
}

#else

DEVICE void pair_put(key_cell *cells, const item *r)
{
    UNROLL
    for (int j = 0; j < PAIR_E; j++)
        STORE_AS(SCATTER, &cells[j], (key)r[j]);
}

#endif

enum { pair_sort_blocks = 4 };

/* Each block sorts one tile; the last may be short. */
KERNEL(pair_sort, struct pair_sort_args)
{
    SHARED(struct pair_shared, sm);
    const wide first = (wide)BLOCK * PAIR_KEYS;
    const wide left = args.count - first;
    const int count = (int)(left < PAIR_KEYS ? left : PAIR_KEYS);
    item r[PAIR_E];

    pair_load(sm->cells, (const key_cell *)args.in + first, count, &args.enter, r);
    pair_registers(r);
    for (int span = 2; span <= PAIR_THREADS; span *= 2) {
        const int part = THREAD & (span - 1);
        const int half = span / 2 * PAIR_E;

        BARRIER(); /* all threads hold their keys of the last round */
        pair_put(&sm->cells[THREAD * PAIR_E], r);
        pair_guard(sm->cells);
        BARRIER();
        pair_merge_part(sm->cells, (THREAD - part) * PAIR_E, half, half, part, r);
    }
    pair_store(sm->cells, r, (key_cell *)args.out + first, count, &args.leave);
}
