/*
 * tile_pivot.cuh - finding the pivot of a cut (tile_cut.cu): first among samples,
 * every 32nd key, then what it comes to among the keys themselves.
 *
 * One lane looks after one list. Lanes share all they know in a few warp-wide
 * sums, so what a search costs is its rounds, and in each the steps of the lane
 * that has the longest way.
 */

/* One lane's list, of samples or of keys, and the window where pivots are looked for. */
struct cut_span {
    const key_cell *keys; /* of all lists, or their samples */
    unsigned first;       /* where mine begins there */
    unsigned lo;
    unsigned hi;
    unsigned whole; /* length of the list */
};

/* A pivot: its key, its lane, its place there; how many come before it here. */
struct cut_pivot {
    key value;
    int owner;
    unsigned place;
    unsigned before;
};

/* The key at place `at` of my list. */
DEVICE key key_at(const struct cut_span *w, unsigned at)
{
    return LOAD(&w->keys[w->first + at]);
}

/*
 * How many keys of my window are less than `value`, or not greater if `or_equal`;
 * and was one of them met that equals it? `k` is the key at `guess`. Looked for
 * around there, in steps that double until the place is passed: on like lists the
 * guess is off by about the root of the way from the window's end. What is left is
 * then shorter than the step, and is halved.
 */
DEVICE unsigned count_before(const struct cut_span *w, key value, int or_equal,
                             unsigned guess, key k, int *met)
{
    unsigned lo = w->lo;
    unsigned hi = w->hi;
    unsigned at = guess;
    const unsigned far = guess - lo < hi - guess ? guess - lo : hi - guess;
    const int digits = HIGHEST_BIT(far | 1);
    unsigned step = digits > 4 ? 1u << (digits / 2 - 2) : 1;

    *met = 0;
    while (lo < hi) {
        const int equal = k == value;
        const int up = less(k, value) || (equal && or_equal);

        *met |= equal;
        if (up)
            lo = at + 1;
        else
            hi = at;
        if (step < hi - lo) {
            at = up ? lo + step : hi - 1 - step;
            step *= 2;
        } else {
            at = lo + (hi - lo) / 2;
        }
        if (lo < hi)
            k = key_at(w, at);
    }
    return lo;
}

/* How the lists lie to each other, as far as has been seen. */
enum { ALIKE, ASCENDING, DESCENDING };

/*
 * How to choose a pivot among `open` places, so that `need` half places come
 * before it, and `margin` more for each list that it falls inside of.
 */
struct cut_aim {
    unsigned need;
    unsigned open;
    int margin;
    int order; /* of the lists: ALIKE, or each wholly before the next, or behind it */
    int round; /* of this search */
};

/* How many places of the windows a pivot near `before` should have before it. */
DEVICE unsigned need_before(const struct cut_span *w, const struct cut_aim *aim,
                            unsigned before)
{
    const int inside = BITS(BALLOT(before > 0 && before < w->whole));

    return (aim->need + aim->margin * inside) / 2;
}

/* Where in my window to look for a pivot: a place in it, if it is not empty. */
DEVICE unsigned choose_place(const struct cut_span *w, const struct cut_aim *aim)
{
    const unsigned length = w->hi - w->lo;
    unsigned step = length / 2;

    if (aim->order == ALIKE && aim->round % 4 < 3) {
        step = (unsigned)((float)aim->need / (float)(2 * aim->open) * (float)length);
    } else if (aim->round % 4 < 3) {
        const unsigned up_to = sum_up_to_lane(length);
        const unsigned end = aim->order == ASCENDING ? up_to : aim->open - up_to + length;
        const unsigned skip = aim->need / 2;

        step = end <= skip ? length : end - skip <= length ? length - (end - skip) : 0;
    }
    return w->lo + (step < length ? step : length - (length > 0));
}

/* A word of my key by which to rank those of all lanes that have one. */
DEVICE unsigned telling_word(key mine, int present)
{
#if KEY_BITS == 64
    const unsigned upper = (unsigned)(mine >> 32);
    const unsigned most = GREATEST(present ? upper : 0);
    const unsigned least = ~GREATEST(present ? ~upper : 0);

    return most > least ? upper : (unsigned)mine;
#else
    (void)present;
    return mine;
#endif
}

/*
 * Whose place to take: of the keys that all lanes found there, the one that
 * has as many others before it as are missing.
 */
DEVICE int choose_list(const struct cut_span *w, const struct cut_aim *aim, unsigned place,
                       key mine, int ways)
{
    const int present = w->lo < w->hi;
    const unsigned sum = SUM(place - w->lo);
    const unsigned need = aim->order == ALIKE ? need_before(w, aim, place) : aim->need / 2;
    const int missing = (int)(need - sum);
    const unsigned word = telling_word(mine, present);
    int before = 0;

    for (int i = 0; i < ways; i += 4) {
        UNROLL
        for (int j = i; j < i + 4; j++)
            before += SHUFFLE(word, j) < word;
    }

    /* The nearest; a list without places comes last. */
    const int off = before > missing ? before - missing : missing - before;
    const unsigned fit = present ? ~(unsigned)off : 0;
    const unsigned best = GREATEST(fit);

    return LOWEST_BIT(BALLOT(fit == best));
}

