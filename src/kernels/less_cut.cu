/*
 * less_cut.cu - where each tile of a merged group begins in each of its lists: one warp
 * per cut, two lanes or more per list.
 *
 * A cut has exactly as many items before it as its tile's rank says, whatever the
 * comparison answers: every step keeps the sum of the lower bounds at most the rank and
 * the sum of the upper bounds at least. Cuts of neighbouring tiles may contradict each
 * other if the comparison is no order; check_cuts finds that out.
 */

/* All that finding one cut needs to know. Lanes of one list differ in `sub` only. */
struct less_search {
    const struct less_order *order;
    const void *in;
    int list;
    int sub;          /* my number among the lanes of my list, ... */
    int subs;         /* ... which are this many: 2, 4, 8 or 16, ... */
    int shift;        /* ... each 1 << shift lanes after the one before, ... */
    unsigned lanes;   /* ... and all of them as a mask */
    unsigned inverse; /* of subs + 1, in units of 2^-16, rounded up */
    wide first;       /* position of my list */
    wide lo;          /* my list's part of the cut is in [lo, hi] */
    wide hi;
};

AGREE(LESS_MOST_WAYS <= WARP / 2);

DEVICE struct less_search less_search_of(const struct less_round *round,
                                         const struct less_group *g)
{
    struct less_search search;

    search.order = &round->order;
    search.in = round->in;
    search.shift = round->ways > 1 ? HIGHEST_BIT((unsigned)round->ways - 1) + 1 : 1;
    search.list = LANE & ((1 << search.shift) - 1);
    search.sub = LANE >> search.shift;
    search.subs = WARP >> search.shift;
    search.lanes = 0xffffffffu / ((1u << (1 << search.shift)) - 1) << search.list;
    search.inverse = 65536 / (unsigned)(search.subs + 1) + 1;
    search.first = g->first;
    search.first += search.list < round->ways ? (wide)search.list * round->run : 0;
    search.lo = 0;
    search.hi = less_share(round, g->total, search.list);
    return search;
}

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

/* A search: around the guess, then from there on one side, then by equal sections. */
enum { AROUND, GALLOP, GALLOP_ON, SECTIONS };

struct less_window {
    wide lo;
    wide hi;
    wide guess;
    wide step;
    int phase;
    int up; /* the direction of a gallop */
};

/* Where lane `sub` of a list probes its window; later lanes not before earlier ones. */
DEVICE wide less_probe(const struct less_search *search, const struct less_window *w,
                       int sub)
{
    const wide last = w->hi - 1 - w->lo; /* from lo */
    wide at = last;

    if (w->phase == AROUND) {
        const int steps = 2 * sub - (search->subs - 1);
        const wide most = steps < 0 ? w->guess - w->lo : w->hi - 1 - w->guess;
        const wide wanted = (wide)(steps < 0 ? -steps : steps) * w->step;
        const wide distance = wanted < most ? wanted : most;

        return steps < 0 ? w->guess - distance : w->guess + distance;
    }
    if (w->phase == SECTIONS)
        return w->lo + ((last + 1) * (unsigned)(sub + 1) * search->inverse >> 16);

    /* The outermost lane of a gallop tries the end, for lists that do not overlap. */
    const int number = w->up ? sub : search->subs - 1 - sub;

    if (number < search->subs - 1 && w->step << 2 * number < last)
        at = w->step << 2 * number;
    return w->up ? w->lo + at : w->hi - 1 - at;
}

/* Narrow a window: lane `stop` of the list is the first whose item does not precede. */
DEVICE void less_narrow(const struct less_search *search, struct less_window *w, int stop)
{
    const int subs = search->subs;
    const wide lo = stop > 0 ? less_probe(search, w, stop - 1) + 1 : w->lo;
    const wide hi = stop < subs ? less_probe(search, w, stop) : w->hi;

    w->lo = lo;
    w->hi = hi > lo ? hi : lo; /* lanes may contradict each other */
    if (w->phase == AROUND && (stop == 0 || stop == subs)) {
        w->phase = GALLOP;
        w->up = stop == subs;
    } else if (w->phase == GALLOP && stop == (w->up ? subs - 1 : 1)) {
        w->phase = GALLOP_ON;
        w->step <<= 3;
    } else {
        w->phase = SECTIONS;
    }
}

/*
 * How many items of my list precede the pivot, as far as [lo, hi] tells; `lo` if the list
 * takes no part. On similar lists the error of the guess is about the root of its
 * distance to the window's nearer end. `pivot_later` says that the pivot's list comes
 * after mine: then equal items of mine precede it.
 */
DEVICE wide less_rank(const struct less_search *search, item pivot, int pivot_later,
                      int takes_part, wide guess)
{
    struct less_window w;

    w.lo = search->lo;
    w.hi = takes_part ? search->hi : search->lo;
    w.guess = guess;
    w.step = 2 * rough_root(guess - w.lo < w.hi - guess ? guess - w.lo : w.hi - guess);
    w.phase = AROUND;
    w.up = 0;
    NO_UNROLL
    while (BALLOT(w.lo < w.hi)) {
        int precedes = 0;

        if (w.lo < w.hi) {
            const wide at = search->first + less_probe(search, &w, search->sub);
            const item mine = item_at(search->order, search->in, at);
            const item a = pivot_later ? pivot : mine;
            const item b = pivot_later ? mine : pivot;

            precedes = comes_before(search->order, a, b) != pivot_later;
        }

        const unsigned stops = BALLOT(!precedes) & search->lanes;

        if (w.lo < w.hi)
            less_narrow(search, &w,
                        stops ? LOWEST_BIT(stops) >> search->shift : search->subs);
    }
    return w.lo;
}

/* My list's part of the cut that has `rank` items before it. */
DEVICE wide less_find(struct less_search *search, wide rank)
{
    const int counts = search->sub == 0;
    wide below = 0;                                 /* the sum of all lo, at most `rank` */
    wide above = sum_wide(counts ? search->hi : 0); /* of all hi, at least `rank` */

    NO_UNROLL
    for (int round = 0; below < rank && rank < above; round++) {
        const wide size = search->hi - search->lo;
        const unsigned clipped = size < 0xffffffffu ? (unsigned)size : 0xffffffffu;
        const int chosen = LOWEST_BIT(BALLOT(clipped == GREATEST(clipped)));
        const int is_chosen = search->list == chosen;
        wide guess = search->lo;
        wide middle;
        wide before;
        wide total;

        /* After a few rounds every other one halves the longest window, so that no
           input takes many. */
        if (size > 0)
            guess = proportional(search->lo, search->hi, rank - below, above - below);
        middle = round < 4 || round % 2 ? guess : search->lo + size / 2;

        const wide place = SHUFFLE(middle, chosen);
        const wide first = SHUFFLE(search->first, chosen);
        const item pivot = item_at(search->order, search->in, first + place);

        before = less_rank(search, pivot, search->list < chosen, !is_chosen, guess);
        before = is_chosen ? place : before;
        total = sum_wide(counts ? before : 0);
        if (total < rank) {
            search->lo = before + (wide)is_chosen;
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
    struct less_search search = less_search_of(round, &g);
    const wide cut = less_find(&search, rank);

    if (LANE < round->ways)
        STORE_AS(CUT, (wide_cell *)round->cuts + row * (wide)round->ways + LANE, cut);
}
