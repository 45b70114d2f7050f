/*
 * lists_pair.cuh - the cuts of two lists of bare keys: each lane finds one. A warp for each
 * cut would leave 30 lanes idle, and an eighth of all blocks would find cuts.
 *
 * A cut has exactly `target` keys before it. Key i of the first list is one of them unless
 * key target - 1 - i of the second list precedes it (merge path). This holds for all i
 * below some place, which is found as a place in a list is (lists_place.cuh).
 */

/* The only group, whose cuts have two cells. */
DEVICE struct lists_group group_of_all(const tile_input *in)
{
    struct tile_round one = in->merge.round;

    one.groups = 1;
    return group_of(&one, in, 0, 0);
}

/* A key of a list, which is in global memory. */
DEVICE key pair_key(const struct cut_list *list, unsigned at)
{
    return enter(LOAD_AS(PROBE, OPAQUE(key_of_row(list->in, list->first + at))),
                 &list->in->lists.enter);
}

/* Two lists, and the keys that should lie before my cut. */
struct pair_task {
    struct cut_list a;
    struct cut_list b;
    unsigned a_count;
    unsigned b_count;
    unsigned target;
};

/* How many keys of the first list are before my cut. The first guess: lists are similar. */
DEVICE unsigned pair_place(const struct pair_task *t)
{
    const float part = QUOTIENT((float)t->a_count, (float)t->a_count + (float)t->b_count);
    const float alike = part * (float)t->target;
    struct place_window w;

    w.lo = t->target > t->b_count ? t->target - t->b_count : 0;
    w.hi = t->target < t->a_count ? t->target : t->a_count;

    float below = alike - (float)w.lo; /* after probes: b's key minus a's at w.lo, ... */
    float above = (float)w.hi - alike; /* ... and a's minus b's at w.hi */
    int misses = 0;

    NO_UNROLL
    while (w.lo < w.hi) {
        const unsigned length = w.hi - w.lo;
        unsigned at[PLACE_PROBES];
        key a[PLACE_PROBES];
        key b[PLACE_PROBES];

        if (misses < PLACE_MISSES && length > PLACE_FEW)
            probe_around(&w, even_place(&w, QUOTIENT(below, below + above)), at);
        else
            probe_quarters(&w, at);
        UNROLL
        for (int i = 0; i < PLACE_PROBES; i++) {
            a[i] = pair_key(&t->a, at[i]);
            b[i] = pair_key(&t->b, t->target - 1 - at[i]);
        }
        UNROLL
        for (int i = 0; i < PLACE_PROBES; i++) {
            if (at[i] < w.lo || at[i] >= w.hi)
                continue;
            if (a[i] <= b[i])
                w.lo = at[i] + 1, below = (float)(key)(b[i] - a[i]);
            else
                w.hi = at[i], above = (float)(key)(a[i] - b[i]);
        }
        misses = w.hi - w.lo < length / PLACE_NEARER ? 0 : misses + 1;
    }
    return w.lo;
}

/* The bound of my cut (find_bound): the key after it, or at the end the last key. */
DEVICE cut_bound pair_bound(const struct pair_task *t, unsigned place)
{
#if NEAR_KEYS
    const int ends = t->target == t->a_count + t->b_count;
    const unsigned a_at = place - (ends && place > 0);
    const unsigned b_at = t->target - place - (ends && place < t->target);
    const int has_a = a_at < t->a_count;
    const int has_b = b_at < t->b_count;
    const unsigned a = has_a ? (unsigned)(pair_key(&t->a, a_at) >> 32) : 0;
    const unsigned b = has_b ? (unsigned)(pair_key(&t->b, b_at) >> 32) : 0;

    if (!has_a || !has_b)
        return has_a ? a : b;
    return (a > b) == ends ? a : b;
#else
    (void)t, (void)place;
    return 0;
#endif
}

/* Find the cuts of WARP rows from `row` on and post them; there is one group. */
DEVICE void post_pair_cuts(const struct tile_round *round, const tile_input *in,
                           unsigned row)
{
    const struct lists_group g = group_of_all(in);
    const struct cut_task mine = task_of(round, in, &g, row + LANE);
    const struct pair_task t = {list_of_lane(&mine.list, 0), list_of_lane(&mine.list, 1),
                                SHUFFLE(g.length, 0), SHUFFLE(g.length, 1),
                                (unsigned)mine.target};
    const wide number = (wide)round->number << 32;

    if (row + LANE >= rows_of(round))
        return;

    const unsigned place = pair_place(&t);
    const cut_bound bound = pair_bound(&t, place);
    wide_cell *const cells = cells_of(round, row + LANE);

    POST(CUT, cells, number | (wide)(bound & 0xffff) << 48 | place);
    POST(CUT, cells + 1, number | (wide)(bound >> 16) << 48 | (t.target - place));
}
