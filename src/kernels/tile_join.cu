/*
 * tile_join.cu - tile_cut and tile_merge in one launch, for rounds of few tiles.
 *
 * A block finds the cuts on both sides of its tile, each by one warp, and merges the
 * tile. Neighbours find the cut between them twice, and alike, since both see the same
 * lists and samples: the merged tile's samples must therefore go elsewhere. A large
 * round would pay for finding twice, a small one saves a launch.
 *
 * Cuts and bounds stay in shared memory, in places that merging has no use for
 * before all have read them: `splits`, and node 0 of the tree, which there is not.
 */

AGREE(TILE_ROWS >= 2 * TILE_MOST_WAYS); /* `splits` has room for two cuts, ... */
AGREE(TILE_ROWS >= 2 * WARP);           /* ... and there are warps to find them */

enum { tile_join_blocks = 1 }; /* few blocks: each may have all registers */

/* Each block cuts, merges and writes one tile. */
KERNEL(tile_join, struct tile_merge_args)
{
    SHARED(struct tile_merge_shared, sm);
    const struct tile_round *const round = &args.round;
    const int side = THREAD / WARP; /* 0: before my tile, 1: behind it */
    unsigned_cell *const cuts = (unsigned_cell *)sm->splits;
    wide_cell *const bounds = &sm->tree.rows[0];

    if (side < 2) {
        const struct cut c = find_cut(round, (unsigned)BLOCK / round->pieces,
                                      (unsigned)BLOCK % round->pieces + side);
        struct cut_place to;

        to.cuts = cuts + side * round->ways;
        to.bounds = (unsigned_cell *)bounds + 2 * side;
        to.sides = side ? CUT_BEFORE : CUT_BEHIND;
        put_cut(round, &c, &to);
    }
    BARRIER();
    merge_tile(&args, sm, cuts, bounds);
}
