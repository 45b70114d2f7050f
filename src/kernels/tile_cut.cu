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
 * One warp finds one cut (tile_pivot.cuh). A group has fewer than 2^32 keys.
 */

/*
 * Keys to be expected before a pivot that `before` of my `samples` come before,
 * in units of 16. The last sample is followed by the rest of the list, unless
 * the pivot is among these: as likely, on like lists, as anywhere else.
 */
DEVICE unsigned expected(unsigned before, unsigned samples, unsigned length, int apart)
{
    if (before == samples && apart)
        return length / 16;
    return before > 0 ? 2 * before - 1 : 0;
}

/* Among the samples, a pivot of expected rank near `target`, or the nearest there is. */
DEVICE struct cut_pivot search_samples(const struct tile_round *round, unsigned list_first,
                                       unsigned length, unsigned target)
{
    const unsigned tolerance = TILE_SLACK(TILE) / 32 + 1; /* like ranks, in units of 16 */
    struct cut_span w;
    struct cut_aim aim;
    struct cut_pivot best;
    unsigned best_error = ~0u;
    unsigned last_error = ~0u;
    int sides = 0; /* of the cut where there was a pivot: 1 before it, 2 behind it */

    w.keys = (const key_cell *)round->samples;
    w.first = list_first / TILE_SAMPLE;
    w.whole = (length + TILE_SAMPLE - 1) / TILE_SAMPLE;
    w.lo = 0;
    w.hi = w.whole;
    target /= 16;
    best.value = 0;
    best.owner = 0;
    best.place = 0;
    best.before = 0;
    best.inside = 0;
    aim.order = ALIKE;
    aim.margin = 1;
    aim.open = SUM(w.hi - w.lo);
    for (aim.round = 0; aim.open > 0 && best_error > tolerance; aim.round++) {
        const unsigned begun = 2 * SUM(w.lo);

        aim.need = target > begun ? target - begun : 0;
        if (aim.round >= 2 && sides != 3) /* from one side only, and slowly: go beyond it */
            aim.need = sides == 1              ? aim.need + last_error
                       : aim.need > last_error ? aim.need - last_error
                                               : 0;

        const int bracketed = sides == 3 && BITS(BALLOT(w.lo < w.hi)) > 1;
        const struct cut_pivot p = bracketed ? spread_pivot(&w, &aim, round->ways)
                                             : take_pivot(&w, &aim, round->ways);
        const int apart = BITS(BALLOT(p.inside)) <= 2;
        const unsigned mine =
            LANE == p.owner ? 2 * p.place : expected(p.before, w.whole, length, apart);
        const unsigned rank = SUM(mine);
        const unsigned error = rank > target ? rank - target : target - rank;

        if (error < best_error) {
            best_error = error;
            best = p;
        }
        narrow(&w, &p, rank < target);
        aim.open = SUM(w.hi - w.lo);
        aim.order = see_order(&w, &p, aim.order, error < last_error / 4);
        last_error = error;
        sides |= rank < target ? 1 : 2;
    }
    return best;
}

/*
 * How many of my keys come before the pivot, given how many of my samples do:
 * the last of these comes before it, the next sample does not.
 */
DEVICE unsigned count_between(const struct cut_span *w, const struct cut_pivot *p)
{
    unsigned at = (p->before - 1) * TILE_SAMPLE;

    if (p->before == 0)
        return 0;
    UNROLL
    for (int step = TILE_SAMPLE / 2; step > 0; step /= 2) {
        const unsigned next = at + step;

        if (next < w->whole) {
            const key k = key_at(w, next);

            if (less(k, p->value) || (LANE < p->owner && !less(p->value, k)))
                at = next;
        }
    }
    return at + 1;
}

/*
 * My list's part of the cut that the sample `pivot` makes, if its rank is near
 * enough to `target`, or else of a better one, which takes its place; none, if
 * the cut was found by narrowing down alone.
 */
