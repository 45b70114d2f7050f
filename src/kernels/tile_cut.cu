/*
 * tile_cut.cu - cuts for the tile engine: near every `piece` keys of a group's
 * output, found mostly without touching the keys.
 *
 * A cut is made by a pivot, a key in the total order (key, list, position):
 * what comes before it in each list is before the cut. So all cuts agree with
 * each other and with the stable order, wherever the pivots are; only the
 * tiles' lengths depend on how well they were chosen, and a cut that is up to
 * TILE_SLACK keys off does no harm.
 *
 * Pivots are looked for among samples, every 32nd key of the array, which the
 * pass before wrote side by side. Counting samples before the pivot tells its
 * rank but for 32 keys a list, half of that on average; when this estimate is
 * near enough, the exact places are found between two samples of each list. A
 * pivot that turns out too far off, which is rare, starts a search among keys.
 *
 * One warp finds one cut, one lane looking after one list. Two launches: first
 * every 32nd cut of a group, in samples only, then all, each between two of
 * those. Lists have fewer than 2^32 keys.
 */

/* One lane's list, of samples or of keys, and the window where pivots are looked for. */
struct cut_span {
    const key_cell *list;
    unsigned lo;
    unsigned hi;
};

/* A pivot: its key, its lane, its place there; how many come before it here. */
struct cut_pivot {
    key value;
    int owner;
    unsigned place;
    unsigned before;
};

