/*
 * tile_pivot.cuh - finding the pivot of a cut (tile_cut.cu): first among samples, every
 * 32nd key, then its exact rank among the keys.
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

/*
 * Find a pivot among samples whose expected rank is near `target`. Each sample before the
 * pivot counts for 32 keys, but the last one of a list for 16, since the pivot may be
 * anywhere between it and the next. It counts for 32 if there is no next sample, or in
 * the list of the pivot itself. The number of lists with a half sample is known only
 * for a given pivot; the estimate is that of the previous pivot, and at first all lists
 * but one.
 *
 * `*alike` is set to 0 if lists turn out not to be similar.
 */
DEVICE struct cut_pivot search_samples(const struct tile_round *round,
                                       const key_cell *samples, unsigned length,
                                       unsigned target, int *alike)
{
    const unsigned tolerance =
        (TILE_SLACK(TILE) + 36) / 32; /* ranks here are in units of 16 keys */
    const unsigned whole = (length + TILE_SAMPLE - 1) / TILE_SAMPLE;
    const unsigned all = SUM(whole);
    int halves = BITS(BALLOT(whole > 0)) - 1;
    struct cut_search s;
    unsigned aim; /* samples before the wanted pivot */
    unsigned last_error = ~0u;

    s.w.list = dense_list(samples);
    s.w.lo = s.begun = 0;
    s.w.hi = whole;
    s.end = all;
    s.low = least_key(whole ? key_at(&s.w, 0) : 0, whole > 0);
    s.high = greatest_key(whole ? key_at(&s.w, whole - 1) : 0, whole > 0);
    s.tied = 0;
    target /= 16;
    aim = (target + halves) / 2;
    NO_UNROLL
    for (int i = 0; s.end > s.begun; i++) {
        const unsigned need = aim > s.begun ? aim - s.begun : 0;

        if (s.low >= s.high)
            return equal_pivot(&s.w, need, s.low);
        if (i >= CUT_PIVOTS && !s.tied)
            break;

        const float part = QUOTIENT((float)need, (float)(s.end - s.begun));
        const unsigned place = alike_place(&s.w, part);
        const int present = s.w.lo < s.w.hi;
        const key k = present ? key_at(&s.w, place) : (key) ~(key)0;
        struct cut_pivot p = guess_pivot(round, &s, need, part, place, k);
        const int ties = p.owner < WARP && BITS(BALLOT(present && k == p.value)) > 1;

        if (LANE != p.owner)
            p.before = count_before(&s.w, &p, place, k);

        const unsigned before = SUM(p.before);

        halves = BITS(BALLOT(LANE != p.owner && p.before > 0 && p.before < whole));
        aim = (target + halves) / 2;
        if (is_astray(whole, p.before - place))
            *alike = 0;

        const unsigned rank = 2 * before - halves;
        const unsigned error = rank > target ? rank - target : target - rank;
        const int hopeless = error > last_error / CUT_NEARER && !s.tied &&
                             error > (unsigned)(2 * CUT_FEW * round->ways);
        const int after = before < aim;

        if (error <= tolerance)
            return p;
        narrow_search(&s, &p, before, after);
        s.tied = !ties ? 0 : after ? 1 : -1;
        if (hopeless && !ties)
            break;
        last_error = error;
    }
    *alike = 0;
    if (aim >= all)
        aim = all - 1;
    if (aim < s.begun || aim >= s.end) {
        s.w.lo = 0;
        s.w.hi = whole;
    }
    return settle(s.w, aim, tolerance / 2);
}

/*
 * The number of my keys before the pivot, given the number of my samples before it: the
 * position is between the last of these and the next sample.
 */
DEVICE unsigned count_between(const struct cut_span *w, const struct cut_pivot *p)
{
    const key most = most_before(p);
    unsigned at = (p->before - 1) * TILE_SAMPLE;

    if (p->before == 0)
        return 0;
    UNROLL
    for (int step = TILE_SAMPLE / 4; step > 0; step /= 4) {
        int before = 0;

        UNROLL
        for (int i = 1; i < 4; i++) {
            const unsigned next = at + i * step;

            before += next < w->hi && key_at(w, next) <= most;
        }
        at += before * step;
    }
    if (at + 1 < w->hi && key_at(w, at + 1) <= most)
        at++;
    return at + 1;
}

/* Is a rank close enough to `target` for a cut? */
DEVICE int near_enough(unsigned rank, unsigned target)
{
    return (rank < target ? target - rank : rank - target) <= (unsigned)TILE_SLACK(TILE);
}

/*
 * Try a pivot nearby, assuming similar lists: windows are shortened to what is missing.
 * The owner is -1 if the rank is too far off, or not known because the position is at an
 * end of a window that was shortened there.
 */
DEVICE struct cut_pivot look_close(const struct cut_span *w, unsigned target, int ways)
{
    struct cut_span near = *w;
    struct cut_pivot p;

    shorten(&near, target);

    const unsigned begun = SUM(near.lo);

    const unsigned need = target - begun;
    const unsigned open = SUM(near.hi) - begun;
    const unsigned place = alike_place(&near, QUOTIENT((float)need, (float)open));
    const key k = near.lo < near.hi ? key_at(&near, place) : (key) ~(key)0;

    p = alike_pivot(&near, need, place, k, ways);
    if (LANE != p.owner)
        p.before = count_before(&near, &p, place, k);

    const int unknown = LANE != p.owner && ((p.before == near.hi && near.hi < w->hi) ||
                                            (p.before == near.lo && near.lo > w->lo));

    if (BALLOT(unknown) || !near_enough(SUM(p.before), target))
        p.owner = -1;
    return p;
}

/*
 * Find the exact rank of the sample `p` among the keys; if it is too far from `target`,
 * find a better pivot.
 */
DEVICE struct cut_pivot search_keys(const struct tile_round *round, struct cut_list keys,
                                    unsigned length, struct cut_pivot p, unsigned target,
                                    int alike)
{
    struct cut_span w;
    unsigned rank;

    keys.keys = OPAQUE(keys.keys);
    w.list = keys;
    w.lo = 0;
    w.hi = length;
    p.place *= TILE_SAMPLE;
    p.before = LANE == p.owner ? p.place : count_between(&w, &p);
    rank = SUM(p.before);
    if (near_enough(rank, target))
        return p;

    /* Among equal keys of one list, move the cut to the target. */
    const unsigned place = p.place + (target - rank);
    const int slides = LANE == p.owner && place < length && key_at(&w, place) == p.value;

    if (BALLOT(slides)) {
        p.place = place;
        if (slides)
            p.before = place;
        return p;
    }
    narrow(&w, &p, rank < target);
    if (alike) {
        p = look_close(&w, target, round->ways);
        if (p.owner >= 0)
            return p;
    }
    return settle(w, target, TILE_SLACK(TILE));
}
