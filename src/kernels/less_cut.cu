/*
 * less_cut.cu - where each tile of a merged group begins in each of its lists: one warp
 * per cut, one lane per list.
 *
 * A cut has exactly as many items before it as its tile's rank says, whatever the
 * comparison answers: every step keeps the sum of the lower bounds at most the rank and
 * the sum of the upper bounds at least. Cuts of neighbouring tiles may contradict each
 * other if the comparison is no order; check_cuts finds that out.
 */

/* All that finding one cut needs to know. */
struct less_search {
    const struct less_order *order;
    const void *in;
    wide first; /* position of my list */
    wide lo;    /* my list's part of the cut is in [lo, hi] */
    wide hi;
    int ended; /* the last search ended at an end of its window */
};

DEVICE wide sum_wide(wide v)
{
    for (int step = WARP / 2; step > 0; step /= 2)
        v += SHUFFLE_XOR(v, step);
    return v;
}

/* 2 to the power of half the logarithm of n, about its root. */
DEVICE wide rough_root(wide n)
{
    const unsigned high = (unsigned)(n >> 32);
    const unsigned low = (unsigned)n;
    const int bit = high ? 32 + HIGHEST_BIT(high) : low ? HIGHEST_BIT(low) : 0;

    return (wide)1 << bit / 2;
}

/* About the same share of [lo, hi) as `part` is of `whole`, and less than hi. */
DEVICE wide proportional(wide lo, wide hi, wide part, wide whole)
{
    const float share = QUOTIENT((float)part, (float)whole);
    const wide step = (wide)(share * (float)(hi - lo));

    return step < hi - lo ? lo + step : hi - 1;
}

/*
 * How many items of my list precede the pivot, as far as [lo, hi] tells. The search
 * begins at `guess` and gallops from there: on similar lists the error of the guess is
 * about the root of its distance to the window's nearer end. If the last search ended at
 * an end of its window, as on lists that do not overlap, the end comes before the gallop.
 * `pivot_later` says that the pivot's list comes after mine: then equal items of mine
 * precede it.
 */
DEVICE wide less_rank(struct less_search *search, item pivot, int pivot_later, wide guess)
{
    wide lo = search->lo;
    wide hi = search->hi;
    wide probe = guess;
    wide step = rough_root(guess - lo < hi - guess ? guess - lo : hi - guess);
    int try_end = search->ended;
    int at_end = 0;
    int gallops = 1;
    int direction = -1; /* of the gallop, once it is known: 1 is up */

    NO_UNROLL
    while (lo < hi) {
        const item mine = item_at(search->order, search->in, search->first + probe);
        const item a = pivot_later ? pivot : mine;
        const item b = pivot_later ? mine : pivot;
        const int precedes = comes_before(search->order, a, b) != pivot_later;

        if (precedes)
            lo = probe + 1;
        else
            hi = probe;
        if (!at_end) {
            gallops = gallops && (direction < 0 || direction == precedes);
            direction = precedes;
        }
        at_end = try_end;
        try_end = 0;
        gallops = gallops && (at_end || step < hi - lo);
        if (at_end) {
            probe = direction ? hi - 1 : lo;
        } else if (gallops) {
            probe = direction ? lo + step : hi - 1 - step;
            step *= 2;
        } else {
            probe = lo + (hi - lo) / 2;
        }
    }
    search->ended = lo == search->lo || lo == search->hi;
    return lo;
}

/* My list's part of the cut that has `rank` items before it. */
DEVICE wide less_find(struct less_search *search, wide rank)
{
    wide below = 0;                    /* the sum of all lo, at most `rank` */
    wide above = sum_wide(search->hi); /* the sum of all hi, at least `rank` */

    NO_UNROLL
    for (int round = 0; below < rank && rank < above; round++) {
        const wide size = search->hi - search->lo;
        const unsigned clipped = size < 0xffffffffu ? (unsigned)size : 0xffffffffu;
        const int chosen = LOWEST_BIT(BALLOT(clipped == GREATEST(clipped)));
        wide middle = search->lo + size / 2;
        wide before = search->lo;
        wide at = middle;
        wide total;

        /* After a few rounds every other one halves the longest window, so that no
           input takes many. */
        if (size > 0)
            middle = proportional(search->lo, search->hi, rank - below, above - below);
        if (round < 4 || round % 2)
            at = middle;

        const wide place = SHUFFLE(at, chosen);
        const wide first = SHUFFLE(search->first, chosen);
        const item pivot = item_at(search->order, search->in, first + place);

        if (LANE == chosen)
            before = place;
        else if (size > 0)
            before = less_rank(search, pivot, LANE < chosen, middle);
        total = sum_wide(before);
        if (total < rank) {
            search->lo = before + (LANE == chosen);
            below = total + 1;
        } else {
            search->hi = before;
            above = total;
        }
    }
    return below == rank ? search->lo : search->hi;
}

enum { less_cut_blocks = 8 };

/* Each warp writes one cut to round.cuts. */
KERNEL(less_cut, struct less_cut_args)
{
    const struct less_round *const round = &args.round;
    const wide row = ((wide)BLOCK * THREADS + THREAD) / WARP;
    const wide number = row / (round->pieces + 1);
    const wide piece = row % (round->pieces + 1);

    if (number >= round->groups)
        return;

    const struct less_group g = less_group_of(round, number);
    const wide rank = piece * round->tile < g.total ? piece * round->tile : g.total;
    struct less_search search;

    search.order = &round->order;
    search.in = round->in;
    search.first = g.first + (LANE < round->ways ? (wide)LANE * round->run : 0);
    search.lo = 0;
    search.ended = 0;
    search.hi = less_share(round, g.total, LANE);

    const wide cut = less_find(&search, rank);

    if (LANE < round->ways)
        STORE_AS(CUT, (wide_cell *)round->cuts + row * (wide)round->ways + LANE, cut);
}
