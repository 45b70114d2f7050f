/*
 * tile_ahead.cuh - cuts found while tiles are merged, by blocks of the same launch.
 *
 * To find a cut, keys of every list are looked at that nobody has touched since they
 * were written: if that is a launch of its own, it reads them from memory, and the merge
 * does so again. So some of the blocks of tile_merge find cuts, a little before the tiles
 * between them are merged: when these are, the second cache still has what was looked at.
 *
 * Blocks are begun in the order of their numbers, as far as anyone has seen. The first
 * `ahead` find cuts; from there on a cutter stands between tiles as often as it takes to
 * stay so far ahead. A cut is posted cell by cell; a tile's block waits for those of its
 * two cuts. If they do not come, because blocks were begun in another order, it finds
 * them itself: what it finds is the same, since a cut depends on nothing that changes
 * during the launch.
 */

/* What my block is to do: find cuts, a warp each, or merge a tile. */
struct tile_part {
    int cuts;
    unsigned number; /* among the blocks that do so */
};

DEVICE struct tile_part my_part(const struct tile_merge_args *args)
{
    const unsigned place = (unsigned)BLOCK - args->ahead; /* behind those that come first */
    const unsigned others = args->cutters - args->ahead;  /* cutters that do not */
    const unsigned before = (unsigned)((wide)place * args->rate >> 32);
    const unsigned until = (unsigned)((wide)(place + 1) * args->rate >> 32);
    const int early = (unsigned)BLOCK < args->ahead;
    struct tile_part part;

    part.cuts = early || (before < others && before < until);
    if (part.cuts)
        part.number = early ? (unsigned)BLOCK : args->ahead + before;
    else
        part.number = place - (before < others ? before : others);
    return part;
}

enum { AHEAD_PATIENCE = 256 }; /* how often to look again, about a microsecond apart */

/* Of the cuts on both sides of a tile, my list's cells. */
struct tile_cuts {
    wide first;
    wide second;
};

/* Have the cuts around a tile, if they are there. */
DEVICE int take_cuts(const struct tile_round *round, unsigned row, struct tile_cuts *cuts)
{
    const wide_cell *const cells = cells_of(round, row);
    const wide_cell *const next = cells + round->ways;

    cuts->first = cuts->second = (wide)round->number << 32;
    if (LANE < round->ways) {
        cuts->first = PEEK(CUT, &cells[LANE]);
        cuts->second = PEEK(CUT, &next[LANE]);
    }
    return !BALLOT((cuts->first >> 32 & 0xffff) != round->number ||
                   (cuts->second >> 32 & 0xffff) != round->number);
}

/* Find my warp's cut, or have those around my tile. */
DEVICE struct tile_cuts meet_cuts(const struct tile_round *round,
                                  const struct tile_part *part, unsigned group)
{
    const unsigned warp = (unsigned)THREAD / WARP;
    const unsigned row =
        part->cuts ? part->number * (TILE_ROWS / WARP) + warp : part->number + group;
    struct tile_cuts cuts = {0, 0};
    int find = part->cuts && row < rows_of(round);
    int waited = 0;

    if (!part->cuts && take_cuts(round, row, &cuts))
        return cuts; /* as a rule */
    NO_UNROLL
    for (;;) { /* one place that finds cuts: they are many instructions */
        if (find)
            post_cut(round, row + (waited & 1));
        if (part->cuts || take_cuts(round, row, &cuts))
            return cuts;
        PAUSE();
        find = ++waited > AHEAD_PATIENCE;
    }
}
