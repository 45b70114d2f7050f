/*
 * tile_pivot.cuh - finding the pivot of a cut (tile_cut.cu): first among samples,
 * every 32nd key, then what it comes to among the keys themselves.
 *
 * One lane looks after one list. Lists are taken to be alike, each a fair sample
 * of all keys, and then one or two pivots are enough. Where they turn out not to
 * be, keys are taken to be spread evenly in value, whichever list has them. Where
 * that does not hold either, tile_settle.cuh finds the cut.
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

/* My place if the pivot has `need` of the `open` places before it and lists are alike. */
DEVICE unsigned alike_place(const struct cut_span *w, unsigned need, unsigned open)
{
    const unsigned length = w->hi - w->lo;
    const unsigned step = (unsigned)(QUOTIENT((float)need, (float)open) * (float)length);

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

enum {
    CUT_PIVOTS = 6, /* that are tried before settle() */
    CUT_TIES = 1,   /* the last of them if many keys are equal */
    CUT_NEARER = 2, /* bits by which a pivot of like lists should be nearer each time */
    CUT_FAILED = 4  /* a pivot of even keys should be so many times nearer */
};

/*
 * Among the samples, a pivot of expected rank near `target`. Each of my samples
 * stands for 32 keys, but the last one before the pivot for 16: the pivot is as
 * likely to be right behind it as right before the next. Not so if there is no
 * next, and the owner knows better. How many lists have such a half sample is not
 * known before there is a pivot; the pivot before it tells, and at first all do.
 *
 * Lists are taken to be alike until a pivot is further off than they allow; if that
 * happens, `alike` is set to 0. From then on keys are taken to be evenly spread
 * between the nearest pivots on both sides, or the end of a window, until few samples
 * are left there: then the first way finds the right one of these.
 */
DEVICE struct cut_pivot search_samples(const struct tile_round *round,
                                       const key_cell *samples, unsigned length,
                                       unsigned target, int *alike)
{
    const unsigned tolerance =
        (TILE_SLACK(TILE) + 36) / 32; /* like ranks, in units of 16 */
    const unsigned whole = (length + TILE_SAMPLE - 1) / TILE_SAMPLE;
    const unsigned all = SUM(whole);
    const unsigned few = 4 * round->ways;
    int far = HIGHEST_BIT(all) / 2 - 2; /* 2^far: by more like lists are seldom off */
    int halves = BITS(BALLOT(whole > 0)) - 1;
    struct cut_span w;
    unsigned aim; /* samples before the pivot that is looked for */
    unsigned last_error = ~0u;
    int floats = 0; /* they are evenly spread, not their codes: as in struct tile_round */
    key low = 0;    /* keys are evenly spread from here ... */
    key high = 0;   /* ... to here */

    w.keys = samples;
    w.lo = 0;
    w.hi = whole;
    target /= 16;
    aim = (target + halves) / 2;
    NO_UNROLL
    for (int i = 0; i < CUT_PIVOTS; i++) {
        const unsigned begun = SUM(w.lo);
        const unsigned open = SUM(w.hi) - begun;
        const unsigned need = aim > begun ? aim - begun : 0;

        if (open == 0)
            break;

        const unsigned place = alike_place(&w, need, open);
        const key k = w.lo < w.hi ? key_at(&w, place) : (key) ~(key)0;
        const int even = !*alike && open > few && low < high;
        struct cut_pivot p;

        if (even)
            p = even_pivot(low, high, need, open, floats);
        else
            p = alike_pivot(&w, need, place, k, round->ways);
        if (LANE != p.owner)
            p.before = count_before(&w, &p, place, k);

        const unsigned before = SUM(p.before);

        halves = BITS(BALLOT(LANE != p.owner && p.before > 0 && p.before < whole));
        aim = (target + halves) / 2;

        const unsigned rank = 2 * before - halves;
        const unsigned error = rank > target ? rank - target : target - rank;
        const int behind = before < aim;

        if (error <= tolerance)
            return p;
        if (even && error > last_error / CUT_FAILED && error > 2 * few)
            i = CUT_PIVOTS;
        if (*alike && error >> (far > 0 ? far : 0)) {
            const int present = w.lo < w.hi;
            const int ties = BITS(BALLOT(present && k == p.value)) > 1;

            if (behind || round->floats)
                high = greatest_key(present ? key_at(&w, w.hi - 1) : 0, present);
            if (!behind || round->floats)
                low = least_key(present ? key_at(&w, w.lo) : 0, present);
            if (round->floats) {
                const float part = QUOTIENT((float)(before - begun), (float)open);
                const int they = floats_are_even(low, high, p.value, part, round->floats);

                floats = they ? round->floats : 0;
            }
            *alike = ties;
            if (ties && i == CUT_TIES)
                i = CUT_PIVOTS;
        }
        if (behind)
            low = p.value;
        else
            high = p.value;
        narrow(&w, &p, behind);
        last_error = error;
        far -= CUT_NEARER;
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

    const unsigned need = target - begun;
    const unsigned place = alike_place(&near, need, SUM(near.hi) - begun);
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
    narrow(&w, &p, rank < target);
    if (alike) {
        p = look_close(&w, target, round->ways);
        if (p.owner >= 0)
            return p;
    }
    return settle(w.keys, w.lo, w.hi, target, TILE_SLACK(TILE));
}
