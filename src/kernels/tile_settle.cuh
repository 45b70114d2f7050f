/*
 * tile_settle.cuh - finding a cut for any lists: the fallback of tile_pivot.cuh.
 *
 * The search is for the key of rank `aim` over all lists, in a window of each list. If
 * `need` keys of the windows precede it, no window needs more than its first need + 1
 * keys; if `rest` keys follow from it on, none needs more than its last `rest` keys. So
 * windows become short as soon as a pivot is close, and windows that lie entirely before
 * or after the key are closed. In each round 32 probes are spread evenly over the
 * windows. One of them is the next pivot; its rank is off by a few times the distance of
 * two probes.
 */

#ifndef TILE_LISTS

/* One lane's list, of samples or of keys. */
struct cut_list {
    const key_cell *keys;
#ifdef TILE_PLACES
    const tile_input *in; /* not NULL: keys are the codes of its rows from `first` on */
    wide first;
#endif
};

/* The key at place `at` of a list. */
DEVICE key list_key(const struct cut_list *list, unsigned at)
{
#ifdef TILE_PLACES
    if (list->in)
        return code_of_row(list->in, list->first + at);
#endif
    return LOAD_AS(PROBE, &list->keys[at]);
}

/* A list of keys that lie one after the other. */
DEVICE struct cut_list dense_list(const key_cell *keys)
{
    struct cut_list list;

    list.keys = keys;
#ifdef TILE_PLACES
    list.in = 0;
    list.first = 0;
#endif
    return list;
}

/* The list of a round's keys from row `first` on. */
DEVICE struct cut_list list_of_rows(const tile_input *in, wide first)
{
    struct cut_list list = dense_list(key_of_row(in, first));

#ifdef TILE_PLACES
    if (!is_dense(in)) {
        list.in = in;
        list.first = first;
    }
#endif
    return list;
}

/* Another lane's list. */
DEVICE struct cut_list list_of_lane(const struct cut_list *mine, int lane)
{
    struct cut_list list = *mine;

    list.keys = (const key_cell *)SHUFFLE((wide)mine->keys, lane);
#ifdef TILE_PLACES
    list.first = SHUFFLE(mine->first, lane);
#endif
    return list;
}

#endif

/* One lane's list and the window that is searched. */
struct cut_span {
    struct cut_list list;
    unsigned lo;
    unsigned hi;
};

/* A pivot, as one lane sees it. */
struct cut_pivot {
    key value;
    int owner; /* the lane of its list; WARP: no list, it follows all equals; -1: none */
    unsigned place;  /* its place in that list */
    unsigned before; /* keys of my list before it */
};

/* The key at place `at` of my list. */
DEVICE key key_at(const struct cut_span *w, unsigned at)
{
    return list_key(&w->list, at);
}

/* Does key `a` of list `i` precede key `b` of another list `j`? */
DEVICE int is_before(key a, int i, key b, int j)
{
    return less(a, b) || (i < j && a == b);
}

/*
 * The greatest value that precedes the pivot in my list, if that is not the pivot's own:
 * equal keys are ordered by list. A result above the pivot's value (0 - 1 wraps around)
 * means that no key precedes it.
 */
DEVICE key most_before(const struct cut_pivot *p)
{
    return (key)(p->value - (LANE > p->owner));
}

/* Narrow the window to what is after the pivot, or before it. */
DEVICE void narrow(struct cut_span *w, const struct cut_pivot *p, int after)
{
    if (after)
        w->lo = p->before + (LANE == p->owner);
    else
        w->hi = p->before;
}

/*
 * The position of a probe in the concatenated windows: one in each stretch of `apart`
 * positions, at varying depths. At a constant depth, windows of equal length would all
 * be probed at the same place.
 */
DEVICE unsigned probe_at(unsigned apart, unsigned probe)
{
    return probe * apart + (13 * probe + 5) % 32 * apart / 32;
}

/* The least key of the lanes that are `present`. */
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

/* The greatest key of the lanes that are `present`. */
DEVICE key greatest_key(key k, int present)
{
    return (key)~least_key((key)~k, present);
}

/* Shorten the windows to where the key of rank `aim` can be. */
DEVICE void shorten(struct cut_span *w, tile_rank aim)
{
    const tile_rank need = aim - RANK_SUM(w->lo);

    if (w->hi - w->lo > need)
        w->hi = w->lo + (unsigned)need + 1;

    const tile_rank rest = RANK_SUM(w->hi) - aim;

    if (w->hi - w->lo > rest)
        w->lo = w->hi - (unsigned)rest;
}

/* Bounds of the wanted key, inclusive, with the lists that they are in. */
struct cut_bounds {
    key low;
    int low_owner;
    key high;
    int high_owner;
};

