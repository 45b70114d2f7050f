/*
 * deal_merge.cu - a round of engine tile for keys that cannot be dealt: what tile_merge
 * does, with few blocks that take one tile after another. Nearly always there is nothing to
 * merge, and then a block for each tile would take longer to start and end.
 */

enum { deal_merge_blocks = tile_merge_blocks };

KERNEL(deal_merge, struct tile_merge_args)
{
    SHARED(struct tile_merge_shared, sm);
    const unsigned all = args.round.groups * args.round.pieces + args.cutters;

    if (is_skipped(&args))
        return;
    NO_UNROLL
    for (unsigned block = (unsigned)BLOCK; block < all; block += (unsigned)BLOCKS) {
        const struct tile_part part = part_of(&args, block);
        const unsigned group = part.number / args.round.pieces;
        const struct tile_cuts cuts = meet_cuts(&args.round, INPUT_OF(&args), &part, group);

        if (!part.cuts)
            merge_tile(&args, sm, group, &cuts);
        BARRIER(); /* the next turn uses the same memory */
    }
}
