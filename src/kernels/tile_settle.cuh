/*
 * tile_settle.cuh - finding a cut whatever the lists look like (tile_pivot.cuh).
 *
 * Looked for is the key that has `aim` others before it, those before the windows
 * counted. If `need` of these are in the windows, no list has more than `need`,
 * nor more than the rest on the other side: so windows are short as soon as a
 * pivot was near, and lists that lie wholly before or behind drop out. Then 32
 * probes, spread evenly over what is left, show a pivot that is off by a few of
 * their distances.
 */

/* One lane's list, of samples or of keys, and the window where pivots are looked for. */
struct cut_span {
    const key_cell *keys; /* my list */
    unsigned lo;
    unsigned hi;
};

/* A pivot: its key, its lane, its place there; how many come before it in my list. */
struct cut_pivot {
    key value;
    int owner; /* WARP: in no list, behind all keys that equal it; -1: there is none */
    unsigned place;
    unsigned before;
};

/* The key at place `at` of my list. */
DEVICE key key_at(const struct cut_span *w, unsigned at)
{
    return LOAD_AS(PROBE, &w->keys[at]);
}

/* Is key `a` of list `i` before key `b` of list `j`, another one? */
DEVICE int is_before(key a, int i, key b, int j)
{
    return less(a, b) || (i < j && a == b);
}

/*
 * The greatest key that comes before the pivot in my list, which is not its own:
 * equals follow each other by lists. There is none if that is greater than the pivot.
 */
