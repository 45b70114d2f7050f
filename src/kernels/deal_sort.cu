/*
 * deal_sort.cu - sort the tiles that keys were dealt to (deal.cuh), in place.
 */

enum { deal_sort_blocks = tile_sort_blocks };

/* A block for each tile of the list, which may be shorter. */
KERNEL(deal_sort, struct deal_args)
{
    SHARED(struct tile_sort_shared, sm);
    const int cells = SHARED_ADDRESS(sm->cells);
    const struct key_code no_code = {0, 0, 0};
    struct tile_target to;
    item r[ITEMS];

    if (!is_dealing(&args, DEAL_STAGES) ||
        (wide)BLOCK >= LOAD((const wide_cell *)args.head + DEAL_LISTED))
        return;

    const wide tile = LOAD((const wide_cell *)args.tiles + BLOCK);

    to.array = (key_cell *)args.keys;
    to.samples = 0;
    to.first = tile >> 16;
    to.count = (int)(tile & 0xffff);
    load_tile(to.array + to.first, to.count, &no_code, r);
    sort_tile(cells, sm->splits, &no_code, r);
    store_rows(cells, &to, (int)(to.first % WARP), 0, &args.leave);
}
