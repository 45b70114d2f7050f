/*
 * less_cut_block.cu - the same cuts by one block each, for few tiles: then the time of
 * dependent reads counts, not how much is read.
 *
 * Every 2^shift-th item of each list's window goes to shared memory. Two warps cut these
 * samples there, one by a rank low enough and one by a rank high enough, and the windows
 * shrink to at most 2 * ways * 2^shift items in all. When all items fit, they are their
 * own samples, and what is left is the cut.
 *
 * As in less_cut.cu the sum of the lower bounds stays at most the rank, and that of the
 * upper bounds at least, whatever the comparison answers. If the two cuts contradict each
 * other, the tile's cut takes what is missing from one window after the other.
 */

struct less_samples {
    item_cell cells[LESS_SAMPLES];
    wide_cell origin[LESS_MOST_WAYS];   /* where the window of each list begins */
    int_cell bound[LESS_MOST_WAYS + 1]; /* its samples are cells bound to next bound - 1 */
    int_cell cut[2][LESS_MOST_WAYS];
};

AGREE(sizeof(struct less_samples) <= LESS_SAMPLES_SHARED);

/* My list among samples, as a warp searches it. Lanes of a list differ in `sub` only. */
struct less_pick {
    const struct less_order *order;
    const item_cell *cells;
    int list;
    int sub; /* as in struct less_search */
    int subs;
    int shift;
    unsigned lanes;
    unsigned inverse;
    int lo; /* cells; my list's part of the cut is in [lo, hi] */
    int hi;
};

DEVICE struct less_pick less_pick_of(const struct less_round *round,
                                     const struct less_samples *sm)
{
    struct less_pick pick;

    pick.order = &round->order;
    pick.cells = sm->cells;
    pick.shift = round->ways > 1 ? HIGHEST_BIT((unsigned)round->ways - 1) + 1 : 1;
    pick.list = LANE & ((1 << pick.shift) - 1);
    pick.sub = LANE >> pick.shift;
    pick.subs = WARP >> pick.shift;
    pick.lanes = 0xffffffffu / ((1u << (1 << pick.shift)) - 1) << pick.list;
    pick.inverse = 65536 / (unsigned)(pick.subs + 1) + 1;
    pick.lo = LOAD(&sm->bound[pick.list]);
    pick.hi = LOAD(&sm->bound[pick.list + 1]);
    return pick;
}

/* The first cell of [lo, hi] of my list that does not precede the pivot, as in less_rank.
 */
DEVICE int less_pick_rank(const struct less_pick *pick, const item_cell *pivot,
                          int pivot_later, int takes_part)
{
    int lo = pick->lo;
    int hi = takes_part ? pick->hi : pick->lo;

    NO_UNROLL
    while (BALLOT(lo < hi)) {
        const unsigned step = (unsigned)(hi - lo) * pick->inverse;
        const int probe = lo + (int)(step * (unsigned)(pick->sub + 1) >> 16);
        int precedes = 0;

        if (lo < hi) {
            const item_cell *const mine = &pick->cells[probe];

            precedes = comes_before_at(pick->order, pivot_later ? pivot : mine,
                                       pivot_later ? mine : pivot) != pivot_later;
        }

        const unsigned stops = BALLOT(!precedes) & pick->lanes;

        if (lo < hi) {
            const int stop = stops ? LOWEST_BIT(stops) >> pick->shift : pick->subs;
            const int first = lo;

            lo = stop > 0 ? first + (int)(step * (unsigned)stop >> 16) + 1 : first;
            hi = stop < pick->subs ? first + (int)(step * (unsigned)(stop + 1) >> 16) : hi;
        }
    }
    return lo;
}

