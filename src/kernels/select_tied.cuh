/*
 * select_tied.cuh - for select_count: the wanted rows may all have the least code.
 *
 * Then their positions alone decide. In the first pass each block tells the least code of
 * its unit, and how many rows have it. If units are single tiles, they are in order of
 * position. So every block knows where the rows of its units go, and nothing is to be
 * narrowed, collected or sorted.
 */

/* May the first pass find such rows? */
DEVICE int tells_ties(const struct select_args *args, const struct select_view *view,
                      unsigned units, unsigned tiles)
{
    return args->is_sorted && !args->is_two_sided && !view->numbers && tiles == units;
}

/* Keep how many of my rows have the least code of my warp. A barrier follows. */
DEVICE void keep_ties(struct select_shared *sm, unsigned mine)
{
    mine = SUM(mine);
    if (LANE == 0)
        STORE(&sm->ties[THREAD / WARP], mine);
}

/* Tell all blocks the least code of a unit, and its rows that have it: after post_seen().
 */
DEVICE void post_ties(const struct select_args *args, const struct select_shared *sm,
                      unsigned unit, int code_bytes)
{
    if (THREAD < WARP) {
        const wide mine = LOAD(&sm->ends[LANE]);
        const wide unlike = greatest_of_warp(mine, code_bytes);
        const unsigned ties = SUM(mine == unlike ? LOAD(&sm->ties[LANE]) : 0);

        if (LANE == 0) {
            POST(CUT, cell_of(args->samples + 2 * unit), unlike);
            POST(CUT, cell_of(args->samples + 2 * unit + 1), (wide)ties);
        }
    }
}

/* In shared memory, the ties of all units before each and, one more, of all. */
DEVICE unsigned_cell *ties_before(struct select_shared *sm)
{
    return &sm->bins[1][0];
}

AGREE((int)SELECT_UNITS <= (int)SELECT_THREADS);

/*
 * Find them, from what all units told in the first pass. Returns whether the wanted rows
 * are among them; all blocks find the same.
 */
DEVICE int find_ties(const struct select_args *args, struct select_shared *sm,
                     unsigned units)
{
    unsigned_cell *const begins = ties_before(sm);
    const int is_unit = (unsigned)THREAD < units;
    const unsigned unit = is_unit ? (unsigned)THREAD : 0;
    const wide unlike = PEEK(CUT, cell_of(&args->state->seen[0][1].unlike));
    const wide its = PEEK(CUT, cell_of(args->samples + 2 * unit));
    const unsigned ties = (unsigned)PEEK(CUT, cell_of(args->samples + 2 * unit + 1));
    const unsigned mine = is_unit && its == unlike ? ties : 0;
    unsigned before = sum_up_to_lane(mine), all;

    if (LANE == WARP - 1)
        STORE(&sm->sums[THREAD / WARP], before);
    BARRIER();
    before += SUM(LANE < THREAD / WARP ? LOAD(&sm->sums[LANE]) : 0);
    if (is_unit)
        STORE(&begins[THREAD + 1], before);
    if (THREAD == 0)
        STORE(&begins[0], 0);
    BARRIER();
    all = LOAD(&begins[units]);
    BARRIER(); /* the next pass uses the bins */
    return all >= args->last;
}
