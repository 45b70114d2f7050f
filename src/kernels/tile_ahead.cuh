/*
 * tile_ahead.cuh - finding cuts in the same launch that merges the tiles.
 *
 * A cut search reads keys of every list. In a launch of its own it would read them from
 * DRAM, and the merge would read them from DRAM again. So some blocks of tile_merge, the
 * cutters, find cuts shortly before the tiles next to them are merged. L2 still has the
 * keys that the search read.
 *
 * GPUs start blocks in the order of their numbers, though CUDA does not promise it. The
 * first `ahead` blocks are cutters; after them cutters are spread evenly between the
 * tiles, so that the lead stays the same. Cutters post a cut cell by cell, and the block
 * of a tile waits for the cells of its two cuts. If they do not appear, because blocks
 * started in another order, it finds the cuts itself. The result is the same, since a
 * cut depends only on data that does not change during the launch.
 */

/* What a block does: find one cut per warp, or merge a tile. */
struct tile_part {
    int cuts;
    unsigned number; /* among the blocks that do the same */
};

DEVICE struct tile_part part_of(const struct tile_merge_args *args, unsigned block)
{
    const unsigned place = block - args->ahead;           /* after the first cutters */
    const unsigned others = args->cutters - args->ahead;  /* cutters between tiles */
    const unsigned before = (unsigned)((wide)place * args->rate >> 32);
    const unsigned until = (unsigned)((wide)(place + 1) * args->rate >> 32);
    const int early = block < args->ahead;
    struct tile_part part;

    part.cuts = early || (before < others && before < until);
    if (part.cuts)
        part.number = early ? block : args->ahead + before;
    else
        part.number = place - (before < others ? before : others);
    return part;
}

DEVICE struct tile_part my_part(const struct tile_merge_args *args)
{
    return part_of(args, (unsigned)BLOCK);
}

enum { AHEAD_PATIENCE = 256 }; /* polls, about a microsecond apart */

/* My list's cells of the cuts before and after a tile. */
struct tile_cuts {
    wide first;
    wide second;
};

/* Read the two cuts of a tile. Returns 0 if they have not both been posted. */
DEVICE int take_cuts(const struct tile_round *round, unsigned row, struct tile_cuts *cuts)
{
    const wide_cell *const cells = cells_of(round, row);
    const wide_cell *const next = cells + cut_cells(round);

    cuts->first = cuts->second = (wide)round->number << 32;
    if (LANE < cut_cells(round)) {
        cuts->first = PEEK(CUT, &cells[LANE]);
        cuts->second = PEEK(CUT, &next[LANE]);
    }
    return !BALLOT((cuts->first >> 32 & 0xffff) != round->number ||
                   (cuts->second >> 32 & 0xffff) != round->number);
}

/* Find my warp's cut in a cutter, or wait for the two cuts of my tile. */
DEVICE struct tile_cuts meet_cuts(const struct tile_round *round, const tile_input *in,
                                  const struct tile_part *part, unsigned group)
{
    const unsigned warp = (unsigned)THREAD / WARP;
    const unsigned row =
        part->cuts ? part->number * (TILE_ROWS / WARP) + warp : part->number + group;
    struct tile_cuts cuts = {0, 0};
    int find = part->cuts && row < rows_of(round);
    int waited = 0;

    if (!part->cuts && take_cuts(round, row, &cuts))
        return cuts; /* the usual case */
    NO_UNROLL
    for (;;) { /* post_cut() is large: this loop has its only call */
        if (find)
            post_cut(round, in, row + (waited & 1));
        if (part->cuts || take_cuts(round, row, &cuts))
            return cuts;
        PAUSE();
        find = ++waited > AHEAD_PATIENCE;
    }
}
