/*
 * less_merge.cu - merge groups of lists by a comparison; each block writes one tile.
 *
 * The tile's parts of all lists are loaded to shared memory and merged there in pairs,
 * pairs of pairs, and so on.
 */

/* The block looks through the group's cuts: do any contradict each other? */
DEVICE int less_crossed(struct less_shared *sm, const struct less_round *round, wide number)
{
    const wide_cell *const cuts =
        (const wide_cell *)round->cuts + number * (round->pieces + 1) * (wide)round->ways;
    const int count = (int)round->pieces * round->ways;
    int crossed = 0;

    for (int i = THREAD; i < count; i += LESS_THREADS)
        crossed |= LOAD_AS(CUT, &cuts[i + round->ways]) < LOAD_AS(CUT, &cuts[i]);
    return !less_all_sound(sm, !crossed);
}

/*
 * My list's part of the tile, by one lane per list: from the cuts, or, where those
 * contradict each other (`crossed`, or check_cuts says so), the tile's share of the
 * concatenated lists.
 */
DEVICE void less_bounds(struct less_shared *sm, const struct less_round *round,
                        const struct less_group *g, wide number, wide piece, int crossed)
{
    const wide_cell *const cuts =
        (const wide_cell *)round->cuts +
        (number * (round->pieces + 1) + piece) * (wide)round->ways;
    const wide rank = piece * round->tile;
    const wide end = rank + round->tile < g->total ? rank + round->tile : g->total;
    wide lo = less_share(round, rank, LANE);
    wide hi = less_share(round, end, LANE);
    int sum;

    if (!round->scans)
        crossed = LOAD_AS(CUT, (const wide_cell *)round->flags + number) == round->number;
    if (!crossed && LANE < round->ways) {
        lo = LOAD_AS(CUT, &cuts[LANE]);
        hi = LOAD_AS(CUT, &cuts[round->ways + LANE]);
    }
    sum = (int)(hi - lo);
    for (int step = 1; step < WARP; step *= 2) {
        const int other = SHUFFLE(sum, LANE - step < 0 ? LANE : LANE - step);

        sum += LANE >= step ? other : 0;
    }
    if (LANE < LESS_MOST_WAYS) {
        const int bound = sum - (int)(hi - lo);

        STORE(&sm->bound[LANE + 1], sum);
        STORE(&sm->origin[LANE], g->first + (wide)LANE * round->run + lo - (wide)bound);
    }
    if (LANE == 0)
        STORE(&sm->bound[0], 0);
}

/*
 * My part of merging each 2 * `width` neighbouring lists to one. A thread works for one
 * group of lists only: the tile is small enough for that.
 */
DEVICE struct less_part less_list_part(const struct less_shared *sm, int width, int ways)
{
    struct less_part part;
    int mine = THREAD; /* among the threads of the group */

    part.first = 0;
    part.middle = 0;
    part.last = 0;
    part.diagonal = 0;
    part.count = 0;
    NO_UNROLL
    for (int list = 0; list < ways; list += 2 * width) {
        const int first = LOAD(&sm->bound[list]);
        const int last = LOAD(&sm->bound[list + 2 * width]);
        const int threads = (last - first + LESS_ITEMS - 1) / LESS_ITEMS;

        if (mine >= 0 && mine < threads) {
            part.first = first;
            part.middle = LOAD(&sm->bound[list + width]);
            part.last = last;
            part.diagonal = mine * LESS_ITEMS;
            part.count = last - first - part.diagonal;
            part.count = part.count < LESS_ITEMS ? part.count : LESS_ITEMS;
        }
        mine -= threads;
    }
    return part;
}

enum { less_merge_blocks = LESS_MERGE_BLOCKS };

/* Each block merges one tile of round.tile items; the last of a group may be short. */
KERNEL(less_merge, struct less_merge_args)
{
    SHARED(struct less_shared, sm);
    const struct less_round *const round = &args.round;
    const wide number = (wide)BLOCK / round->pieces;
    const wide piece = (wide)BLOCK % round->pieces;
    const struct less_group g = less_group_of(round, number);
    const wide rank = piece * round->tile;
    struct less_source source;
    int crossed = 0;
    int level = 0;
    int sound = 1;

    if (rank >= g.total)
        return;
    source.in = round->in;
    source.order = &round->order;
    source.count = (int)(g.total - rank < round->tile ? g.total - rank : round->tile);
    if (round->scans)
        crossed = less_crossed(sm, round, number);
    if (THREAD < WARP)
        less_bounds(sm, round, &g, number, piece, crossed);
    BARRIER();
    less_load(sm, &source);
    BARRIER();
    NO_UNROLL
    for (int width = 1; width < round->ways; width *= 2) {
        const struct less_part part = less_list_part(sm, width, round->ways);

        sound &= less_merge_part(sm, source.order, &part, level);
        level++;
    }
    sound = less_all_sound(sm, sound);
    less_store(sm, &source, sm->cells[level % 2], sound,
               (char *)round->out + (g.first + rank) * (wide)STORED_BYTES(source.order));
}
