/*
 * tile_join.cu - find cuts and merge in one block per tile, for rounds of few tiles.
 *
 * A block finds the cuts before and after its tile, one warp each, and merges the tile.
 * Neighbouring blocks both find the cut between their tiles. They find the same, since
 * the lists and samples that they read do not change: the samples of merged tiles go to
 * another array. In a large round finding each cut twice would cost too much; in a small
 * one all tiles are merged at the same time, so no block could find cuts ahead of the
 * others (tile_ahead.cuh).
 *
 * A cut search waits for one load after another. So the group's samples are first copied
 * to shared memory, where the tile will be, if they fit. Cuts and bounds are exchanged
 * through shared memory that merging does not use yet: `splits`, and node 0 of the tree.
 */

AGREE(TILE_ROWS >= 2 * TILE_MOST_WAYS); /* `splits` has room for two cuts, ... */
AGREE(TILE_ROWS >= 2 * WARP);           /* ... and there are two warps to find them */

enum {
    tile_join_blocks = PLACED ? 4 : 1, /* few blocks: without places each may use all */
                                       /*   registers */
    EACH_FETCHES = FEW_KEYS ? ITEMS : ITEMS / 2, /* samples per thread: they fit into */
                                                 /*   the cells */
    MOST_FETCHED = TILE_ROWS * EACH_FETCHES
};

/*
 * The samples of my group, copied to `room` if they fit. A thread issues all of its
 * loads before it waits for the first.
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
        const int mine = (int)count - THREAD; /* samples from my first to the last */
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

/* Exchange the bounds of the two cuts through node 0 of the tree. */
#ifndef TILE_PLACES

DEVICE void put_bound(struct tile_tree *tree, int side, cut_bound bound)
{
    if (NEAR_KEYS)
        STORE((unsigned_cell *)&tree->rows[0] + side, bound);
}

DEVICE struct tile_cuts cuts_of(const struct tile_tree *tree, unsigned first,
                                unsigned second)
{
    const wide both = NEAR_KEYS ? LOAD(&tree->rows[0]) : 0;
    struct tile_cuts cuts;

    cuts.first = cell_of(first, (unsigned)both);
    cuts.second = cell_of(second, (unsigned)(both >> 32));
    return cuts;
}

#else

DEVICE void put_bound(struct tile_tree *tree, int side, cut_bound bound)
{
    STORE(side ? &tree->lists[0] : &tree->rows[0], bound);
}

DEVICE struct tile_cuts cuts_of(const struct tile_tree *tree, unsigned first,
                                unsigned second)
{
    struct tile_cuts cuts;

    cuts.first = cell_of(first, (cut_bound)LOAD(&tree->rows[0]));
    cuts.second = cell_of(second, (cut_bound)LOAD(&tree->lists[0]));
    return cuts;
}

#endif

/* Each block finds the cuts of one tile, merges it and writes it. */
KERNEL(tile_join, struct tile_merge_args)
{
    SHARED(struct tile_merge_shared, sm);
    const struct tile_round *const round = &args.round;
    const int side = THREAD / WARP; /* 0: the cut before my tile, 1: after it */
    unsigned_cell *const before = (unsigned_cell *)sm->splits;
    const unsigned group = (unsigned)BLOCK / round->pieces;

    if (is_skipped(&args))
        return;

    const struct cut_samples samples = fetch_samples(round, group, (key_cell *)sm->cells);

    BARRIER();
    if (side < 2) {
        const struct cut c = find_cut(round, INPUT_OF(&args), &samples, group,
                                      (unsigned)BLOCK % round->pieces + side, 1);
        const cut_bound bound = find_bound(INPUT_OF(&args), &c.task, &c.pivot);

        if (LANE < round->ways)
            STORE_AS(CUT, &before[side * round->ways + LANE], c.before);
        if (LANE == 0)
            put_bound(&sm->tree, side, bound);
    }
    BARRIER();

    const int mine = LANE < round->ways; /* other lanes have no list */
    const unsigned first = mine ? LOAD_AS(CUT, &before[LANE]) : 0;
    const unsigned second = mine ? LOAD_AS(CUT, &before[round->ways + LANE]) : 0;
    const struct tile_cuts cuts = cuts_of(&sm->tree, first, second);

    merge_tile(&args, sm, group, &cuts);
}
