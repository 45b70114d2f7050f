/*
 * heap_cut.cu - exact cuts (P1): where to cut K sorted lists so that exactly `rank`
 * keys lie before the cuts and none of them is greater than any key after the cuts.
 *
 * One warp finds one cut; each lane searches one list. Keys are ordered by (key, list,
 * position), so no two are equal, the cut is unique, and the merge is stable.
 *
 * Each lane keeps a window [lo, hi] that contains its cut. In each round the lanes agree
 * on a pivot and count their keys before it. The sum tells on which side of the cut the
 * pivot lies, and all windows now end at the pivot on that side. A window never needs more
 * keys than are missing in total, before the cut or after it, so a pivot close to the cut
 * makes all windows short. When the windows hold at most 32 keys, these are ranked
 * directly.
 */

/* One lane's list, and the window that contains its cut. */
struct cut_window {
    const key_cell *list;
    wide lo;
    wide hi;
};

/* The lane with the longest window; the lowest lane among equals. */
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

/* A pivot: a key by which all lists are cut, as one lane sees it. */
struct heap_pivot {
    key value;
    int owner;   /* the lane whose list holds it; WARP: no list, it follows all equals */
    wide before; /* keys of my list before it, clamped to my window, ... */
    wide rank;   /* ... and their sum over all lists */
};

/* Three keys of a window; the middle one is where the pivot is expected. */
struct cut_guess {
    wide place[3];
    key k[3];
};

/*
 * Load the key at the expected place and one key on each side. A good guess has an
 * error of O(sqrt(distance to the nearer end of the window)), so the side keys are about
 * twice that far away. The three loads are in flight together.
 */
DEVICE struct cut_guess look(const struct cut_window *w, wide place)
{
    const wide below = place - w->lo;
    const wide above = w->hi - place;
    const wide nearer = below < above ? below : above;
    const unsigned apart = 2u << HIGHEST_BIT(nearer >> 32 ? ~0u : (unsigned)nearer | 1) / 2;
    struct cut_guess g = {
        {place, place, place},
        {0,     0,     0    }
    };

    if (w->lo < w->hi) {
        g.place[0] = below > apart ? place - apart : w->lo;
        g.place[2] = above > apart ? place + apart : w->hi - 1;
        g.k[0] = LOAD_AS(PROBE, &w->list[g.place[0]]);
        g.k[1] = LOAD_AS(PROBE, &w->list[g.place[1]]);
        g.k[2] = LOAD_AS(PROBE, &w->list[g.place[2]]);
    }
    return g;
}

/*
 * The end of the keys that are at most `most`, searched in [lo, hi) of a list. A step
 * loads three keys at once, since their latencies overlap. The comparisons are added up
 * because branches on them would make the compiler load one after another.
 */
DEVICE wide keys_up_to(const key_cell *list, wide lo, wide hi, key most)
{
    const unsigned longest = 1u << 30; /* times 3 still fits a word */

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

/* Keys of my list before the pivot, clamped to my window. */
DEVICE wide keys_before(const struct cut_window *w, const struct heap_pivot *p,
                        const struct cut_guess *g)
{
    const key most = (key)(p->value - (LANE > p->owner)); /* equal keys: by list */
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

/* My cut if lists have the same distribution: `need` of `open` keys lie before it. */
DEVICE wide likely_place(const struct cut_window *w, wide need, wide open)
{
    const wide length = w->hi - w->lo;
    const wide step = (wide)(QUOTIENT((float)need, (float)open) * (float)length);

    return w->lo + (step < length ? step : length - (length > 0));
}

/* My place for a pivot beyond `to`, by `part` of the distance between `from` and `to`. */
DEVICE wide place_beyond(const struct cut_window *w, wide from, wide to, float part)
{
    const wide step = (wide)(long long)(part * (float)(long long)(to - from));
    const long long into = (long long)(to + step - w->lo);
    const long long last = (long long)(w->hi - w->lo) - (w->lo < w->hi);

    return w->lo + (wide)(into < 0 ? 0 : into < last ? into : last);
}

/* The key there if keys are spread evenly, clamped to the least and greatest key. */
DEVICE key key_beyond(key from, key to, float part)
{
    const float most = 0.999999f; /* below 1: rounding must not exceed a key */
    const int up = (from < to) == (part > 0);
    const key apart = (key)(from < to ? to - from : from - to);
    const key room = up ? (key)~to : to;
    const float wanted = (part > 0 ? part : -part) * (float)apart;
    const key step = wanted < most * (float)room ? (key)wanted : room;

    return (key)(up ? to + step : to - step);
}

/* The distance by rank from `p` to the cut of `rank`, in units of `last` to `p`. */
DEVICE float part_beyond(const struct heap_pivot *last, const struct heap_pivot *p,
                         wide rank)
{
    const float most = 16; /* no extrapolation further than this */
    const float part = QUOTIENT((float)(long long)(rank - p->rank),
                                (float)(long long)(p->rank - last->rank));

    return part > most ? most : part < -most ? -most : part;
}

/*
 * A mask of the lanes with the `wanted` least keys, equal keys by lane. At least
 * `wanted` lanes are `present`.
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
 * Finish when the windows hold at most 32 keys: each lane loads one, list after list,
 * and the `need` least of them lie before the cut.
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
 * A pivot near the cut, which has `need` of the `open` keys before it. The first two
 * rounds assume that all lists have the same distribution: the pivot is about the median
 * of the keys at the likely places. Two pivots tell how key values are spread there, and
 * later rounds interpolate between them. From the fifth round on every other round halves
 * the longest window, which bounds the number of rounds for any keys.
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
 * Shrink all windows, which hold `open` keys, until they close on the cut of `rank`.
 * Counts are clamped to windows that contain the cut, so the sum exceeds the rank only
 * if the pivot is after the cut, and is below it only if the pivot is before the cut.
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

        /* Of two pivots on the same side of the cut, drop the farther one. */
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

/* Each warp finds one cut and writes one row of round.cuts. */
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
