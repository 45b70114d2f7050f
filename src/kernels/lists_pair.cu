/*
 * lists_pair.cu - merge two lists of bare keys: as lists_merge, but a warp finds 32 cuts at
 * once (lists_pair.cuh). It is a kernel of its own because with both kinds of cuts in one
 * the compiler needs more registers for the merge, which is then slower.
 */
#include "lists_pair.cuh"

enum { lists_pair_blocks = tile_merge_blocks };

/* Find 32 cuts in each warp of a cutter, or wait for the two cuts of my tile. */
DEVICE struct tile_cuts meet_pair_cuts(const struct tile_round *round, const tile_input *in,
                                       const struct tile_part *part)
{
    const unsigned warp = (unsigned)THREAD / WARP;
    const unsigned row =
        part->cuts ? (part->number * (TILE_ROWS / WARP) + warp) * WARP : part->number;
    struct tile_cuts cuts = {0, 0};
    int find = part->cuts && row < rows_of(round);
    int waited = 0;

    if (!part->cuts && take_cuts(round, row, &cuts))
        return cuts; /* the usual case */
    NO_UNROLL
    for (;;) {
        if (find)
            post_pair_cuts(round, in, row);
        if (part->cuts || take_cuts(round, row, &cuts))
            return cuts;
        PAUSE();
        find = ++waited > AHEAD_PATIENCE;
    }
}

/* Each block finds cuts, or merges and writes one tile. */
KERNEL(lists_pair, struct lists_merge_args)
{
    SHARED(struct tile_merge_shared, sm);
    const struct tile_round *const round = &args.merge.round;
    const struct tile_part part = my_part(&args.merge);
    const struct lists_group g = group_of_all(&args);
    const struct tile_cuts cuts = meet_pair_cuts(round, &args, &part);

    if (!part.cuts && !merge_lists(&args, sm, &g, &cuts, 2))
        POST(CUT, (wide_cell *)args.lists.flag, round->number);
}
