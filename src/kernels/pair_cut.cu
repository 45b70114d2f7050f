/*
 * pair_cut.cu - where each tile of a merged pair of runs begins in the first run:
 * merge path in global memory, one thread per tile.
 */

enum { pair_cut_blocks = 8 };

/* Each thread writes one cut to round.cuts. */
KERNEL(pair_cut, struct pair_cut_args)
{
    const struct pair_round *const round = &args.round;
    const wide tile = (wide)BLOCK * THREADS + THREAD;

    if (tile >= round->tiles)
        return;

    const struct pair_group g = pair_group_of(round, tile);
    const key_cell *const a = (const key_cell *)round->in + g.first;
    const key_cell *const b = a + g.a_count;
    const wide diagonal = tile * PAIR_KEYS - g.first;
    wide lo = diagonal > g.b_count ? diagonal - g.b_count : 0;
    wide hi = diagonal < g.a_count ? diagonal : g.a_count;

    while (lo < hi) {
        const wide middle = lo + (hi - lo) / 2;
        const key a_key = LOAD_AS(PROBE, &a[middle]);
        const key b_key = LOAD_AS(PROBE, &b[diagonal - 1 - middle]);

        if (less(b_key, a_key))
            hi = middle;
        else
            lo = middle + 1;
    }
    STORE_AS(CUT, (wide_cell *)round->cuts + tile, lo);
}
