/*
 * tile_cut.cu - the cuts of engine tile, about one for every `piece` keys of a group's
 * output, found mostly without reading the keys themselves.
 *
 * A cut is made by a pivot, a key or value in the total order (key, list, position): the
 * keys of each list that precede the pivot are before the cut. So all cuts are consistent
 * with each other and with the stable order, whatever the pivots are. The choice of
 * pivots only affects the lengths of tiles, and a cut may be off by TILE_SLACK keys.
 *
 * Pivots are searched among samples, every 32nd key of the array, which the previous pass
 * stored contiguously. The number of samples before a pivot tells its rank up to 32 keys
 * per list, 16 on average. When that estimate is close enough, the exact positions are
 * found between two samples of each list. If the pivot then turns out too far off, which
 * is rare, the search continues among keys.
 *
 * One warp finds one cut (tile_pivot.cuh). Without TILE_LARGE a group has fewer than 2^32
 * keys. Usually that
 * is a warp of tile_merge, shortly before the cut is needed (tile_ahead.cuh). Kernel
 * tile_cut finds all cuts of a round; it is used with MW_TIMING_PHASES.
 */

#include "tile_bound.cuh"

DEVICE struct cut_task task_of(const struct tile_round *round, unsigned group,
                               unsigned piece)
{
    struct cut_task t;
    wide wanted;

    t.list_first = ((wide)group * round->ways + LANE) * round->run;
    t.length = 0;
    if (LANE < round->ways && t.list_first < round->count) {
        const wide left = round->count - t.list_first;

        t.length = (unsigned)(left < round->run ? left : round->run);
    }
    t.whole = RANK_SUM(t.length);
    wanted = piece * round->piece;
    t.target = wanted < t.whole ? wanted : t.whole;
    return t;
}

/* A cut that was found: the keys of my list before it, and its pivot, if it has one. */
struct cut {
    struct cut_task task;
    struct cut_pivot pivot;
    unsigned before;
};

/* The samples of the round in global memory, or those of a group in shared memory. */
struct cut_samples {
    const key_cell *from;
    unsigned first; /* the number of the first sample at `from` */
};

/*
 * Find the cut before piece `piece` of a group; the cut of number `pieces` ends the group.
 * `fetched`: samples may be in shared memory, where OPAQUE does not apply.
 */
DEVICE struct cut find_cut(const struct tile_round *round, const tile_input *in,
                           const struct cut_samples *samples, unsigned group,
                           unsigned piece, const int fetched)
{
    const struct cut_pivot none = {0, -1, 0, 0};
    struct cut c;

    c.task = task_of(round, group, piece);
    c.pivot = none;
    c.before = c.task.target ? c.task.length : 0;
    if (c.task.target > 0 && c.task.target < c.task.whole) {
        const tile_index first = (tile_index)c.task.list_first;
        const tile_rank target = (tile_rank)c.task.target;
        const key_cell *const mine = samples->from + (first / TILE_SAMPLE - samples->first);
        int alike = 1;

        c.pivot = search_samples(round, fetched ? mine : OPAQUE(mine), c.task.length,
                                 target, &alike);
        c.pivot = search_keys(round, list_of_rows(in, first), c.task.length, c.pivot,
                              target, alike, FEW_KEYS && fetched);
        c.before = c.pivot.before;
    }
    return c;
}

/* Find the cut of a row and post it. */
DEVICE void post_cut(const struct tile_round *round, const tile_input *in, unsigned row)
{
    const struct cut_samples samples = {(const key_cell *)round->samples, 0};
    const unsigned group = row / (round->pieces + 1);
    const unsigned piece = row - group * (round->pieces + 1);
    const struct cut c = find_cut(round, in, &samples, group, piece, 0);
    const cut_bound bound = find_bound(in, &c.task, &c.pivot);

    if (LANE < cut_cells(round))
        POST(CUT, cells_of(round, row) + LANE,
             (wide)round->number << 32 | cell_of(c.before, bound));
}

DEVICE unsigned rows_of(const struct tile_round *round)
{
    return round->groups * (round->pieces + 1);
}

enum { tile_cut_blocks = 10 };

/* Each warp finds one cut. */
KERNEL(tile_cut, struct tile_cut_args)
{
    const unsigned row = (unsigned)BLOCK * (THREADS / WARP) + THREAD / WARP;

    if (row < rows_of(&args.round))
        post_cut(&args.round, INPUT_OF(&args), row);
}
