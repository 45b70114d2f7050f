/*
 * heap_cut.cu - exact cuts (P1): where to cut K sorted lists so that exactly
 * `rank` keys lie before the cuts and none of them is greater than any behind.
 *
 * One warp finds one cut, one lane searching one list. Keys are compared as
 * (key, list, position), so no two are equal, the cut is unique and ties fall
 * by list order, which keeps the merge stable.
 *
 * Each lane keeps a window [lo, hi] in which its cut lies. A round takes a pivot;
 * every lane counts its keys before the pivot; the sum says on which side of the cut
 * the pivot lies, and every window shrinks to that side. No list has more keys before
 * its cut than are missing in all of them, nor more behind it: so windows are short
 * once a pivot was near. When no more keys are left in them than there are lanes,
 * these are put in order.
 */

/* One lane's list, and the window that still holds its cut. */
struct cut_window {
    const key_cell *list;
    wide lo;
    wide hi;
};

/* The lane with the longest window; the lowest of them if there are several. */
DEVICE int longest_window(const struct cut_window *w)
{
    const wide mine = w->hi - w->lo;
    wide longest = mine;

    for (int step = WARP / 2; step > 0; step /= 2) {
        const wide other = SHUFFLE_XOR(longest, step);

        longest = other > longest ? other : longest;
    }

    return LOWEST_BIT(BALLOT(mine == longest));
}

/* A pivot: a key by which all lists are cut, as a lane sees it. */
struct heap_pivot {
    key value;
    int owner;   /* the lane whose list has it; WARP: none, it is behind all its equals */
    wide before; /* keys of my list before it, ... */
    wide rank;   /* ... and of all lists, as far as windows go */
};

/* Three keys of a window, the middle one where a pivot is expected. */
struct cut_guess {
    wide place[3];
    key k[3];
};

/*
 * Look where a pivot is expected, and on both sides. A guess is off by about the root
 * of the way from the window's nearer end, if it is a good one: by more than twice as
 * much it seldom is. All three keys are on their way at once.
 */
DEVICE struct cut_guess look(const struct cut_window *w, wide place)
{
    const wide behind = place - w->lo;
    const wide ahead = w->hi - place;
    const wide nearer = behind < ahead ? behind : ahead;
    const unsigned apart = 2u << HIGHEST_BIT(nearer >> 32 ? ~0u : (unsigned)nearer | 1) / 2;
    struct cut_guess g = {
        {place, place, place},
        {0,     0,     0    }
    };

    if (w->lo < w->hi) {
        g.place[0] = behind > apart ? place - apart : w->lo;
        g.place[2] = ahead > apart ? place + apart : w->hi - 1;
        g.k[0] = LOAD_AS(PROBE, &w->list[g.place[0]]);
        g.k[1] = LOAD_AS(PROBE, &w->list[g.place[1]]);
        g.k[2] = LOAD_AS(PROBE, &w->list[g.place[2]]);
    }
    return g;
}

/*
 * How many of the keys [lo, hi) of a list are at most `most`. Three are looked at at
 * once, which takes hardly longer than one: what takes long is the way to memory. Their
 * number is summed up, or a compiler would ask for the second first.
 */
DEVICE wide keys_up_to(const key_cell *list, wide lo, wide hi, key most)
{
    const unsigned longest = 1u << 30; /* three times that fits a word */

    while (lo < hi) {
        const unsigned length = hi - lo < longest ? (unsigned)(hi - lo) : longest;
        const key_cell *const keys = list + lo;
        const key first = LOAD_AS(PROBE, &keys[length / 4]);
        const key second = LOAD_AS(PROBE, &keys[length / 2]);
        const key third = LOAD_AS(PROBE, &keys[length * 3 / 4]);
        const unsigned those = (first <= most) + (second <= most) + (third <= most);

        if (those < 3)
            hi = lo + length * (those + 1) / 4;
        if (those > 0)
            lo += length * those / 4 + 1;
    }
    return lo;
}