/*
 * The key of the pivot `p` is in other lists too, and equals follow each other
 * in the order of the lists: of those on the cut's side, take the nearest to it.
 */
DEVICE struct cut_pivot choose_equal(const struct cut_span *w, const struct cut_aim *aim,
                                     struct cut_pivot p)
{
    const unsigned need = need_before(w, aim, p.before);
    const int behind = SUM(p.before - w->lo) < need;
    struct cut_span equal = *w;
    unsigned skip, all, up_to;
    int met;

    if (behind) {
        equal.lo = p.before + (LANE == p.owner);
        equal.hi = equal.lo;
        if (LANE >= p.owner && equal.lo < w->hi) {
            equal.hi = w->hi;
            equal.hi =
                count_before(&equal, p.value, 1, equal.lo, key_at(w, equal.lo), &met);
        }
    } else {
        equal.hi = p.before;
        if (LANE > p.owner)
            equal.lo = equal.hi;
        else if (equal.lo < equal.hi)
            equal.lo = count_before(&equal, p.value, 0, equal.hi - 1,
                                    key_at(w, equal.hi - 1), &met);
    }
    up_to = sum_up_to_lane(equal.hi - equal.lo);
    all = SHUFFLE(up_to, WARP - 1);
    skip = SUM(equal.lo - w->lo);
    skip = need > skip ? need - skip : 0;
    if (all == 0)
        return p;
    if (skip >= all)
        skip = all - 1;
    p.owner = LOWEST_BIT(BALLOT(up_to > skip));
    p.place = SHUFFLE(equal.hi - (up_to - skip), p.owner);
    p.before = LANE < p.owner ? equal.hi : LANE > p.owner ? equal.lo : p.place;
    return p;
}

/* Take a pivot from the windows. */
DEVICE struct cut_pivot take_pivot(const struct cut_span *w, const struct cut_aim *aim,
                                   int ways)
{
    const unsigned place = choose_place(w, aim);
    int met = 0;
    key mine = (key) ~(key)0;
    struct cut_pivot p;

    if (w->lo < w->hi)
        mine = key_at(w, place);
    p.owner = choose_list(w, aim, place, mine, ways);
    p.place = SHUFFLE(place, p.owner);
    p.value = (key)SHUFFLE(mine, p.owner);
    p.before = p.place;
    if (LANE != p.owner)
        p.before = count_before(w, p.value, LANE < p.owner, place, mine, &met);
    if (BITS(BALLOT(met)) > 1)
        return choose_equal(w, aim, p);
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

/*
 * What the pivot tells about the lists: alike, if it fell inside of more than
 * two windows, or else in which order they follow each other.
 */
DEVICE int see_order(const struct cut_span *w, const struct cut_pivot *p)
{
    const unsigned inside = BALLOT(w->lo < p->before && p->before < w->hi);

    if (BITS(inside) > 2)
        return ALIKE;

    const unsigned whole = BALLOT(w->lo < w->hi && p->before == w->hi);
    const unsigned below = whole & ((1u << p->owner) - 1);

    return BITS(below) >= BITS(whole ^ below) ? ASCENDING : DESCENDING;
}

/*
 * Keys to be expected before a pivot that `before` of my `samples` come before,
 * in units of 16. The last sample is followed by the rest of the list, unless
 * the pivot is among these: as likely, on like lists, as anywhere else.
 */
DEVICE unsigned expected(unsigned before, unsigned samples, unsigned length, int order)
{
    if (before == samples && order != ALIKE)
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
    aim.order = ALIKE;
    aim.margin = 1;
    aim.open = SUM(w.hi - w.lo);
    for (aim.round = 0; aim.open > 0 && best_error > tolerance; aim.round++) {
        const unsigned begun = 2 * SUM(w.lo);

        aim.need = target > begun ? target - begun : 0;

        const struct cut_pivot p = take_pivot(&w, &aim, round->ways);

        aim.order = see_order(&w, &p);

        const unsigned mine =
            LANE == p.owner ? 2 * p.place : expected(p.before, w.whole, length, aim.order);
        const unsigned rank = SUM(mine);
        const unsigned error = rank > target ? rank - target : target - rank;

        if (error < best_error) {
            best_error = error;
            best = p;
        }
        narrow(&w, &p, rank < target);
        aim.open = SUM(w.hi - w.lo);
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
        aim.need = 2 * (target - SUM(w.lo));
        aim.open = SUM(w.hi - w.lo);
        if (aim.open == 0) {
            pivot->owner = -1;
            return w.lo;
        }
        p = take_pivot(&w, &aim, round->ways);
        rank = SUM(p.before);
        aim.order = see_order(&w, &p);
    }
    *pivot = p;
    return p.before;
}
