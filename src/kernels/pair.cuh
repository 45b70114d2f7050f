/*
 * pair.cuh - merging two lists by merge path, a few keys a thread: the method of
 * Thrust, CUB and modernGPU, for comparison with the engines that avoid it.
 *
 * A tile is PAIR_THREADS threads of PAIR_E keys, in shared memory without a gap.
 * Each thread finds by binary search where its part of the result begins in
 * both lists, then merges one key at a time. Which bank it reads next depends
 * on the keys, so lanes meet in banks: three ways at once on random keys, up to
 * sixteen on the worst. That is what this engine is here to show.
 */

enum {
    PAIR_E = PAIR_ITEMS(sizeof(key)),
    PAIR_KEYS = PAIR_TILE(sizeof(key)),
    PAIR_ROW = PAIR_PAD_EVERY(sizeof(key))
};

/* The tile, with room for pads, and a cell behind its last that may be read. */
struct pair_shared {
    key_cell cells[PAIR_CELLS(sizeof(key))];
};

AGREE(sizeof(struct pair_shared) == PAIR_SHARED(sizeof(key)));
AGREE(PAIR_THREADS % WARP == 0 && (PAIR_THREADS & (PAIR_THREADS - 1)) == 0);

/* The two runs of which a tile's keys are, by where they lie in the array. */
struct pair_group {
    wide first;
    wide a_count; /* keys of the one at `first`, ... */
    wide b_count; /* ... and of the one behind it; perhaps none */
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
 * My next PAIR_E keys of the lists [a, a_end) and [b, b_end) of the tile. Each
 * step reads the key behind the one it took, also where the list has ended:
 * what is read there is never taken. One access a step, whichever list it is of.
 * The last one is of no use, but it is part of what is counted: so it is kept.
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

/* Merge the lists of `a_count` and `b_count` keys at `first`; mine is part `part`. */
DEVICE void pair_merge_part(const key_cell *cells, int first, int a_count, int b_count,
                            int part, item *r)
{
    const int diagonal = part * PAIR_E;
    const int b_first = first + a_count;
    const int a = pair_split(&cells[first], a_count, &cells[b_first], b_count, diagonal);

    pair_serial(cells, first + a, b_first, b_first + diagonal - a, b_first + b_count, r);
}

/* What may be read behind the tile's last key must have been written. */
DEVICE void pair_guard(key_cell *cells)
{
    if (THREAD == 0)
        STORE(&cells[PAIR_KEYS], filler());
}

/*
 * Where key `i` of a tile lies while it changes hands between lanes. An even
 * number of keys a thread needs a pad, lest lanes meet at every step; lists to be
 * merged have none, since their keys must follow each other.
 */
DEVICE int pair_place(int i)
{
    return PAIR_E % 2 == 0 ? i + (int)((unsigned)i / PAIR_ROW) : i;
}

/* My warp's keys, from threads that own neighbours to neighbouring lanes, and out. */
DEVICE void pair_store(key_cell *cells, item *r, key_cell *out, int count,
                       const struct key_code *code)
{
    const int first = THREAD / WARP * WARP * PAIR_E;

    BARRIER(); /* everyone has merged: the tile may be overwritten */
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