DEVICE key most_before(const struct cut_pivot *p)
{
    return (key)(p->value - (LANE > p->owner));
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
 * The place of a probe in all windows together: one in each stretch of `apart`
 * places, but not always at the same depth, at which windows of one length would
 * be probed then.
 */
DEVICE unsigned probe_at(unsigned apart, unsigned probe)
{
    return probe * apart + (13 * probe + 5) % 32 * apart / 32;
}

/* The least of all lanes' keys that are `present`. */
DEVICE key least_key(key k, int present)
{
#if KEY_BITS == 64
    const unsigned upper = ~GREATEST(present ? ~(unsigned)(k >> 32) : 0);
    const int same = present && (unsigned)(k >> 32) == upper;

    return (key)upper << 32 | (key)~GREATEST(same ? ~(unsigned)k : 0);
#else
    return (key)~GREATEST(present ? ~(unsigned)k : 0);
#endif
}

/* The greatest. */
DEVICE key greatest_key(key k, int present)
{
    return (key)~least_key((key)~k, present);
}

/* Shorten the windows to where the key with `aim` others before it can be. */
DEVICE void shorten(struct cut_span *w, unsigned aim)
{
    const unsigned need = aim - SUM(w->lo);

    if (w->hi - w->lo > need)
        w->hi = w->lo + need + 1;

    const unsigned rest = SUM(w->hi) - aim;

    if (w->hi - w->lo > rest)
        w->lo = w->hi - rest;
}

/* Keys between which the one that is looked for is, or is one of them. */
struct cut_bounds {
    key low;
    int low_owner;
    key high;
    int high_owner;
};

/*
 * Close the windows that hold nothing but keys behind the one that is looked for,
 * since one other list has more than enough keys before them; and those that hold
 * nothing but keys before it.
 */
DEVICE void close_windows(struct cut_span *w, unsigned aim, struct cut_bounds *bounds)
{
    const unsigned length = w->hi - w->lo;
    const unsigned need = aim - SUM(w->lo);
    const unsigned rest = SUM(w->hi) - aim;
    const int before = length > need;
    const int behind = length > 0 && length >= rest;
    const key first = length > 0 ? key_at(w, w->lo) : 0;
    const key last = length > 0 ? key_at(w, w->hi - 1) : 0;

    if (BALLOT(before)) {
        const key high = least_key(last, before);
        const int owner = LOWEST_BIT(BALLOT(before && last == high));

        if (is_before(high, owner, bounds->high, bounds->high_owner)) {
            bounds->high = high;
            bounds->high_owner = owner;
        }
    }
    if (BALLOT(behind)) {
        const key low = greatest_key(first, behind);
        const int owner = HIGHEST_BIT(BALLOT(behind && first == low));

        if (is_before(bounds->low, bounds->low_owner, low, owner)) {
            bounds->low = low;
            bounds->low_owner = owner;
        }
    }
    if (is_before(bounds->high, bounds->high_owner, first, LANE))
        w->hi = w->lo;
    else if (is_before(last, LANE, bounds->low, bounds->low_owner))
        w->lo = w->hi;
}

/* A probe: a key of a window. */
struct cut_probe {
    key value;
    int list; /* WARP: there is none */
    unsigned place;
};

/*
 * My probe of 32, which are spread over the windows as if these lay one behind the
 * other; mine begins at `begin` there.
 */
DEVICE struct cut_probe probe_windows(const struct cut_span *w, unsigned begin,
                                      unsigned open, unsigned apart)
{
    const unsigned at = probe_at(apart, LANE);
    const int list = lane_of_place(begin, at);
    const key_cell *const keys = (const key_cell *)SHUFFLE((wide)w->keys, list);
    const unsigned place = at + SHUFFLE(w->lo - begin, list);
    struct cut_probe mine = {(key) ~(key)0, WARP, 0};

    if (at < open) {
        mine.value = LOAD_AS(PROBE, &keys[place]);
        mine.list = list;
        mine.place = place;
    }
    return mine;
}

/* How many of the probes are in lists before mine. */
DEVICE int probes_before(const struct cut_probe *mine)
{
    int before = 0;

    UNROLL
    for (int step = WARP / 2; step > 0; step /= 2)
        if (SHUFFLE(mine->list, before + step - 1) < LANE)
            before += step;
    return before + (SHUFFLE(mine->list, before) < LANE);
}

/*
 * How many of my keys come before the pivot. It lies between two of my probes,
 * which are neighbours, or an end of my window: `those` probes come before it.
 */
DEVICE unsigned count_probed(const struct cut_span *w, const struct cut_pivot *p,
                             const struct cut_probe *mine, unsigned those, int probes)
{
    const int first = probes_before(mine);
    const int behind = SHUFFLE(first, (LANE + 1) % WARP);
    const int last = LANE < WARP - 1 ? behind : probes;
    const key most = most_before(p);
    int next = first;

    if (first < last)
        next += BITS(those >> first & ~0u >> (WARP - (last - first)));

    const unsigned from = SHUFFLE(mine->place, (next - 1) & (WARP - 1));
    const unsigned to = SHUFFLE(mine->place, next % WARP);
    unsigned lo = next > first ? from + 1 : w->lo;
    unsigned hi = next < last ? to : w->hi;

    if (most > p->value)
        hi = lo;
    while (lo < hi) {
        const unsigned middle = lo + (hi - lo) / 2;

        if (key_at(w, middle) <= most)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/*
 * Among probes spread over the windows, a pivot that has about `need` of the `open`
 * places before it, or one further than that. Between two probes equally near, the
 * lesser: once windows are as long as the rest, the greatest of all probes would
 * be taken for ever, and shorten the windows by what is behind it in its own.
 */
DEVICE struct cut_pivot take_probe(const struct cut_span *w, unsigned need, unsigned open,
                                   int further)
{
    const unsigned length = w->hi - w->lo;
    const unsigned begin = sum_up_to_lane(length) - length;
    const unsigned apart = (open - 1) / WARP + 1;
    const struct cut_probe mine = probe_windows(w, begin, open, apart);
    const int probes = BITS(BALLOT(mine.list < WARP));
    const unsigned inside = need < open ? need : open; /* `need`, unless keys change */
    const int share = (int)QUOTIENT((float)(inside - (inside > 0)), (float)apart) + further;
    const int chosen = choose_lane(mine.value, mine.list < WARP, WARP, share);
    struct cut_pivot p;

    p.owner = SHUFFLE(mine.list, chosen);
    p.place = SHUFFLE(mine.place, chosen);
    p.value = (key)SHUFFLE(mine.value, chosen);

    const unsigned those = BALLOT(is_before(mine.value, mine.list, p.value, p.owner));
    const unsigned before = count_probed(w, &p, &mine, those, probes);

    p.before = LANE == p.owner ? p.place : before;
    return p;
}

/*
 * A pivot that has `aim` keys before it, or up to `tolerance` more or fewer: found
 * in my window `lo` to `hi` of `keys` and those of the other lanes.
 */
DEVICE struct cut_pivot settle(const key_cell *keys, unsigned lo, unsigned hi, unsigned aim,
                               unsigned tolerance)
{
    struct cut_span w = {keys, lo, hi};
    struct cut_bounds bounds = {0, -1, (key) ~(key)0, WARP};
    int short_of_it = 0;

    for (;;) {
        shorten(&w, aim);
        close_windows(&w, aim, &bounds);

        const unsigned begun = SUM(w.lo);
        const unsigned open = SUM(w.hi) - begun;

        if (open == 0) { /* only if keys change meanwhile */
            const struct cut_pivot none = {0, -1, 0, w.lo};

            return none;
        }

        const struct cut_pivot p = take_probe(&w, aim - begun, open, short_of_it);
        const unsigned rank = SUM(p.before);
        const unsigned off = rank < aim ? aim - rank : rank - aim;

        /* Beyond a bound, keys of closed windows would be on its wrong side. */
        if (off <= tolerance &&
            !is_before(p.value, p.owner, bounds.low, bounds.low_owner) &&
            !is_before(bounds.high, bounds.high_owner, p.value, p.owner))
            return p;
        short_of_it = rank < aim;
        narrow(&w, &p, short_of_it);
    }
}