/* My list's part of the cut that has `rank` samples before it: a number of cells. */
DEVICE int less_pick_find(struct less_pick *pick, int rank)
{
    const int counts = pick->sub == 0;
    const int first = pick->lo;
    int below = 0;
    int above = (int)SUM((unsigned)(counts ? pick->hi - first : 0));

    NO_UNROLL
    for (int round = 0; below < rank && rank < above; round++) {
        const int size = pick->hi - pick->lo;
        const int chosen = LOWEST_BIT(BALLOT((unsigned)size == GREATEST((unsigned)size)));
        const int is_chosen = pick->list == chosen;
        const float share = QUOTIENT((float)(rank - below), (float)(above - below));
        const int guess = (int)(share * (float)size);
        const int middle = round < 4 || round % 2 ? guess : size / 2;
        const int place = SHUFFLE(pick->lo + (middle < size ? middle : size - 1), chosen);
        int before =
            less_pick_rank(pick, &pick->cells[place], pick->list < chosen, !is_chosen);
        int total;

        before = is_chosen ? place : before;
        total = (int)SUM((unsigned)(counts ? before - first : 0));
        if (total < rank) {
            pick->lo = before + is_chosen;
            below = total + 1;
        } else {
            pick->hi = before;
            above = total;
        }
    }
    return (below == rank ? pick->lo : pick->hi) - first;
}

/* The sum over the first LESS_MOST_WAYS lanes, and the same over the second. */
DEVICE wide less_sum_lists(wide v)
{
    for (int step = LESS_MOST_WAYS / 2; step > 0; step /= 2)
        v += SHUFFLE_XOR(v, step);
    return v;
}

/* Where sample `i` is in the array; `list` is the list of an earlier sample. */
DEVICE wide less_sample_at(const struct less_samples *sm, int *list, int i, int shift)
{
    while (i >= LOAD(&sm->bound[*list + 1]))
        ++*list;
    return LOAD(&sm->origin[*list]) +
           ((wide)(unsigned)(i - LOAD(&sm->bound[*list]) + 1) << shift) - 1;
}

/* Load the samples: of each window the last of each 1 << shift items. */
DEVICE void less_take_samples(struct less_samples *sm, const struct less_round *round,
                              int shift)
{
    enum { EACH = LESS_SAMPLES / less_cut_block_threads };
    const int bytes = STORED_BYTES(&round->order);
    const int word = natural_word(bytes);
    const int count = LOAD(&sm->bound[LESS_MOST_WAYS]);
    int list = 0;

    if (is_aligned(round->in, word) && word >= 4) {
        item r[EACH];

        UNROLL
        for (int j = 0; j < EACH; j++) {
            const int i = j * less_cut_block_threads + THREAD;

            if (i < count) {
                const wide at = less_sample_at(sm, &list, i, shift);

                r[j] = fetch((const char *)round->in + at * (wide)bytes, bytes, word);
            }
        }
        UNROLL
        for (int j = 0; j < EACH; j++) {
            const int i = j * less_cut_block_threads + THREAD;

            if (i < count)
                STORE(&sm->cells[i], r[j]);
        }
        return;
    }
    NO_UNROLL
    for (int i = THREAD; i < count; i += less_cut_block_threads) {
        const wide at = less_sample_at(sm, &list, i, shift);

        STORE(&sm->cells[i], item_at(&round->order, round->in, at));
    }
}

/* The windows as samples: bounds and origins. Returns my list's number of samples. */
DEVICE void less_lay_samples(struct less_samples *sm, wide origin, wide size, int shift)
{
    const int mine = LANE < LESS_MOST_WAYS ? (int)(size >> shift) : 0;
    int sum = mine;

    for (int step = 1; step < LESS_MOST_WAYS; step *= 2) {
        const int other = SHUFFLE(sum, LANE - step < 0 ? LANE : LANE - step);

        sum += LANE >= step ? other : 0;
    }
    if (LANE < LESS_MOST_WAYS) {
        STORE(&sm->bound[LANE + 1], sum);
        STORE(&sm->origin[LANE], origin);
    }
    if (LANE == 0)
        STORE(&sm->bound[0], 0);
}

/* The windows of all lists, one lane for each list in both halves of a warp. */
struct less_windows {
    wide lo;
    wide hi;
    wide rest; /* items of the windows before the cut */
    wide size; /* of all windows */
};

/* Items that my list gives to the first `rest` of all windows, taken one after the other.
 */
