/*
 * tile_pivot.cuh - guessing the pivot of a cut, and finding its place in each list. It is
 * searched among samples (tile_samples.cuh) or among the keys of lists (lists_cut.cuh).
 *
 * Each lane searches one list. One or two pivots suffice if key values are spread evenly
 * over all lists together, or if lists are similar, each a fair sample of all keys. Two
 * suffice among many equal keys. In all other cases tile_settle.cuh finds the cut.
 */

/*
 * The position in my window of the first key that does not precede the pivot. `k` is the
 * key at `guess`. From there the search goes in doubling steps until it has passed the
 * position, then by bisection between the last two steps. On similar lists the error of
 * the guess is O(sqrt(distance to the window's end)), which sets the first step.
 */
DEVICE unsigned count_before(const struct cut_span *w, const struct cut_pivot *p,
                             unsigned guess, key k)
{
    const key most = most_before(p);
    const int up = k <= most;
    const int toward = up ? 1 : -1;
    const unsigned below = guess - w->lo;
    const unsigned above = w->hi - guess;
    const int digits = HIGHEST_BIT((below < above ? below : above) | 1);
    const unsigned end =
        up ? above - 1 : below; /* distance from the guess to the end of the window */
    unsigned step = digits > 4 ? 1u << (digits / 2 - 2) : 1;
    unsigned passed = 0; /* up to this distance keys are on the guess's side, ... */
    unsigned off = 0;    /* ... and this is the distance of the last probe */
    int again = 1;

    if (most > p->value || w->lo >= w->hi)
        return w->lo;
    while (again && off < end) {
        passed = off;
        off = off + step < end ? off + step : end;
        step *= 2;
        again = (key_at(w, guess + off * toward) <= most) == up;
    }
    if (again)
        return up ? w->hi : w->lo;

    unsigned lo = up ? guess + passed + 1 : guess - off + 1;
    const unsigned hi = lo + (off - passed - 1);

    for (step = lo < hi ? step / 4 : 0; step > 0; step /= 2) {
        const unsigned next = lo + step < hi ? lo + step : hi;

        if (key_at(w, next - 1) <= most)
            lo = next;
    }
    return lo;
}

/* My place if the pivot has the fraction `part` of the keys before it in every list. */
DEVICE unsigned alike_place(const struct cut_span *w, float part)
{
    const unsigned length = w->hi - w->lo;
    const unsigned step = (unsigned)(part * (float)length);

    return w->lo + (step < length ? step : length - (length > 0));
}

/*
 * A pivot with `need` keys of the windows before it, assuming similar lists. `place` is
 * that fraction of my window, rounded down, and `k` the key there. The pivot is the one
 * of these keys whose rank among them makes up for what rounding lost: half the number
 * of lists on average, so about their median.
 */
DEVICE struct cut_pivot alike_pivot(const struct cut_span *w, unsigned need, unsigned place,
                                    key k, int ways)
{
    const int missing = (int)(need - SUM(place - w->lo));
    struct cut_pivot p;

    p.owner = choose_lane(k, w->lo < w->hi, ways, missing);
    p.place = SHUFFLE(place, p.owner);
    p.value = (key)SHUFFLE(k, p.owner);
    p.before = p.place;
    return p;
}

/*
 * A pivot with `need` keys of the windows before it if all keys in the windows equal `k`.
 * Equal keys are ordered by list.
 */
DEVICE struct cut_pivot equal_pivot(const struct cut_span *w, unsigned need, key k)
{
    const unsigned length = w->hi - w->lo;
    const unsigned end = sum_up_to_lane(length);
    const unsigned beyond = BALLOT(end > need);
    const unsigned mine = w->hi - (end - need);
    struct cut_pivot p;

    p.owner = beyond ? LOWEST_BIT(beyond) : HIGHEST_BIT(BALLOT(length > 0));
    p.value = k;
    p.before = LANE < p.owner ? w->hi : LANE > p.owner ? w->lo : beyond ? mine : w->hi - 1;
    p.place = SHUFFLE(p.before, p.owner);
    return p;
}

/* Is `value` neither below nor above all of the lanes' keys? */
DEVICE int is_among(key value, key k, int present)
{
    return BALLOT(present && k < value) && BALLOT(present && k > value);
}

/*
 * Is a pivot's place in some list further from its place in a similar list than chance
 * explains? Four standard deviations are sqrt(whole / 8) samples.
 */
DEVICE int is_astray(unsigned whole, unsigned by)
{
    return BALLOT(8 * by * by > whole) != 0;
}

enum {
    CUT_PIVOTS = 3, /* pivots tried before settle(), not counting tied ones */
    CUT_NEARER = 4, /* each should be closer than the previous one by this factor */
    CUT_FEW = 4     /* samples per list that count as few */
};

/* State of the search among samples. */
struct cut_search {
    struct cut_span w;
    unsigned begun; /* samples before the windows, ... */
    unsigned end;   /* ... and up to their ends */
    key low;        /* no key in the windows is less, ... */
    key high;       /* ... and none greater */
    int tied; /* the last pivot's key is in several lists: 1 before the cut, -1 after it */
};

/*
 * Guess a pivot with `need` samples of the windows before it, the fraction `part` of all.
 * There are two ways: assume that lists are similar, or that key values are spread evenly
 * from `low` to `high`. The second guess is used if it lies among the keys `k` at `place`,
 * where the cut is in similar lists: it is as good if both assumptions hold, and better
 * if only the second does. Once few samples are left, the first way finds the exact one.
 *
 * If the last pivot's key is in several lists, the cut may be among its equals. Then the
 * next pivot is after all of them, or before.
 */
DEVICE struct cut_pivot guess_pivot(const struct tile_round *round,
                                    const struct cut_search *s, unsigned need, float part,
                                    unsigned place, key k)
{
    const int present = s->w.lo < s->w.hi;

    if (s->tied)
        return value_pivot(s->tied > 0 ? s->low : (key)(s->high - 1));
    if (s->end - s->begun > (unsigned)(CUT_FEW * round->ways)) {
        struct cut_pivot p = even_pivot(s->low, s->high, part, round->floats);

        if (is_among(p.value, k, present))
            return p;
        if (round->floats) { /* random bits: the codes are spread evenly */
            p = even_pivot(s->low, s->high, part, 0);
            if (is_among(p.value, k, present))
                return p;
        }
    }
    return alike_pivot(&s->w, need, place, k, round->ways);
}

/* Continue after the pivot, or before it; `before` samples precede it. */
DEVICE void narrow_search(struct cut_search *s, const struct cut_pivot *p, unsigned before,
                          int after)
{
    if (after) {
        s->low = s->tied < 0 ? s->high : p->value;
        s->begun = before + (p->owner < WARP);
    } else {
        s->high = p->value;
        s->end = before;
    }
    narrow(&s->w, p, after);
}

#ifdef TILE_LISTS
enum { CUT_SLACK = PLACED ? LISTS_PLACED_SLACK : LISTS_SLACK };
#else
enum { CUT_SLACK = TILE_SLACK(TILE, ITEMS) };
#endif

/* Is a rank close enough to `target` for a cut? */
DEVICE int near_enough(tile_rank rank, tile_rank target)
{
    return (rank < target ? target - rank : rank - target) <= (unsigned)CUT_SLACK;
}
