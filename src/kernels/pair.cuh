/*
 * pair.cuh - merging two lists by merge path, a few keys per thread: the method of
 * Thrust, CUB and modernGPU, for comparison with the other engines.
 *
 * A tile is PAIR_THREADS threads of PAIR_E keys, contiguous in shared memory. Each
 * thread finds by binary search where its part of the result begins in both lists,
 * then merges one key at a time. The bank of the next read depends on the keys, so
 * lanes conflict: about three ways on random keys, up to sixteen on the worst.
 */

enum {
    PAIR_E = PAIR_ITEMS(sizeof(key)),
    PAIR_KEYS = PAIR_TILE(sizeof(key)),
    PAIR_ROW = PAIR_PAD_EVERY(sizeof(key))
};

/* The tile, room for pads, and one readable cell after the last key. */
struct pair_shared {
    key_cell cells[PAIR_CELLS(sizeof(key))];
};

AGREE(sizeof(struct pair_shared) == PAIR_SHARED(sizeof(key)));
AGREE(PAIR_THREADS % WARP == 0 && (PAIR_THREADS & (PAIR_THREADS - 1)) == 0);

/* The two runs that a tile's keys come from. */
struct pair_group {
    wide first;   /* position of the first run in the array */
    wide a_count; /* keys of the first run, ... */
    wide b_count; /* ... and of the second, which follows it; may be 0 */
};

DEVICE struct pair_group pair_group_of(const struct pair_round *round, wide tile)
{
    const wide run = round->span * PAIR_KEYS;
    struct pair_group g;
    wide left;

    g.first = (tile & ~(2 * round->span - 1)) * PAIR_KEYS;
    left = round->count - g.first;
    g.a_count = left < run ? left : run;
    left -= g.a_count;
    g.b_count = left < run ? left : run;
    return g;
}

/*
 * How many of the first `diagonal` merged keys come from `a`. Ties go to `a`,
 * which is what keeps the sort stable.
 */
DEVICE int pair_split(const key_cell *a, int a_count, const key_cell *b, int b_count,
                      int diagonal)
{
    int lo = diagonal > b_count ? diagonal - b_count : 0;
    int hi = diagonal < a_count ? diagonal : a_count;

    while (lo < hi) {
        const int middle = (lo + hi) / 2;
        const item a_key = LOAD_AS(SEARCH, &a[middle]);
        const item b_key = LOAD_AS(SEARCH, &b[diagonal - 1 - middle]);

        if (less(b_key, a_key))
            hi = middle;
        else
            lo = middle + 1;
    }
    return lo;
}

/*
 * Merge PAIR_E keys from the lists [a, a_end) and [b, b_end) of the tile. Each step
 * reads the key after the one it took, with one access for either list. The key after
 * a list's end is read but never taken. The last step's read is not used; LOAD_KEPT
 * keeps it, so that GPU and simulator count the same.
 */
DEVICE void pair_serial(const key_cell *cells, int a, int a_end, int b, int b_end, item *r)
{
    item a_key = LOAD_AS(SERIAL, &cells[a]);
    item b_key = LOAD_AS(SERIAL, &cells[b]);

    UNROLL
    for (int j = 0; j < PAIR_E; j++) {
        const int take_b = b < b_end && (a >= a_end || less(b_key, a_key));

        r[j] = take_b ? b_key : a_key;
        a += !take_b;
        b += take_b;

        const item next = LOAD_KEPT(SERIAL, &cells[take_b ? b : a]);

        a_key = take_b ? a_key : next;
        b_key = take_b ? next : b_key;
    }
}

/* My part of merging the consecutive lists of `a_count` and `b_count` keys at `first`. */
DEVICE void pair_merge_part(const key_cell *cells, int first, int a_count, int b_count,
                            int part, item *r)
{
    const int diagonal = part * PAIR_E;
    const int b_first = first + a_count;
    const int a = pair_split(&cells[first], a_count, &cells[b_first], b_count, diagonal);

    pair_serial(cells, first + a, b_first, b_first + diagonal - a, b_first + b_count, r);
}

/* Initialise the cell after the tile's last key: pair_serial() may read it. */
DEVICE void pair_guard(key_cell *cells)
{
    if (THREAD == 0)
        STORE(&cells[PAIR_KEYS], filler());
}

/*
 * The cell of key `i` while keys are transposed between lanes. With an even number of
 * keys per thread, pads avoid bank conflicts. Lists to be merged are contiguous.
 */
DEVICE int pair_place(int i)
{
    return PAIR_E % 2 == 0 ? i + (int)((unsigned)i / PAIR_ROW) : i;
}

/* Transpose my warp's keys, so that lanes hold consecutive keys, and store them. */
DEVICE void pair_store(key_cell *cells, item *r, key_cell *out, int count,
                       const struct key_code *code)
{
    const int first = THREAD / WARP * WARP * PAIR_E;

    BARRIER(); /* all threads have merged: the tile may be overwritten */
    UNROLL
    for (int j = 0; j < PAIR_E; j++)
        STORE(&cells[pair_place(THREAD * PAIR_E + j)], (key)r[j]);
    WARP_BARRIER();
    UNROLL
    for (int j = 0; j < PAIR_E; j++)
        r[j] = LOAD(&cells[pair_place(first + WARP * j + LANE)]);
    UNROLL
    for (int j = 0; j < PAIR_E; j++) {
        const int i = first + WARP * j + LANE;

        if (i < count)
            STORE_AS(BULK, &out[i], leave((key)r[j], code));
    }
}