DEVICE wide less_in_turn(const struct less_windows *w)
{
    const wide size = w->hi - w->lo;
    wide before = size;

    for (int step = 1; step < LESS_MOST_WAYS; step *= 2) {
        const int list = LANE % LESS_MOST_WAYS;
        const wide other = SHUFFLE(before, list - step < 0 ? LANE : LANE - step);

        before += list >= step ? other : 0;
    }
    before -= size;
    return w->rest < before ? 0 : w->rest - before < size ? w->rest - before : size;
}

/*
 * Two warps cut the samples. At most (ways - 1) * ((1 << shift) - 1) items precede the
 * first `q` samples besides those that these stand for. So with the lower rank no sample
 * before the cut lies after the tile's cut; with the higher one no sample after the cut
 * lies before it. Single items need only one rank.
 */
DEVICE void less_cut_samples(struct less_samples *sm, const struct less_round *round,
                             wide rest, int shift)
{
    const int high = THREAD >= WARP;
    const wide slack = high ? 0 : (wide)(round->ways - 1) * (((wide)1 << shift) - 1);
    const wide rank = (rest > slack ? rest - slack : 0) >> shift;
    const int all = LOAD(&sm->bound[LESS_MOST_WAYS]);
    struct less_pick pick;
    int cut;

    if (THREAD >= 2 * WARP || (high && shift == 0))
        return;
    pick = less_pick_of(round, sm);
    cut = less_pick_find(&pick, rank < (wide)(unsigned)all ? (int)rank : all);
    if (pick.sub == 0)
        STORE(&sm->cut[high][pick.list], cut);
}

/* Shrink the windows to what the cuts of the samples tell. Returns 0 if these cross. */
DEVICE int less_shrink(const struct less_samples *sm, const struct less_round *round,
                       struct less_windows *w, int shift)
{
    const int list = LANE % LESS_MOST_WAYS;
    wide lo = w->lo;

    if (list < round->ways) {
        const int samples = (int)((w->hi - w->lo) >> shift);
        const int high = LOAD(&sm->cut[shift > 0][list]);

        lo += (wide)(unsigned)LOAD(&sm->cut[0][list]) << shift;
        if (high < samples)
            w->hi = w->lo + ((wide)(unsigned)(high + 1) << shift) - 1;
    }
    if (BALLOT(lo > w->hi))
        return 0;
    w->lo = lo;
    return 1;
}

/* My list's part of the cut, in all warps. */
DEVICE wide less_find_by_samples(struct less_samples *sm, const struct less_round *round,
                                 const struct less_group *g, wide rank)
{
    const int list = LANE % LESS_MOST_WAYS;
    const wide first = g->first + (wide)list * round->run;
    const wide most = less_share(round, g->total, list);
    struct less_windows w;
    int sound = 1;

    w.lo = 0;
    w.hi = rank < most ? rank : most;
    for (;;) {
        int shift = 0;

        w.rest = rank - less_sum_lists(w.lo);
        w.size = less_sum_lists(w.hi - w.lo);
        if (!sound || w.rest == 0 || w.rest == w.size)
            return w.lo + less_in_turn(&w);
        while (w.size >> shift > LESS_SAMPLES)
            shift++;
        BARRIER(); /* all have read the cuts before */
        if (THREAD < WARP)
            less_lay_samples(sm, first + w.lo, w.hi - w.lo, shift);
        BARRIER();
        less_take_samples(sm, round, shift);
        BARRIER();
        less_cut_samples(sm, round, w.rest, shift);
        BARRIER();
        sound = less_shrink(sm, round, &w, shift);
    }
}

enum { less_cut_block_blocks = 6 };

/* Each block writes one cut to round.cuts. */
KERNEL(less_cut_block, struct less_cut_args)
{
    SHARED(struct less_samples, sm);
    const struct less_round *const round = &args.round;
    const wide row = (wide)BLOCK;
    const wide number = row / (round->pieces + 1);
    const wide piece = row % (round->pieces + 1);
    const struct less_group g = less_group_of(round, number);
    const wide rank = piece * round->tile < g.total ? piece * round->tile : g.total;
    const wide cut = less_find_by_samples(sm, round, &g, rank);

    if (THREAD < round->ways)
        STORE_AS(CUT, (wide_cell *)round->cuts + row * (wide)round->ways + THREAD, cut);
}
