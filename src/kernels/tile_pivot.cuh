/*
 * tile_pivot.cuh - finding the pivot of a cut (tile_cut.cu): first among samples,
 * every 32nd key, then what it comes to among the keys themselves.
 *
 * One lane looks after one list. If keys are spread evenly in value, whichever list
 * has them, or if lists are alike, each a fair sample of all keys, one or two pivots
 * are enough. Among many equal keys two are, too. Where nothing of that holds,
 * tile_settle.cuh finds the cut.
 */

/*
 * How many keys of my window come before the pivot. `k` is the key at `guess`.
 * Looked for around there, in steps that double until the place is passed: on
 * like lists the guess is off by about the root of the way from the window's end.
 * What lies between the last two is then halved.
 */
DEVICE unsigned count_before(const struct cut_span *w, const struct cut_pivot *p,
                             unsigned guess, key k)
{
    const key most = most_before(p);
    const int up = k <= most;
    const int toward = up ? 1 : -1;
    const unsigned behind = guess - w->lo;
    const unsigned ahead = w->hi - guess;
    const int digits = HIGHEST_BIT((behind < ahead ? behind : ahead) | 1);
    const unsigned end =
        up ? ahead - 1 : behind; /* of the window: how far from the guess */
    unsigned step = digits > 4 ? 1u << (digits / 2 - 2) : 1;
    unsigned passed = 0; /* how far keys are known to be on the guess's side, ... */
    unsigned off = 0;    /* ... and how far the last one was that was looked at */
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

/* My place if the pivot has `part` of all places before it and lists are alike. */
DEVICE unsigned alike_place(const struct cut_span *w, float part)
{
    const unsigned length = w->hi - w->lo;
    const unsigned step = (unsigned)(part * (float)length);

    return w->lo + (step < length ? step : length - (length > 0));
}

/*
 * A pivot that has `need` places of the windows before it, supposing the lists are
 * alike: of the keys `k` at `place`, as far into each window as that asks for, rounded
 * down, the one with as many of the others before it as rounding lost. Half of the
 * lists' number on average, so it is about the median of them.
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
 * A pivot with `need` places of the windows before it, which hold nothing but keys equal
 * to `k`: these follow each other by lists.
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

/* Is a key neither before nor behind all of the lanes' keys? */
DEVICE int is_among(key value, key k, int present)
{
    return BALLOT(present && k < value) && BALLOT(present && k > value);
}

/*
 * Is a pivot's place in some list further from that in a list like all others than chance
 * would have it? That is four times the square root of a quarter of its keys.
 */
DEVICE int is_astray(unsigned whole, unsigned by)
{
    return BALLOT(8 * by * by > whole) != 0;
}

enum {
    CUT_PIVOTS = 3, /* that are tried before settle(), but for those that are tied */
    CUT_NEARER = 4, /* times nearer each should be than the one before */
    CUT_FEW = 4     /* samples a list: no more are few */
};

/* What is known while a cut is looked for among the samples. */
struct cut_search {
    struct cut_span w;
    unsigned begun; /* samples before the windows, ... */
    unsigned end;   /* ... and up to their ends */
    key low;        /* no key in the windows is less, ... */
    key high;       /* ... and none greater */
    int tied; /* the last pivot's key is in several lists: 1 before the cut, -1 behind */
};

/*
 * A pivot that has `need` places of the windows before it, `part` of all, or nearly. There
 * are two ways to guess one: lists are alike, or keys are spread evenly from `low` to
 * `high`. If the second guess is among the keys `k` that lists have at `place`, where the
 * cut is if they are alike, it is taken: it is as good if both are true, and better if
 * only this one is. Once few samples are left the first way finds the right one of them.
 *
 * If the last pivot's key is in several lists the cut may well be among its equals. Then
 * the next one is behind them all, or before.
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
        if (round->floats) { /* or their codes are, as random bits */
            p = even_pivot(s->low, s->high, part, 0);
            if (is_among(p.value, k, present))
                return p;
        }
    }
    return alike_pivot(&s->w, need, place, k, round->ways);
}

/* Go on behind the pivot, or on its other side; it has `before` samples before it. */
DEVICE void narrow_search(struct cut_search *s, const struct cut_pivot *p, unsigned before,
                          int behind)
{
    if (behind) {
        s->low = s->tied < 0 ? s->high : p->value;
        s->begun = before + (p->owner < WARP);
    } else {
        s->high = p->value;
        s->end = before;
    }
    narrow(&s->w, p, behind);
}

/*
 * Among the samples, a pivot of expected rank near `target`. Each of my samples
 * stands for 32 keys, but the last one before the pivot for 16: the pivot is as
 * likely to be right behind it as right before the next. Not so if there is no
 * next, and the owner knows better. How many lists have such a half sample is not
 * known before there is a pivot; the pivot before it tells, and at first all do.
 *
 * `alike` is set to 0 if lists turn out not to be.
 */
DEVICE struct cut_pivot search_samples(const struct tile_round *round,
                                       const key_cell *samples, unsigned length,
                                       unsigned target, int *alike)
{
    const unsigned tolerance =
        (TILE_SLACK(TILE) + 36) / 32; /* like ranks, in units of 16 */
    const unsigned whole = (length + TILE_SAMPLE - 1) / TILE_SAMPLE;
    const unsigned all = SUM(whole);
    int halves = BITS(BALLOT(whole > 0)) - 1;
    struct cut_search s;
    unsigned aim; /* samples before the pivot that is looked for */
    unsigned last_error = ~0u;

    s.w.keys = samples;
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
        const int behind = before < aim;

        if (error <= tolerance)
            return p;
        narrow_search(&s, &p, before, behind);
        s.tied = !ties ? 0 : behind ? 1 : -1;
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
    return settle(s.w.keys, s.w.lo, s.w.hi, aim, tolerance / 2);
}

/*
 * How many of my keys come before the pivot, given how many of my samples do:
 * the last of these comes before it, the next sample does not.
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

/* May a cut be made there? */
DEVICE int near_enough(unsigned rank, unsigned target)
{
    return (rank < target ? target - rank : rank - target) <= (unsigned)TILE_SLACK(TILE);
}

/*
 * A pivot close by, if lists are alike there: windows need not be longer than what is
 * missing. None, -1, if its rank is too far off, or unknown, since it has all of a
 * window that was shortened on one side.
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
 * What the sample `p` comes to among the keys, or, if its rank is too far from
 * `target`, a better pivot.
 */
DEVICE struct cut_pivot search_keys(const struct tile_round *round, unsigned list_first,
                                    unsigned length, struct cut_pivot p, unsigned target,
                                    int alike)
{
    struct cut_span w;
    unsigned rank;

    w.keys = OPAQUE((const key_cell *)round->in + list_first);
    w.lo = 0;
    w.hi = length;
    p.place *= TILE_SAMPLE;
    p.before = LANE == p.owner ? p.place : count_between(&w, &p);
    rank = SUM(p.before);
    if (near_enough(rank, target))
        return p;

    /* Among equals of one list the cut is moved to where it should be. */
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
    return settle(w.keys, w.lo, w.hi, target, TILE_SLACK(TILE));
}