/* How many keys of my list, within my window, come before the pivot. */
DEVICE wide keys_before(const struct cut_window *w, const struct heap_pivot *p,
                        const struct cut_guess *g)
{
    const key most = (key)(p->value - (LANE > p->owner)); /* equals go by lists */
    wide lo = w->lo;
    wide hi = w->hi;

    if (lo >= hi || most > p->value)
        return lo;
    UNROLL
    for (int i = 0; i < 3; i++)
        lo = g->k[i] <= most ? g->place[i] + 1 : lo;
    UNROLL
    for (int i = 2; i >= 0; i--)
        hi = g->k[i] <= most ? hi : g->place[i];
    return keys_up_to(w->list, lo, hi, most);
}

/* Where the cut is in my window if all lists are alike: `need` of `open` keys are before.
 */
DEVICE wide likely_place(const struct cut_window *w, wide need, wide open)
{
    const wide length = w->hi - w->lo;
    const wide step = (wide)(QUOTIENT((float)need, (float)open) * (float)length);

    return w->lo + (step < length ? step : length - (length > 0));
}

/* My place of a pivot that is `part` of the way from one pivot to another beyond that. */
DEVICE wide place_beyond(const struct cut_window *w, wide from, wide to, float part)
{
    const wide step = (wide)(long long)(part * (float)(long long)(to - from));
    const long long into = (long long)(to + step - w->lo);
    const long long last = (long long)(w->hi - w->lo) - (w->lo < w->hi);

    return w->lo + (wide)(into < 0 ? 0 : into < last ? into : last);
}

/* The key that is there if keys are evenly spread, or the least or greatest there is. */
DEVICE key key_beyond(key from, key to, float part)
{
    const float most = 0.999999f; /* of all, which might not fit a key */
    const int up = (from < to) == (part > 0);
    const key apart = (key)(from < to ? to - from : from - to);
    const key room = up ? (key)~to : to;
    const float wanted = (part > 0 ? part : -part) * (float)apart;
    const key step = wanted < most * (float)room ? (key)wanted : room;

    return (key)(up ? to + step : to - step);
}

/* How far beyond `p` the cut of `rank` is, by ranks, in ways from `last` to `p`. */
DEVICE float part_beyond(const struct heap_pivot *last, const struct heap_pivot *p,
                         wide rank)
{
    const float most = 16; /* further off, nothing is known of keys */
    const float part = QUOTIENT((float)(long long)(rank - p->rank),
                                (float)(long long)(p->rank - last->rank));

    return part > most ? most : part < -most ? -most : part;
}

/*
 * Of the lanes' keys that are `present`, the first `wanted`, equals by lanes, a bit
 * each. There are as many.
 */
DEVICE unsigned least_lanes(key mine, int present, int wanted)
{
    unsigned before = 0;
    unsigned tied = BALLOT(present);
    int left = wanted;

    UNROLL
    for (int shift = KEY_BITS > 32 ? 32 : 0; shift >= 0; shift -= 32) {
        const unsigned word = (unsigned)(mine >> shift);
        const int mine_tied = tied >> LANE & 1;
        const unsigned sorted = sort_lanes(mine_tied ? word : ~0u, WARP);
        const unsigned last = SHUFFLE(sorted, left - 1);

        before |= BALLOT(mine_tied && word < last);
        tied = BALLOT(mine_tied && word == last);
        left = wanted - BITS(before);
    }

    const int place = BITS(tied & ((1u << LANE) - 1));

    return before | BALLOT((tied >> LANE & 1) && place < left);
}

/*
 * The cut, when no more keys are in doubt than there are lanes: each lane takes one of
 * them, list after list, and the first `need` of them in order are before it.
 */
DEVICE void take_rest(struct cut_window *w, int need, int open)
{
    const unsigned length = (unsigned)(w->hi - w->lo);
    const unsigned begin = sum_up_to_lane(length) - length;
    const int list = lane_of_place(begin, (unsigned)LANE);
    const key_cell *const keys = (const key_cell *)SHUFFLE((wide)(w->list + w->lo), list);
    const unsigned place = (unsigned)LANE - SHUFFLE(begin, list);
    const key k = LANE < open ? LOAD_AS(PROBE, &keys[place]) : 0;
    const unsigned taken = least_lanes(k, LANE < open, need);

    if (length > 0)
        w->lo += BITS(taken >> begin & ~0u >> (WARP - length));
}