DEVICE unsigned search_keys(const struct tile_round *round, unsigned list_first,
                            unsigned length, struct cut_pivot *pivot, unsigned target)
{
    struct cut_pivot p = *pivot;
    const unsigned slack = TILE_SLACK(TILE);
    struct cut_span w;
    struct cut_aim aim;
    unsigned rank;

    w.keys = (const key_cell *)round->in;
    w.first = list_first;
    w.whole = length;
    p.place *= TILE_SAMPLE;
    p.before = LANE == p.owner ? p.place : count_between(&w, &p);
    rank = SUM(p.before);

    w.lo = 0;
    w.hi = length;
    aim.order = ALIKE;
    aim.margin = 0;
    for (aim.round = 0; rank > target + slack || rank + slack < target; aim.round++) {
        narrow(&w, &p, rank < target);
        if (aim.round > 0)
            aim.order = see_order(&w, &p, aim.order, 0);
        aim.need = 2 * (target - SUM(w.lo));
        aim.open = SUM(w.hi - w.lo);
        if (aim.open == 0) {
            pivot->owner = -1;
            return w.lo;
        }
        p = take_pivot(&w, &aim, round->ways);
        rank = SUM(p.before);
    }
    *pivot = p;
    return p.before;
}

/* Which cut a warp is to find, and what is known of it. */
struct cut_task {
    wide group;
    unsigned piece;
    wide group_first;
    wide list_first;
    unsigned length; /* keys of my list */
    wide whole;      /* keys of the group */
    wide target;     /* keys that should lie before the cut */
};

DEVICE struct cut_task task_of_warp(const struct tile_round *round)
{
    const unsigned number = (unsigned)BLOCK * (THREADS / WARP) + THREAD / WARP;
    struct cut_task t;
    wide wanted;

    t.group = number / (round->pieces + 1);
    t.piece = number % (round->pieces + 1);
    t.group_first = t.group * round->ways * round->run;
    t.list_first = t.group_first + LANE * round->run;
    t.length = 0;
    if (LANE < round->ways && t.list_first < round->count) {
        const wide left = round->count - t.list_first;

        t.length = (unsigned)(left < round->run ? left : round->run);
    }
    t.whole = SUM(t.length);
    wanted = t.piece * round->piece;
    t.target = wanted < t.whole ? wanted : t.whole;
    return t;
}

#if NEAR_KEYS

/*
 * Bounds of the keys on both sides of a cut, by their upper halves: those before
 * it are at most bounds[0], those behind it at least bounds[1]. The pivot's key
 * is both; the group's two ends have none, nor has a cut that was found without.
 */
DEVICE void put_bounds(const struct tile_round *round, const struct cut_task *t, wide row,
                       const struct cut_pivot *p)
{
    const key_cell *const keys = (const key_cell *)round->in + t->list_first;
    unsigned most = p->owner < 0 ? ~0u : (unsigned)(p->value >> 32);
    unsigned least = p->owner < 0 ? 0 : most;

    if (t->target == 0)
        least = ~GREATEST(t->length ? (unsigned)~(LOAD(&keys[0]) >> 32) : 0);
    else if (t->target == t->whole)
        most = GREATEST(t->length ? (unsigned)(LOAD(&keys[t->length - 1]) >> 32) : 0);
    if (LANE < 2)
        STORE((unsigned_cell *)round->bounds + 2 * row + LANE, LANE ? least : most);
}

#endif

enum { tile_cut_blocks = 12 };

/* Each warp finds one cut. */
KERNEL(tile_cut, struct tile_cut_args)
{
    const struct tile_round *const round = &args.round;
    const struct cut_task t = task_of_warp(round);
    unsigned cut = t.target ? t.length : 0;
    struct cut_pivot p = {0, -1, 0, 0, 0};

    if (t.group >= round->groups)
        return;
    if (t.target > 0 && t.target < t.whole) {
        const unsigned first = (unsigned)t.list_first;
        const unsigned target = (unsigned)t.target;

        p = search_samples(round, first, t.length, target);
        cut = search_keys(round, first, t.length, &p, target);
    }

    const wide row = t.group * (round->pieces + 1) + t.piece;

    if (LANE < round->ways)
        STORE((unsigned_cell *)round->cuts + row * round->ways + LANE, cut);
#if NEAR_KEYS
    put_bounds(round, &t, row, &p);
#endif
}
