/*
 * tile_join.cu - cut and merge block by block, for rounds of few tiles.
 *
 * A block finds the cuts on both sides of its tile, each by one warp, and merges the
 * tile. Neighbours find the cut between them twice, and alike, since both see the same
 * lists and samples: the merged tile's samples must therefore go elsewhere. A large
 * round would pay for finding twice; in a small one all tiles are merged at once, and
 * nobody could find their cuts ahead (tile_ahead.cuh).
 *
 * While cuts are looked for one load waits for another, and nothing else goes on. So
 * the group's samples are fetched to shared memory, where the tile will be, if there is
 * room for them. Cuts and bounds stay there, too, in places that merging has no use for
 * before all have read them: `splits`, and node 0 of the tree, which there is not.
 */

AGREE(TILE_ROWS >= 2 * TILE_MOST_WAYS); /* `splits` has room for two cuts, ... */
AGREE(TILE_ROWS >= 2 * WARP);           /* ... and there are warps to find them */

enum {
    tile_join_blocks = 1,     /* few blocks: each may have all registers */
    EACH_FETCHES = ITEMS / 2, /* samples: they fit into the cells */
    MOST_FETCHED = TILE_ROWS * EACH_FETCHES
};

/*
 * The samples of my group, if they are few in `room`. Each thread asks for all of its
 * own before it waits for the first.
 */
DEVICE struct cut_samples fetch_samples(const struct tile_round *round, unsigned group,
                                        key_cell *room)
{
    const wide whole = round->ways * round->run;
    const wide first = group * whole;
    const wide left = round->count - first;
    const wide count = ((left < whole ? left : whole) + TILE_SAMPLE - 1) / TILE_SAMPLE;
    struct cut_samples samples = {(const key_cell *)round->samples, 0};

    if (count <= MOST_FETCHED) {
        const key_cell *const from = samples.from + first / TILE_SAMPLE;
        const int mine = (int)count - THREAD; /* samples from my first one on */
        key k[EACH_FETCHES];

        UNROLL
        for (int i = 0; i < EACH_FETCHES; i++) {
            k[i] = 0;
            if (TILE_ROWS * i < mine)
                k[i] = LOAD_AS(SAMPLE, &from[THREAD + TILE_ROWS * i]);
        }
        UNROLL
        for (int i = 0; i < EACH_FETCHES; i++) {
            if (TILE_ROWS * i < mine)
                STORE_AS(SAMPLE, &room[THREAD + TILE_ROWS * i], k[i]);
        }
        samples.from = room;
        samples.first = (unsigned)(first / TILE_SAMPLE);
    }
    return samples;
}

/* Each block cuts, merges and writes one tile. */
KERNEL(tile_join, struct tile_merge_args)
{
    SHARED(struct tile_merge_shared, sm);
    const struct tile_round *const round = &args.round;
    const int side = THREAD / WARP; /* 0: before my tile, 1: behind it */
    unsigned_cell *const before = (unsigned_cell *)sm->splits;
    wide_cell *const bounds = &sm->tree.rows[0];
    const unsigned group = (unsigned)BLOCK / round->pieces;
    const struct cut_samples samples = fetch_samples(round, group, (key_cell *)sm->cells);

    BARRIER();
    if (side < 2) {
        const struct cut c =
            find_cut(round, &samples, group, (unsigned)BLOCK % round->pieces + side, 1);
        const unsigned bound = find_bound(round, &c.task, &c.pivot);

        if (LANE < round->ways)
            STORE_AS(CUT, &before[side * round->ways + LANE], c.before);
        if (NEAR_KEYS && LANE == 0)
            STORE((unsigned_cell *)bounds + side, bound);
    }
    BARRIER();

    const int mine = LANE < round->ways; /* other lanes have no list */
    const unsigned first = mine ? LOAD_AS(CUT, &before[LANE]) : 0;
    const unsigned second = mine ? LOAD_AS(CUT, &before[round->ways + LANE]) : 0;
    const wide both = NEAR_KEYS ? LOAD(bounds) : 0;
    struct tile_cuts cuts;

    cuts.first = cell_of(first, (unsigned)both);
    cuts.second = cell_of(second, (unsigned)(both >> 32));
    merge_tile(&args, sm, group, &cuts);
}