/*
 * A pivot near the cut, which has `need` of the `open` keys before it. At first lists
 * are taken to be alike, each a fair sample of all keys: then it is about the median
 * of the keys at the likely places. Two such pivots tell how keys are spread in value
 * around there, whichever list has them, and the next is found by that. From the fifth
 * round on every other one halves the longest window, whatever the keys are.
 */
DEVICE struct heap_pivot next_pivot(const struct cut_window *w,
                                    const struct heap_pivot *last,
                                    const struct heap_pivot *p, wide rank, wide need,
                                    wide open, int round, int ways)
{
    const int halve = round > 3 && round % 2 == 0;
    const int even =
        round > 1 && !halve && p->value != last->value && p->rank != last->rank;
    const int present = w->lo < w->hi;
    const float part = even ? part_beyond(last, p, rank) : 0;
    const wide place = even    ? place_beyond(w, last->before, p->before, part)
                       : halve ? w->lo + (w->hi - w->lo) / 2
                               : likely_place(w, need, open);
    const struct cut_guess g = look(w, place);
    struct heap_pivot next;

    if (even) {
        next.owner = WARP;
        next.value = key_beyond(last->value, p->value, part);
    } else {
        const int middle = BITS(BALLOT(present)) / 2;

        next.owner = halve ? longest_window(w) : choose_lane(g.k[1], present, ways, middle);
        next.value = (key)SHUFFLE(g.k[1], next.owner);
    }
    next.before = LANE == next.owner ? place : keys_before(w, &next, &g);
    next.rank = sum_of_lanes(next.before);
    return next;
}

/*
 * Shrink all windows until they close on the cut of `rank`, of `open` keys in all. A
 * count stops at the window's ends, on whose near side the cut is: so the sum is greater
 * than the rank only if the pivot is behind the cut, and less only if it is before it.
 */
DEVICE void close_windows(struct cut_window *w, wide rank, wide open, int ways)
{
    struct heap_pivot p = {0, WARP, 0, 0};
    struct heap_pivot last = p;
    wide need = rank;

    NO_UNROLL
    for (int round = 0; open > WARP; round++) {
        const struct heap_pivot next =
            next_pivot(w, &last, &p, rank, need, open, round, ways);

        /* Of two before the cut, or two behind it, the farther goes. */
        if (round < 2 || (next.rank < rank) != (p.rank < rank) ||
            (last.rank < rank) == (p.rank < rank))
            last = p;
        p = next;
        if (p.rank >= rank)
            w->hi = p.before;
        if (p.rank <= rank)
            w->lo = p.before + (p.rank < rank && LANE == p.owner);

        const wide missing = p.rank <= rank ? rank - sum_of_lanes(w->lo) : need;

        if (w->hi - w->lo > missing)
            w->hi = w->lo + missing;

        const wide rest = sum_of_lanes(w->hi) - rank;

        if (w->hi - w->lo > rest)
            w->lo = w->hi - rest;
        need = rank - sum_of_lanes(w->lo);
        open = need + rest;
    }
    if (open > 0)
        take_rest(w, (int)need, (int)open);
}

enum { heap_cut_blocks = 8 };

/* Each warp writes one row of round.cuts. */
KERNEL(heap_cut, struct heap_cut_args)
{
    const struct heap_round *const round = &args.round;
    const wide cut = (wide)BLOCK * (THREADS / WARP) + THREAD / WARP;
    const wide group = cut / (round->pieces + 1);
    const wide group_first = group * round->ways * round->run;
    const wide list_first = group_first + LANE * round->run;
    struct cut_window w;
    wide length = 0;

    if (group >= round->groups)
        return;
    if (LANE < round->ways && list_first < round->count)
        length = round->count - list_first;
    if (length > round->run)
        length = round->run;

    const wide whole = sum_of_lanes(length);
    const wide wanted = cut % (round->pieces + 1) * round->piece;
    const wide rank = wanted < whole ? wanted : whole;

    w.list = OPAQUE((const key_cell *)round->in + list_first);
    w.lo = rank == whole ? length : 0;
    w.hi = rank == 0 ? 0 : length;
    close_windows(&w, rank, rank == 0 || rank == whole ? 0 : whole, round->ways);
    if (LANE < round->ways)
        STORE_AS(CUT, (wide_cell *)round->cuts + cut * round->ways + LANE, w.lo);
}
