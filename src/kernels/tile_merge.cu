/*
 * tile_merge.cu - merge K runs: each block merges one tile of the result, or finds cuts
 * for other blocks (tile_ahead.cuh).
 *
 * The cuts before and after a tile (tile_cut.cu) tell which keys of each run belong to
 * it. A block
 *   1. loads these K lists in pairs, A ascending and B descending in one group of rows,
 *      and fills up each pair's last row (tile_load.cuh)
 *   2. merges pairs of lists in log2 K rounds (merge_rounds, with tile.cuh)
 *   3. writes the tile and its samples (store_rows, tile.cuh)
 * After the first round every list is whole rows.
 *
 * program.cu includes the files that this one uses before it: item.cuh (keys, or keys
 * with places), pipes.cuh (near keys), network.cuh,
 * tile.cuh, tile_load.cuh and tile_cut.cu.
 */
#include "tile_ahead.cuh"

#include "tile_tree.cuh"

/* The lowest bit of a tile's position in tree->tile, above the number of its keys. */
#ifdef TILE_LARGE
enum { TILE_FIRST_AT = 16, TILE_COUNT_MASK = (1 << TILE_FIRST_AT) - 1 };
AGREE((int)TILE <= (int)TILE_COUNT_MASK);
#else
enum { TILE_FIRST_AT = 32, TILE_COUNT_MASK = ~0 };
#endif

/*
 * Lay out the lists, of which mine begins at `list_first` and those of the group at
 * `group_first`: where each lane's part begins, and where it goes in shared memory. Every
 * warp computes this, which is cheaper than waiting for one of them. The first warp also
 * writes the tree.
 */
DEVICE struct tile_list lay_lists(tile_index group_first, tile_index list_first, int ways,
                                  const struct tile_cuts *cuts, int cells,
                                  struct tile_tree *tree)
{
    struct tile_list list;
    const unsigned start = (unsigned)cuts->first;

    list.count = (int)((unsigned)cuts->second - start);
    list.from = list_first + start;
    list.staged = PLACED ? (int)sum_up_to_lane((unsigned)list.count) - list.count : 0;

    lay_out_list(&list, cells);
    if (THREAD < WARP) {
        const tile_index first = group_first + RANK_SUM(start);
        const unsigned total = SUM((unsigned)list.count);

        plant_tree(tree, &list, cells, ways);
        if (LANE == 0)
            STORE(&tree->tile, (wide)total | (wide)first << TILE_FIRST_AT);
    }
    return list;
}

/* The lists of a round, one for each run. */
DEVICE struct tile_list plan_lists(const struct tile_round *round, unsigned group,
                                   const struct tile_cuts *cuts, int cells,
                                   struct tile_tree *tree)
{
    const tile_index run = (tile_index)round->run;
    const tile_index group_first = group * round->ways * run;

    return lay_lists(group_first, group_first + LANE * run, round->ways, cuts, cells, tree);
}

/* Merge and write the tile between two cuts. */
DEVICE void merge_tile(const struct tile_merge_args *args, struct tile_merge_shared *sm,
                       unsigned group, const struct tile_cuts *cuts)
{
    const struct tile_round *const round = &args->round;
    const int cells = SHARED_ADDRESS(sm->cells);
    const struct tile_base b = find_base(cuts);
    const struct tile_list list = plan_lists(round, group, cuts, cells, &sm->tree);
    struct tile_target to;
    item r[ITEMS];

#ifdef TILE_PLACES
    const struct tile_staging stage = begin_staging(&sm->stage, &list, INPUT_OF(args));
    const int staged = load_lists(&stage, &args->carry, &b);
#else
    load_lists(&list, INPUT_OF(args), &b);
#endif
    fill_pairs(&list, round->ways, b.fill);
    BARRIER();
    if (b.near)
        merge_rounds(&sm->tree, cells, sm->splits, round->ways, 1, b.fill, r);
    else
        merge_rounds(&sm->tree, cells, sm->splits, round->ways, 0, b.fill, r);
#ifdef TILE_PLACES
    const unsigned ties = find_ties(r);
#endif
    WARP_BARRIER();

    const wide tile = LOAD(&sm->tree.tile);

    to.array = (key_cell *)round->out;
    to.samples = (key_cell *)round->out_samples;
    to.first = (tile_index)(tile >> TILE_FIRST_AT);
    to.count = (int)(tile & TILE_COUNT_MASK);
#ifdef TILE_PLACES
    store_carried(&args->carry, &stage, staged, ties, cells, sm->splits, &to, &b,
                  &args->leave, 1);
#else
    store_rows(cells, &to, (int)(to.first % WARP), b.base, &args->leave);
#endif
}

/* Is there nothing to do? */
DEVICE int is_skipped(const struct tile_merge_args *args)
{
#ifdef TILE_PLACES
    const unsigned *const condition = args->carry.condition;

    return condition && LOAD((const unsigned_cell *)condition) == 0;
#else
    return args->condition && LOAD((const wide_cell *)args->condition) == 0;
#endif
}

/* Each block finds cuts, or merges and writes one tile. */
KERNEL(tile_merge, struct tile_merge_args)
{
    SHARED(struct tile_merge_shared, sm);
    const struct tile_part part = my_part(&args);
    const unsigned group = part.number / args.round.pieces;

    if (is_skipped(&args))
        return;

    const struct tile_cuts cuts = meet_cuts(&args.round, INPUT_OF(&args), &part, group);

    if (!part.cuts)
        merge_tile(&args, sm, group, &cuts);
}