/*
 * Tighten the bounds and close the windows that lie outside of them. If a window has more
 * than `need` keys, its last key is an upper bound. If it has at least `rest` keys, the
 * number from the wanted key on, its first key is a lower bound.
 */
DEVICE void close_windows(struct cut_span *w, tile_rank aim, struct cut_bounds *bounds)
{
    const unsigned length = w->hi - w->lo;
    const tile_rank need = aim - RANK_SUM(w->lo);
    const tile_rank rest = RANK_SUM(w->hi) - aim;
    const int before = length > need;
    const int after = length > 0 && length >= rest;
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
    if (BALLOT(after)) {
        const key low = greatest_key(first, after);
        const int owner = HIGHEST_BIT(BALLOT(after && first == low));

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

/* A probe: a key of some window. */
struct cut_probe {
    key value;
    int list; /* WARP: no probe */
    unsigned place;
};

/*
 * Load my probe, one of 32 that are spread over the concatenated windows, of which mine
 * begins at `begin`.
 */
DEVICE struct cut_probe probe_windows(const struct cut_span *w, unsigned begin,
                                      unsigned open, unsigned apart)
{
    const unsigned at = probe_at(apart, LANE);
    const int list = lane_of_place(begin, at);
    const struct cut_list keys = list_of_lane(&w->list, list);
    const unsigned place = at + SHUFFLE(w->lo - begin, list);
    struct cut_probe mine = {(key) ~(key)0, WARP, 0};

    if (at < open) {
        mine.value = list_key(&keys, place);
        mine.list = list;
        mine.place = place;
    }
    return mine;
}

/* The number of probes in lists before mine: lane i has probe i, in order of lists. */
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
 * The number of my keys before the pivot. The mask `those` tells which probes precede it,
 * so the position lies between two neighbouring probes of my list or an end of my window,
 * where a binary search finds it.
 */
DEVICE unsigned count_probed(const struct cut_span *w, const struct cut_pivot *p,
                             const struct cut_probe *mine, unsigned those, int probes)
{
    const int first = probes_before(mine);
    const int next_first = SHUFFLE(first, (LANE + 1) % WARP);
    const int last = LANE < WARP - 1 ? next_first : probes;
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
 * Choose among 32 probes a pivot with about `need` of the `open` keys before it, or the
 * next probe if `further`. Between two equally close probes it is the lesser. The
 * greatest probe of all could be chosen again and again otherwise, and each time shorten
 * only its own window, by the keys after it.
 */
DEVICE struct cut_pivot take_probe(const struct cut_span *w, unsigned need, unsigned open,
                                   int further)
{
    const unsigned length = w->hi - w->lo;
    const unsigned begin = sum_up_to_lane(length) - length;
    const unsigned apart = (open - 1) / WARP + 1;
    const struct cut_probe mine = probe_windows(w, begin, open, apart);
    const int probes = BITS(BALLOT(mine.list < WARP));
    const unsigned inside = need < open ? need : open; /* differs only if keys change */
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
 * Lists that are not sorted could take a round for each key. Whatever cut is made of them,
 * the tile's check finds out (lists_merge.cu).
 */
enum { SETTLE_ROUNDS = 256 };

DEVICE int is_endless(int round)
{
#ifdef TILE_LISTS
    return round == SETTLE_ROUNDS;
#else
    (void)round;
    return 0;
#endif
}

/*
 * Find a pivot of rank `aim`, up to `tolerance` more or less. Each lane has a window
 * of its list. Windows that shorten() leaves have fewer than 2^32 keys in all: there are
 * fewer samples, and among keys a pivot nearby is known.
 */
DEVICE struct cut_pivot settle(struct cut_span w, tile_rank aim, unsigned tolerance)
{
    struct cut_bounds bounds = {0, -1, (key) ~(key)0, WARP};
    int below = 0;

    for (int round = 0;; round++) {
        shorten(&w, aim);
        close_windows(&w, aim, &bounds);

        const tile_rank begun = RANK_SUM(w.lo);
        const unsigned open = (unsigned)(RANK_SUM(w.hi) - begun);

        if (open == 0 || is_endless(round)) { /* only if keys change during the search */
            const struct cut_pivot none = {0, -1, 0, w.lo};

            return none;
        }

        const struct cut_pivot p = take_probe(&w, (unsigned)(aim - begun), open, below);
        const tile_rank rank = RANK_SUM(p.before);
        const tile_rank off = rank < aim ? aim - rank : rank - aim;

        /* The counts of closed windows are right only for pivots within the bounds. */
        if (off <= tolerance &&
            !is_before(p.value, p.owner, bounds.low, bounds.low_owner) &&
            !is_before(bounds.high, bounds.high_owner, p.value, p.owner))
            return p;
        below = rank < aim;
        narrow(&w, &p, below);
    }
}
