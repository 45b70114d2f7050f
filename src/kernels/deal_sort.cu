/*
 * deal_sort.cu - sort the tiles that keys were dealt to (deal.cuh), in place; or, if they
 * could not be dealt, the tiles of the array, which are merged then.
 */

enum { deal_sort_blocks = tile_sort_blocks };

/* The tile of the list that my block sorts; none: count is 0. */
DEVICE struct tile_target listed_target(const struct deal_args *args)
{
    struct tile_target to = {(key_cell *)args->keys, 0, 0, 0};

    if ((wide)BLOCK < LOAD((const wide_cell *)args->head + DEAL_LISTED)) {
        const wide tile = LOAD((const wide_cell *)args->tiles + BLOCK);

        to.first = tile >> 16;
        to.count = (int)(tile & 0xffff);
    }
    return to;
}

/* The tile of the array that my block sorts, as tile_sort does. */
DEVICE struct tile_target merged_target(const struct deal_args *args)
{
    struct tile_target to = {(key_cell *)args->keys, 0, 0, 0};

    if ((wide)BLOCK * TILE < args->count)
        to = first_target(&args->merged);
    return to;
}

/* A block for each tile of the list, of which there may be fewer. */
KERNEL(deal_sort, struct deal_args)
{
    SHARED(struct tile_sort_shared, sm);
    const int cells = SHARED_ADDRESS(sm->cells);
    const int dealt = is_dealing(&args, DEAL_STAGES);
    const struct tile_target to = dealt ? listed_target(&args) : merged_target(&args);
    const struct key_code enter_by = {dealt ? 0 : args.merged.enter.flip,
                                      dealt ? 0 : args.merged.enter.is_float, 0};
    const struct key_code leave_by = {dealt ? args.leave.flip : 0,
                                      dealt ? args.leave.is_float : 0, 0};
    item r[ITEMS];

    if (!to.count)
        return;
    load_tile((const key_cell *)args.keys + to.first, to.count, &enter_by, r);
    sort_tile(cells, sm->splits, &enter_by, r);
    store_rows(cells, &to, (int)(to.first % WARP), 0, &leave_by);
    if (!dealt)
        clear_cuts(&args.merged);
}
