/*
 * tile_pivot.cuh - finding the pivot of a cut (tile_cut.cu): first among samples,
 * every 32nd key, then what it comes to among the keys themselves.
 *
 * One lane looks after one list. Lists are taken to be alike, each a fair sample
 * of all keys, and then one or two pivots are enough. Where they turn out not to
 * be, tile_settle.cuh finds the cut.
 */

/*
 * How many keys of my window come before the pivot. `k` is the key at `guess`.
 * Looked for around there, in steps that double until the place is passed: on
 * like lists the guess is off by about the root of the way from the window's end.
 * What is left is then halved: no step is longer than half of it.
 */
DEVICE unsigned count_before(const struct cut_span *w, const struct cut_pivot *p,
                             unsigned guess, key k)
{
    const key most = most_before(p);
    unsigned lo = w->lo;
    unsigned hi = most > p->value ? lo : w->hi;
    unsigned at = guess;
    const unsigned far = guess - lo < w->hi - guess ? guess - lo : w->hi - guess;
    const int digits = HIGHEST_BIT(far | 1);
    unsigned step = digits > 4 ? 1u << (digits / 2 - 2) : 1;

    if (lo < hi) {
        for (;;) {
            const int up = k <= most;

            if (up)
                lo = at + 1;
            else
                hi = at;
            if (lo >= hi)
                break;

            const unsigned half = (hi - lo) / 2;
            const unsigned next = step < half ? step : half;

            at = up ? lo + next : hi - 1 - next;
            step *= 2;
            k = key_at(w, at);
        }
    }
    return lo;
}

/*
 * A pivot that has `need` of the `open` places in the windows before it, supposing
 * the lists are alike: of the keys that are as far into each window as that asks
 * for, rounded down, the one with as many of the others before it as rounding lost.
 * Half of the lists' number on average, so it is about the median of them.
 */
DEVICE struct cut_pivot take_pivot(const struct cut_span *w, unsigned need, unsigned open,
                                   int ways)
{
    const unsigned length = w->hi - w->lo;
    const unsigned step = (unsigned)(QUOTIENT((float)need, (float)open) * (float)length);
    const unsigned place = w->lo + (step < length ? step : length - (length > 0));
    key mine = (key) ~(key)0;
    struct cut_pivot p;

    if (length > 0)
        mine = key_at(w, place);

    const int missing = (int)(need - SUM(place - w->lo));

    p.owner = choose_lane(mine, length > 0, ways, missing);
    p.place = SHUFFLE(place, p.owner);
    p.value = (key)SHUFFLE(mine, p.owner);
    p.before = p.place;
    if (LANE != p.owner)
        p.before = count_before(w, &p, place, mine);
    return p;
}

enum { TILE_QUICK_ROUNDS = 3 };

/*
 * Among the samples, a pivot of expected rank near `target`. Each of my samples
 * stands for 32 keys, but the last one before the pivot for 16: the pivot is as
 * likely to be right behind it as right before the next. Not so if there is no
 * next, and the owner knows better. How many lists have such a half sample is not
 * known before there is a pivot; the pivot before it tells, and at first all do.
 * If the lists turn out not to be `alike`, it is set to 0.
 */
DEVICE struct cut_pivot search_samples(const struct tile_round *round, unsigned list_first,
                                       unsigned length, unsigned target, int *alike)
{
    const unsigned tolerance =
        (TILE_SLACK(TILE) + 36) / 32; /* like ranks, in units of 16 */
    const unsigned whole = (length + TILE_SAMPLE - 1) / TILE_SAMPLE;
    const unsigned all = SUM(whole);
    int halves = BITS(BALLOT(whole > 0)) - 1;
    struct cut_span w;
    unsigned aim; /* samples before the pivot that is looked for */

    w.keys = OPAQUE((const key_cell *)round->samples + list_first / TILE_SAMPLE);
    w.lo = 0;
    w.hi = whole;
    target /= 16;
    aim = (target + halves) / 2;
    NO_UNROLL
    for (int i = 0; i < TILE_QUICK_ROUNDS; i++) {
        const unsigned begun = SUM(w.lo);
        const unsigned open = SUM(w.hi) - begun;

        if (open == 0)
            break;

        const struct cut_pivot p =
            take_pivot(&w, aim > begun ? aim - begun : 0, open, round->ways);
        const unsigned before = SUM(p.before);

        halves = BITS(BALLOT(LANE != p.owner && p.before > 0 && p.before < whole));
        aim = (target + halves) / 2;

        const unsigned rank = 2 * before - halves;
        const unsigned error = rank > target ? rank - target : target - rank;

        if (error <= tolerance)
            return p;
        narrow(&w, &p, before < aim);
        if (error > all / 8)
            break;
    }
    *alike = 0;
    if (aim >= all)
        aim = all - 1;
    if (aim < SUM(w.lo) || aim >= SUM(w.hi)) {
        w.lo = 0;
        w.hi = whole;
    }
    return settle(w.keys, w.lo, w.hi, aim, tolerance / 2);
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

    p = take_pivot(&near, target - begun, SUM(near.hi) - begun, ways);

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
    narrow(&w, &p, rank < target);
    if (alike) {
        p = look_close(&w, target, round->ways);
        if (p.owner >= 0)
            return p;
    }
    return settle(w.keys, w.lo, w.hi, target, TILE_SLACK(TILE));
}
