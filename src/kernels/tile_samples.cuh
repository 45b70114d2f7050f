/*
 * tile_samples.cuh - finding the pivot of a cut among samples, every 32nd key, and then
 * its exact rank among the keys (tile_cut.cu).
 */

/*
 * Find a pivot among samples whose expected rank is near `wanted`. Each sample before the
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
                                       tile_rank wanted, int *alike)
{
    const unsigned tolerance =
        (TILE_SLACK(TILE, ITEMS) + 36) / 32; /* ranks here are in units of 16 keys */
    const unsigned whole = (length + TILE_SAMPLE - 1) / TILE_SAMPLE;
    const unsigned all = SUM(whole);
    const unsigned target = (unsigned)(wanted / 16);
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

/*
 * Keys before the pivot in my list if it is one of `count` lists from `first` on, otherwise
 * 0, among at most 31 keys of each list. `window` has their number and the place before
 * the first of them, a multiple of 32. The warp has all loads under way at once.
 */
DEVICE unsigned count_lists(const struct cut_span *w, const struct cut_pivot *p,
                            unsigned window, int first, const int count)
{
    key k[TILE_MOST_WAYS / 2];
    int present[TILE_MOST_WAYS / 2];
    unsigned before = 0;

    UNROLL
    for (int i = 0; i < count; i++) {
        const struct cut_list keys = list_of_lane(&w->list, first + i);
        const unsigned its = SHUFFLE(window, first + i);

        k[i] = 0;
        present[i] = LANE < (int)(its % TILE_SAMPLE);
        if (present[i])
            k[i] = list_key(&keys, its / TILE_SAMPLE * TILE_SAMPLE + 1 + (unsigned)LANE);
    }
    UNROLL
    for (int i = 0; i < count; i++) {
        const key most = (key)(p->value - (first + i > p->owner));
        const unsigned those = BALLOT(present[i] && k[i] <= most);

        before += LANE == first + i ? (unsigned)BITS(those) : 0;
    }
    return before;
}

/*
 * The same as count_between() where few keys are to be sorted: it waits for one load, or
 * two of 32 lists, instead of three.
 */
DEVICE unsigned count_at_once(const struct cut_span *w, const struct cut_pivot *p, int ways)
{
    const unsigned sample = p->before ? (p->before - 1) * TILE_SAMPLE : 0;
    const unsigned after = p->before ? w->hi - sample - 1 : 0;
    const unsigned window = sample | (after < TILE_SAMPLE ? after : TILE_SAMPLE - 1);
    unsigned before = p->before ? sample + 1 : 0;

    if (ways <= 8)
        return before + count_lists(w, p, window, 0, 8);
    NO_UNROLL
    for (int first = 0; first < ways; first += TILE_MOST_WAYS / 2)
        before += count_lists(w, p, window, first, TILE_MOST_WAYS / 2);
    return before;
}

/*
 * Try a pivot nearby, assuming similar lists: windows are shortened to what is missing.
 * The owner is -1 if the rank is too far off, or not known because the position is at an
 * end of a window that was shortened there.
 */
DEVICE struct cut_pivot look_close(const struct cut_span *w, tile_rank target, int ways)
{
    struct cut_span near = *w;
    struct cut_pivot p;

    shorten(&near, target);

    const tile_rank begun = RANK_SUM(near.lo);

    const unsigned need = (unsigned)(target - begun);
    const unsigned open = (unsigned)(RANK_SUM(near.hi) - begun);
    const unsigned place = alike_place(&near, QUOTIENT((float)need, (float)open));
    const key k = near.lo < near.hi ? key_at(&near, place) : (key) ~(key)0;

    p = alike_pivot(&near, need, place, k, ways);
    if (LANE != p.owner)
        p.before = count_before(&near, &p, place, k);

    const int unknown = LANE != p.owner && ((p.before == near.hi && near.hi < w->hi) ||
                                            (p.before == near.lo && near.lo > w->lo));

    if (BALLOT(unknown) || !near_enough(RANK_SUM(p.before), target))
        p.owner = -1;
    return p;
}

/*
 * Find the exact rank of the sample `p` among the keys; if it is too far from `target`,
 * find a better pivot. `at_once`: by count_at_once().
 */
DEVICE struct cut_pivot search_keys(const struct tile_round *round, struct cut_list keys,
                                    unsigned length, struct cut_pivot p, tile_rank target,
                                    int alike, const int at_once)
{
    struct cut_span w;
    tile_rank rank;

    keys.keys = OPAQUE(keys.keys);
    w.list = keys;
    w.lo = 0;
    w.hi = length;
    p.place *= TILE_SAMPLE;
    if (at_once) {
        const unsigned before = count_at_once(&w, &p, round->ways);

        p.before = LANE == p.owner ? p.place : before;
    } else {
        p.before = LANE == p.owner ? p.place : count_between(&w, &p);
    }
    rank = RANK_SUM(p.before);
    if (near_enough(rank, target))
        return p;

    /* Among equal keys of one list, move the cut to the target. */
    const unsigned place = p.place + (unsigned)(target - rank);
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
    return settle(w, target, CUT_SLACK);
}
