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
 * What is left is then shorter than the step, and is halved.
 */
DEVICE unsigned count_before(const struct cut_span *w, const struct cut_pivot *p,
                             unsigned guess, key k)
{
    unsigned lo = w->lo;
    unsigned hi = w->hi;
    unsigned at = guess;
    const unsigned far = guess - lo < hi - guess ? guess - lo : hi - guess;
    const int digits = HIGHEST_BIT(far | 1);
    unsigned step = digits > 4 ? 1u << (digits / 2 - 2) : 1;

    while (lo < hi) {
        const int up = comes_before(k, p);

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

/* A word of my key by which to rank those of all lanes that have one. */
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
 * Whose place to take: of the keys that all lanes found there, the one that
 * has as many others before it as are `missing`.
 */
DEVICE int choose_list(int missing, key mine, int present, int ways)
{
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
 * A pivot with `need` of the `open` places in the windows before it, and half a
 * place more for each list that it falls inside of, supposing the lists are alike.
 */
DEVICE struct cut_pivot take_pivot(const struct cut_span *w, unsigned need, unsigned open,
                                   int ways)
{
    const unsigned length = w->hi - w->lo;
    const unsigned step = (unsigned)(QUOTIENT((float)need, (float)open) * (float)length);
    const unsigned place = w->lo + (step < length ? step : length - (length > 0));
    const int inside = BITS(BALLOT(place > w->lo));
    key mine = (key) ~(key)0;
    struct cut_pivot p;

    if (length > 0)
        mine = key_at(w, place);
    p.owner =
        choose_list((int)(need - SUM(place - w->lo)) + inside / 2, mine, length > 0, ways);
    p.place = SHUFFLE(place, p.owner);
    p.value = (key)SHUFFLE(mine, p.owner);
    p.before = p.place;
    if (LANE != p.owner)
        p.before = count_before(w, &p, place, mine);
    return p;
}

enum { TILE_QUICK_ROUNDS = 4 };

/*
 * Among the samples, a pivot of expected rank near `target`. Each of my samples
 * stands for 32 keys, but the last one before the pivot for 16: the pivot is as
 * likely to be right behind it as right before the next. Not so if there is no
 * next, and the owner knows better.
 */
DEVICE struct cut_pivot search_samples(const struct tile_round *round, unsigned list_first,
                                       unsigned length, unsigned target)
{
    const unsigned tolerance = TILE_SLACK(TILE) / 32 + 1; /* like ranks, in units of 16 */
    const unsigned whole = (length + TILE_SAMPLE - 1) / TILE_SAMPLE;
    const unsigned all = SUM(whole);
    struct cut_span w;
    struct cut_pivot p;
    unsigned aim;

    w.keys = (const key_cell *)round->samples + list_first / TILE_SAMPLE;
    w.lo = 0;
    w.hi = whole;
    target /= 16;
    NO_UNROLL
    for (int i = 0;; i++) {
        const unsigned begun = SUM(w.lo);
        const unsigned open = SUM(w.hi) - begun;

        p = take_pivot(&w, target / 2 > begun ? target / 2 - begun : 0, open, round->ways);

        const int halves =
            BITS(BALLOT(LANE != p.owner && p.before > 0 && p.before < whole));
        const unsigned before = SUM(p.before);
        const unsigned rank = 2 * before - halves;
        const unsigned error = rank > target ? rank - target : target - rank;

        if (error <= tolerance)
            return p;
        aim = (target + halves) / 2;
        narrow(&w, &p, before < aim);
        if (i + 1 == TILE_QUICK_ROUNDS || error > all / 32)
            break;
    }
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
    unsigned at = (p->before - 1) * TILE_SAMPLE;

    if (p->before == 0)
        return 0;
    UNROLL
    for (int step = TILE_SAMPLE / 4; step > 0; step /= 4) {
        int before = 0;

        UNROLL
        for (int i = 1; i < 4; i++) {
            const unsigned next = at + i * step;

            before += next < w->hi && comes_before(key_at(w, next), p);
        }
        at += before * step;
    }
    if (at + 1 < w->hi && comes_before(key_at(w, at + 1), p))
        at++;
    return at + 1;
}

/*
 * What the sample `p` comes to among the keys, or, if its rank is too far from
 * `target`, a better pivot.
 */
DEVICE struct cut_pivot search_keys(const struct tile_round *round, unsigned list_first,
                                    unsigned length, struct cut_pivot p, unsigned target)
{
    const unsigned slack = TILE_SLACK(TILE);
    struct cut_span w;
    unsigned rank;

    w.keys = (const key_cell *)round->in + list_first;
    w.lo = 0;
    w.hi = length;
    p.place *= TILE_SAMPLE;
    p.before = LANE == p.owner ? p.place : count_between(&w, &p);
    rank = SUM(p.before);
    if ((rank < target ? target - rank : rank - target) <= slack)
        return p;
    narrow(&w, &p, rank < target);
    return settle(w.keys, w.lo, w.hi, target, slack);
}
