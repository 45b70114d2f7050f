/*
 * lists_merge.cu - merge groups of lists that lie anywhere: each block merges one tile of
 * the result, or finds cuts for other blocks. It is tile_merge with another source.
 *
 * The caller's lists may not be sorted. Even then no access leaves the arrays, but keys
 * could be lost in three ways:
 *   - cuts of neighbouring tiles cross, or a tile is longer than its cells (plan_tile)
 *   - rows of a level's result do not begin where the rows before them end (follows)
 *   - fillers end up among the keys of the tile (ends_in_fillers)
 * If none of this happens in any tile, each key is in the result once: every key is in one
 * tile, levels of merging permute the cells of a tile, and fillers lie where nothing is
 * stored. Otherwise the round is flagged, and copy_lists overwrites its result, or for bare
 * keys that of the last round, with a copy of the lists as they are.
 */
#include "lists_cut.cuh"

#include "tile_ahead.cuh"

#include "tile_tree.cuh"

enum { lists_merge_blocks = tile_merge_blocks };

/* Lay out the tile's parts of the lists. Returns 0 if the cuts contradict each other. */
DEVICE int plan_tile(const tile_input *in, const struct lists_group *g,
                     const struct tile_cuts *cuts, int cells, const int ways,
                     struct tile_tree *tree, struct tile_list *list)
{
    const struct cut_list mine = list_of_group(in, g);
    const unsigned start = (unsigned)cuts->first;

    list->count = (int)((unsigned)cuts->second - start);
    if (BALLOT((unsigned)list->count > TILE))
        return 0;
#ifdef TILE_PLACES
    list->from = start;
    list->number = mine.number;
#else
    list->from = mine.first + start;
#endif
    list->staged = PLACED ? (int)sum_up_to_lane((unsigned)list->count) - list->count : 0;
    lay_out_list(list, cells);
    if (SHUFFLE(list->end_row, WARP - 1) > TILE_ROWS)
        return 0;
    if (THREAD < WARP) {
        const unsigned first = g->first_row + SUM(start);
        const unsigned total = SUM((unsigned)list->count);

        plant_tree(tree, list, cells, ways);
        if (LANE == 0)
            STORE(&tree->tile, (wide)total | (wide)first << 32);
    }
    return 1;
}

/* Merge and write the tile between two cuts. Returns 0 if lists are not sorted. */
DEVICE int merge_lists(const tile_input *in, struct tile_merge_shared *sm,
                       const struct lists_group *g, const struct tile_cuts *cuts,
                       const int ways)
{
    const struct tile_round *const round = &in->merge.round;
    const int cells = SHARED_ADDRESS(sm->cells);
    const struct tile_base b = find_base(cuts);
    struct tile_list list;
    struct tile_target to;
    item r[ITEMS];
    int sound;

    if (!plan_tile(in, g, cuts, cells, ways, &sm->tree, &list))
        return 0;
#ifdef TILE_PLACES
    const struct tile_staging stage = begin_staging(&sm->stage, &list, in);
    const int staged = load_lists(&stage, CARRY_OF(in), &b);
#else
    load_lists(&list, in, &b);
#endif
    fill_pairs(&list, ways, b.fill);
    BARRIER();
    if (b.near)
        sound = merge_rounds(&sm->tree, cells, sm->splits, ways, 1, b.fill, r);
    else
        sound = merge_rounds(&sm->tree, cells, sm->splits, ways, 0, b.fill, r);
#ifdef TILE_PLACES /* if the merge is not sound, places may be those of no row */
    const unsigned ties = find_ties(r);

    if (any_thread(sm->stage.votes, !sound))
        return 0;
    BARRIER(); /* all have read the votes */
#endif
    WARP_BARRIER();

    const wide tile = LOAD(&sm->tree.tile);

    to.array = (key_cell *)round->out;
    to.samples = 0;
    to.first = (unsigned)(tile >> 32);
    to.count = (int)tile;
#ifdef TILE_PLACES
    store_carried(CARRY_OF(in), &stage, staged, ties, cells, sm->splits, &to, &b,
                  &in->merge.leave, 0);
#else
    store_rows(cells, &to, (int)(to.first % WARP), b.base, &in->merge.leave);
#endif
    return sound;
}

/* Each block finds cuts, or merges and writes one tile. */
KERNEL(lists_merge, struct lists_merge_args)
{
    SHARED(struct tile_merge_shared, sm);
    const struct tile_round *const round = &args.merge.round;
    const struct tile_part part = my_part(&args.merge);
    const struct lists_group g = group_of(round, &args, part.cuts ? 0 : part.number, 0);
    const struct tile_cuts cuts = meet_cuts(round, &args, &part, g.number);

    if (!part.cuts && !merge_lists(&args, sm, &g, &cuts, round->ways))
        POST(CUT, (wide_cell *)args.lists.flag, round->number);
}
