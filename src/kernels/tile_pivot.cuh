/*
 * tile_pivot.cuh - choosing a pivot for a cut (tile_cut.cu): a key such that as
 * many keys come before it as are wanted, as nearly as can be told beforehand;
 * and counting, list by list, how many really do.
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
    int inside; /* of this window, and not at one of its ends */
};

/* The key at place `at` of my list. */
DEVICE key key_at(const struct cut_span *w, unsigned at)
{
    return LOAD(&w->keys[w->first + at]);
}

/*
 * How many keys of my window are less than `value`, or not greater if `or_equal`;
 * and was one of them met that equals it? `k` is the key at `guess`. Looked for around
 * `guess`, in steps that double until the place is passed: on like lists the guess is off
 * by about the root of the way from the window's end. What is left is then shorter than the
 * step, and is halved.
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
enum { ALIKE, ORDERED };

/*
 * How to choose a pivot among `open` places, so that `need` half places come
 * before it, and `margin` more for each list that it falls inside of.
 */
struct cut_aim {
    unsigned need;
    unsigned open;
    int margin;
    int order; /* of the lists: are they ALIKE, or does each go on where another ends? */
    int round; /* of this search */
};

/* How many places of the windows a pivot near `before` should have before it. */
DEVICE unsigned need_before(const struct cut_span *w, const struct cut_aim *aim,
                            unsigned before)
{
    const int inside = BITS(BALLOT(before > 0 && before < w->whole));

    return (aim->need + aim->margin * inside) / 2;
}

/* The half of a key by which those of the lanes that have one differ; a short key is all.
 */
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
 * How many places of other lists come before mine if lists follow each other,
 * in whatever order: by the keys in the middle of their windows.
 */
DEVICE unsigned places_before(const struct cut_span *w, int ways)
{
    const int present = w->lo < w->hi;
    const unsigned length = w->hi - w->lo;
    key first = (key) ~(key)0;
    unsigned before = 0;

    if (present)
        first = key_at(w, w->lo + length / 2);

    const unsigned word = telling_word(first, present);

    for (int i = 0; i < ways; i++) {
        const unsigned other = SHUFFLE(word, i);
        const unsigned more = SHUFFLE(length, i);

        before += other < word || (other == word && i < LANE) ? more : 0;
    }
    return before;
}

/* Where in my window to look for a pivot: a place in it, if it is not empty. */
DEVICE unsigned choose_place(const struct cut_span *w, const struct cut_aim *aim, int ways)
{
    const unsigned length = w->hi - w->lo;
    unsigned step = length / 2;

    if (aim->order == ALIKE && aim->round % 4 < 3) {
        step = (unsigned)((float)aim->need / (float)(2 * aim->open) * (float)length);
    } else if (aim->round % 4 < 3) {
        const unsigned before = places_before(w, ways);
        const unsigned skip = aim->need / 2;

        step = before + length <= skip ? length : before <= skip ? skip - before : 0;
    }
    return w->lo + (step < length ? step : length - (length > 0));
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
    const unsigned place = choose_place(w, aim, ways);
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
        p = choose_equal(w, aim, p);
    p.inside = w->lo < p.before && p.before < w->hi;
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
 * How to take the next pivot, given the windows that are left. If the last one
 * fell inside of most of them, their lists are alike; but where that does not
 * bring it nearer, they may still follow each other in small.
 */
DEVICE int see_order(const struct cut_span *w, const struct cut_pivot *p, int order,
                     int nearer)
{
    const int open = BITS(BALLOT(w->lo < w->hi));
    const int inside = BITS(BALLOT(w->lo < w->hi && p->inside));

    if (open <= 1 || (nearer && 2 * inside >= open))
        return ALIKE;
    return order == ALIKE || 2 * inside < open ? ORDERED : ALIKE;
}

/*
 * Take a pivot whatever the lists are like: the lanes look at 32 places spread
 * evenly over all windows, and the one is taken that has as many of the others
 * before it as it should. If no more than 32 are open, that settles it.
 */
DEVICE struct cut_pivot spread_pivot(const struct cut_span *w, const struct cut_aim *aim,
                                     int ways)
{
    const unsigned length = w->hi - w->lo;
    const unsigned stride = (aim->open + WARP - 1) / WARP;
    const unsigned end = sum_up_to_lane(length);
    const unsigned start = end - length;
    const unsigned mine_at = LANE * stride + stride / 2;
    const int present = mine_at < aim->open;
    const int last = (int)SUM((unsigned)present) - 1;
    const int wanted = (int)(need_before(w, aim, w->lo) / stride);
    int list = 0;
    int rank = 0;
    int met = 0;
    key mine = (key) ~(key)0;
    struct cut_pivot p;

    for (int i = 0; i < ways; i++)
        list += SHUFFLE(end, i) <= mine_at;
    list = list < ways ? list : 0;

    const unsigned place = SHUFFLE(w->lo - start, list) + mine_at;
    const unsigned first = SHUFFLE(w->first, list);

    if (present)
        mine = LOAD(&w->keys[first + place]);
    for (int i = 0; i <= last; i++) {
        const key other = (key)SHUFFLE(mine, i);

        rank += less(other, mine) || (other == mine && i < LANE);
    }

    const int skip = wanted < last ? wanted : last;
    const unsigned before = BALLOT(present && rank < skip);
    const int at = LOWEST_BIT(BALLOT(present && rank == skip));
    const unsigned from = (start + stride - 1 - stride / 2) / stride; /* my list's lanes */
    const unsigned to = (end + stride - 1 - stride / 2) / stride;
    unsigned guess = w->lo;

    p.value = (key)SHUFFLE(mine, at);
    p.owner = SHUFFLE(list, at);
    p.place = SHUFFLE(place, at);
    if (from < to && from < WARP)
        guess += BITS(before >> from & (0xffffffffu >> (WARP - (to - from)))) * stride;
    if (guess >= w->hi)
        guess = w->hi - (length > 0);
    p.before = p.place;
    if (LANE != p.owner && length > 0)
        p.before = count_before(w, p.value, LANE < p.owner, guess, key_at(w, guess), &met);
    else if (length == 0)
        p.before = w->lo;
    if (BITS(BALLOT(met)) > 1)
        p = choose_equal(w, aim, p);
    p.inside = w->lo < p.before && p.before < w->hi;
    return p;
}
