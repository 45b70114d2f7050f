/*
 * check_cuts.cu - which groups have cuts that contradict each other: those of a tile that
 * begins in a list after the place where it ends. Only a comparison that is no order
 * gives such cuts.
 */

enum { check_cuts_blocks = 8 };

/* Each warp checks one tile, with one lane per list, and may flag its group. */
KERNEL(check_cuts, struct check_cuts_args)
{
    const wide tile = ((wide)BLOCK * THREADS + THREAD) / WARP;
    const wide number = tile / args.pieces;
    int crossed = 0;

    if (number >= args.groups)
        return;
    if (LANE < args.ways) {
        const wide_cell *const cut =
            (const wide_cell *)args.cuts + (tile + number) * (wide)args.ways + LANE;
        const wide begin = LOAD_AS(CUT, &cut[0]);
        const wide end = LOAD_AS(CUT, &cut[args.ways]);

        crossed = end < begin;
    }
    if (BALLOT(crossed) && LANE == 0)
        POST(CUT, (wide_cell *)args.flags + number, args.number);
}