/* How many of my list, within my window, come before the pivot. */
DEVICE unsigned count_before(const struct cut_span *w, const struct cut_pivot *p)
{
    unsigned lo = w->lo;
    unsigned hi = w->hi;

    if (LANE == p->owner)
        return p->place;
    while (lo < hi) {
        const unsigned mid = lo + (hi - lo) / 2;
        const key k = LOAD(&w->list[mid]);
        const int before = LANE < p->owner ? !less(p->value, k) : less(k, p->value);

        if (before)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/*
 * Take a pivot from the longest window: `fraction` of it in, where the cut is
 * on like lists, or every third time in the middle, whatever the lists are like.
 */
DEVICE struct cut_pivot take_pivot(const struct cut_span *w, float fraction, int round)
{
    const unsigned length = w->hi - w->lo;
    unsigned step = round % 3 == 2 ? length / 2 : (unsigned)(fraction * (float)length);
    struct cut_pivot p;

    if (step >= length)
        step = length - 1;
    p.owner = LOWEST_BIT(BALLOT(length == GREATEST(length)));
    p.place = SHUFFLE(w->lo + step, p.owner);
    p.value = 0;
    if (LANE == p.owner)
        p.value = LOAD(&w->list[p.place]);
    p.value = (key)SHUFFLE(p.value, p.owner);
    p.before = count_before(w, &p);
    return p;
}

/* Go on behind the pivot, or before it. */
DEVICE void narrow(struct cut_span *w, const struct cut_pivot *p, int behind)
{
    if (behind)
        w->lo = p->before + (LANE == p->owner);
    else
        w->hi = p->before;
}

/* Keys to be expected before a place `samples` samples into the list, in units of 16. */
DEVICE unsigned expected(unsigned samples, unsigned length)
{
    const unsigned middle = 2 * samples - (samples > 0);

    return middle < length / 16 ? middle : length / 16;
}

/*
 * Among the samples in the windows, a pivot whose expected rank is near
 * `target` (in units of 16 keys), or the nearest if there is none.
 */
DEVICE struct cut_pivot search_samples(struct cut_span w, unsigned length, unsigned target)
{
    const unsigned tolerance = TILE_SLACK(TILE) * 3 / 8 / 16;
    struct cut_pivot best;
    unsigned best_error = ~0u;
    unsigned open = SUM(w.hi - w.lo);

    best.value = 0;
    best.owner = 0;
    best.place = 0;
    best.before = 0;
    for (int round = 0; open > 0 && best_error > tolerance; round++) {
        const unsigned begun = SUM(expected(w.lo, length));
        const unsigned need = target > begun ? target - begun : 0;
        const struct cut_pivot p =
            take_pivot(&w, (float)need / (2.0f * (float)open), round);
        const unsigned mine = LANE == p.owner ? 2 * p.place : expected(p.before, length);
        const unsigned rank = SUM(mine);
        const unsigned error = rank > target ? rank - target : target - rank;

        if (error < best_error) {
            best_error = error;
            best = p;
        }
        narrow(&w, &p, rank < target);
        open = SUM(w.hi - w.lo);
    }
    return best;
}

/*
 * My list's part of the cut that the sample `p` makes, if its rank is near
 * enough to `target`, or else of a better one; and that cut's rank.
 */
DEVICE unsigned search_keys(const key_cell *keys, unsigned length, struct cut_pivot p,
                            wide target, wide *rank)
{
    const wide slack = TILE_SLACK(TILE);
    const unsigned above = p.before * TILE_SAMPLE;
    struct cut_span w;

    /* Sample `before` - 1 comes before the pivot, sample `before` does not. */
    w.list = keys;
    w.lo = p.before ? above - TILE_SAMPLE + 1 : 0;
    w.hi = above < length ? above : length;
    p.place *= TILE_SAMPLE;
    p.before = count_before(&w, &p);
    *rank = sum_of_lanes(p.before);

    w.lo = 0;
    w.hi = length;
    for (int round = 0; *rank > target + slack || *rank + slack < target; round++) {
        narrow(&w, &p, *rank < target);

        const wide begun = sum_of_lanes(w.lo);
        const wide open = sum_of_lanes(w.hi - w.lo);

        if (open == 0) {
            *rank = begun;
            return w.lo;
        }
        p = take_pivot(&w, (float)(target - begun) / (float)open, round);
        *rank = sum_of_lanes(p.before);
    }
    return p.before;
}

/* Which cut a warp is to find, and what is known of it. */
struct cut_task {
    wide group;
    unsigned piece;
    wide group_first;
    wide list_first;
    unsigned length;  /* keys of my list */
    unsigned samples; /* samples of it */
    wide whole;       /* keys of the group */
    wide target;      /* keys that should lie before the cut */
};

DEVICE struct cut_task task_of_warp(const struct tile_round *round, int coarse_only)
{
    const unsigned number = (unsigned)BLOCK * (THREADS / WARP) + THREAD / WARP;
    const unsigned per_group = coarse_only ? round->coarse : round->pieces + 1;
    const unsigned within = number % per_group;
    struct cut_task t;
    wide wanted;

    t.group = number / per_group;
    t.piece = coarse_only ? (within + 1) * TILE_COARSE : within;
    t.group_first = t.group * round->ways * round->run;
    t.list_first = t.group_first + LANE * round->run;
    t.length = 0;
    if (LANE < round->ways && t.list_first < round->count) {
        const wide left = round->count - t.list_first;

        t.length = (unsigned)(left < round->run ? left : round->run);
    }
    t.samples = (t.length + TILE_SAMPLE - 1) / TILE_SAMPLE;
    t.whole = sum_of_lanes(t.length);
    wanted = t.piece * round->piece;
    t.target = wanted < t.whole ? wanted : t.whole;
    return t;
}

/* My list's coarse cuts of this group; cut i of them is before piece 32 (i + 1). */
DEVICE unsigned_cell *coarse_cuts(const struct tile_round *round, const struct cut_task *t)
{
    return (unsigned_cell *)round->coarse_cuts + t->group * round->coarse * round->ways +
           LANE;
}

/*
 * Where in the samples to look: between the coarse cuts on both sides. They
 * must be other cuts than this one, and real ones: widened by even one sample,
 * a window could hold pivots whose place in another list is outside its window.
 */
DEVICE struct cut_span window_between(const struct tile_round *round,
                                      const struct cut_task *t, int coarse_only)
{
    const unsigned above = t->piece / TILE_COARSE;
    const unsigned below = t->piece % TILE_COARSE ? above : above - 1;
    const unsigned_cell *const coarse = coarse_cuts(round, t);
    struct cut_span w;

    w.list = 0;
    w.lo = 0;
    w.hi = t->samples;
    if (coarse_only || LANE >= round->ways)
        return w;
    if (below > 0 && below <= round->coarse)
        w.lo = LOAD(&coarse[(below - 1) * round->ways]);
    if (above < round->coarse)
        w.hi = LOAD(&coarse[above * round->ways]);
    return w;
}

enum { tile_cut_blocks = 12 };

/* Each warp finds one cut. */
KERNEL(tile_cut, struct tile_cut_args)
{
    const struct tile_round *const round = &args.round;
    const struct cut_task t = task_of_warp(round, args.coarse_only);
    struct cut_span w;
    wide rank = t.target;
    unsigned coarse = t.target ? t.samples : 0;
    unsigned cut = t.target ? t.length : 0;

    if (t.group >= round->groups)
        return;
    if (t.target > 0 && t.target < t.whole) {
        w = window_between(round, &t, args.coarse_only);
        w.list = (const key_cell *)round->samples + t.list_first / TILE_SAMPLE;

        const struct cut_pivot p = search_samples(w, t.length, (unsigned)(t.target / 16));

        coarse = p.before;
        if (!args.coarse_only)
            cut = search_keys((const key_cell *)round->in + t.list_first, t.length, p,
                              t.target, &rank);
    }
    if (args.coarse_only) {
        if (LANE < round->ways)
            STORE(&coarse_cuts(round, &t)[(t.piece / TILE_COARSE - 1) * round->ways],
                  coarse);
        return;
    }

    const wide row = t.group * (round->pieces + 1) + t.piece;

    if (LANE < round->ways)
        STORE((wide_cell *)round->cuts + row * round->ways + LANE, cut);
    if (LANE == 0)
        STORE((wide_cell *)round->starts + row, t.group_first + rank);
}
