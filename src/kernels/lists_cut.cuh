/*
 * lists_cut.cuh - the cuts of lists that lie anywhere and have no samples.
 *
 * As in tile_cut.cu a cut is made by a pivot in the total order (key, list, position), so
 * all cuts are consistent, and it may be off by LISTS_SLACK keys. Pivots are searched among
 * the keys themselves. Two suffice for random lists, and three for most others.
 */
#include "tile_bound.cuh"

#include "lists_place.cuh"

/* A group of lists that are merged, as each lane sees it. */
struct lists_group {
    unsigned number;
    unsigned first_tile;
    unsigned first_list;
    unsigned list_count;
    unsigned first_row; /* rows of all lists before it */
    unsigned mine;      /* my list; without one, the first */
    unsigned length;    /* keys of my list, or 0 */
    wide at;            /* where its keys are */
};

/* How many tiles come before a group, or how many cuts: a group has one more of these. */
DEVICE unsigned tiles_before(const tile_input *in, unsigned group, int with_cuts)
{
    return (unsigned)LOAD((const wide_cell *)in->lists.groups + 2 * group + 1) +
           (with_cuts ? group : 0);
}

/* The number of the group of tile or cut `at`: in each step lanes try other groups. */
DEVICE unsigned find_group(const tile_input *in, unsigned count, unsigned at, int with_cuts)
{
    unsigned lo = 0;

    NO_UNROLL
    while (count > 1) {
        const unsigned step = (count + WARP - 1) / WARP;
        const unsigned probe = LANE * step;
        const int before = probe < count && tiles_before(in, lo + probe, with_cuts) <= at;
        const unsigned passed = HIGHEST_BIT(BALLOT(before) | 1) * step;

        lo += passed;
        count = count - passed < step ? count - passed : step;
    }
    return lo;
}

/*
 * The group of tile `at`, or of cut `at`. If there is only one, all loads are independent
 * of each other and of those of cuts, so that a block waits for them only once.
 */
DEVICE struct lists_group group_of(const struct tile_round *round, const tile_input *in,
                                   unsigned at, int with_cuts)
{
    const wide_cell *const firsts = (const wide_cell *)in->lists.firsts;
    struct lists_group g = {0, 0, 0, 0, 0, 0, 0, 0};

    g.list_count = in->lists.merged;
    if (round->groups > 1) {
        g.number = find_group(in, round->groups, at, with_cuts);
        g.first_tile = tiles_before(in, g.number, 0);

        const wide lists = LOAD((const wide_cell *)in->lists.groups + 2 * g.number);

        g.first_list = (unsigned)lists;
        g.list_count = (unsigned)(lists >> 32);
        g.first_row = (unsigned)LOAD(firsts + g.first_list);
    }
    g.mine = g.first_list + ((unsigned)LANE < g.list_count ? LANE : 0);
    g.at = list_at(in, 0, g.mine);
    if ((unsigned)LANE < g.list_count)
        g.length = (unsigned)(LOAD(firsts + g.mine + 1) - LOAD(firsts + g.mine));
    return g;
}

/* My list of a group. */
DEVICE struct cut_list list_of_group(const tile_input *in, const struct lists_group *g)
{
    struct cut_list list;

    list.in = in;
#ifdef TILE_PLACES
    list.at = g->at;
    list.number = g->mine;
#else
    list.first = g->at / sizeof(key);
#endif
    return list;
}

/* The cut before piece `piece` of a group: pieces are equally long. */
DEVICE struct cut_task task_of(const struct tile_round *round, const tile_input *in,
                               const struct lists_group *g, unsigned piece)
{
    struct cut_task t;
    wide pieces;
    wide wanted;

    t.list = list_of_group(in, g);
    t.length = g->length;
    t.whole = SUM(g->length);
    pieces = (t.whole + round->piece - 1) / round->piece;
    wanted = pieces ? piece * ((t.whole + pieces - 1) / pieces) : 0;
    t.target = wanted < t.whole ? wanted : t.whole;
    return t;
}

enum { LISTS_PIVOTS = 4 }; /* pivots tried before settle(), not counting tied ones */

#ifdef TILE_PLACES

/* How many of my keys precede the pivot; `k` is the key at `guess`. */
DEVICE unsigned keys_before(const struct cut_search *s, const struct cut_pivot *p,
                            unsigned guess, key k)
{
    return count_before(&s->w, p, guess, k);
}

#else

/*
 * The same in few rounds. Keys of the windows are from `low` to `high`, unless lists are
 * not sorted: then the result is some place of the window.
 */
DEVICE unsigned keys_before(const struct cut_search *s, const struct cut_pivot *p,
                            unsigned guess, key k)
{
    const key most = most_before(p);
    struct place_window w = {s->w.lo, s->w.hi};
    float below = (float)(key)(most - s->low); /* from the window's least key to `most` */
    float above = (float)(key)(s->high - most);
    int misses = 0;

    if (most > p->value || w.lo >= w.hi)
        return w.lo;
    if (k <= most)
        w.lo = guess + 1, below = (float)(key)(most - k);
    else
        w.hi = guess, above = (float)(key)(k - most);
    NO_UNROLL
    while (w.lo < w.hi) {
        const unsigned length = w.hi - w.lo;
        unsigned at[PLACE_PROBES];
        key probe[PLACE_PROBES];

        if (misses < PLACE_MISSES && length > PLACE_FEW)
            probe_around(&w, even_place(&w, QUOTIENT(below, below + above)), at);
        else
            probe_quarters(&w, at);
        UNROLL
        for (int i = 0; i < PLACE_PROBES; i++)
            probe[i] = key_at(&s->w, at[i]);
        UNROLL
        for (int i = 0; i < PLACE_PROBES; i++) {
            if (at[i] < w.lo || at[i] >= w.hi)
                continue;
            if (probe[i] <= most)
                w.lo = at[i] + 1, below = (float)(key)(most - probe[i]);
            else
                w.hi = at[i], above = (float)(key)(probe[i] - most);
        }
        misses = w.hi - w.lo < length / PLACE_NEARER ? 0 : misses + 1;
    }
    return w.lo;
}

#endif

/* Where the next pivot is looked for in my list, if lists are similar. */
struct alike_guess {
    float part; /* of the keys in all windows, those that should precede it */
    unsigned place;
    key k; /* the key at that place */
};

DEVICE struct alike_guess guess_alike(const struct cut_search *s, unsigned target)
{
    const unsigned need = target - s->begun;
    const unsigned open = s->end - s->begun;
    struct alike_guess g;

    g.part = QUOTIENT((float)need, (float)(open > 0 ? open : 1));
    g.place = alike_place(&s->w, g.part);
    g.k = s->w.lo < s->w.hi ? key_at(&s->w, g.place) : (key) ~(key)0;
    return g;
}

/*
 * Find a pivot whose rank is near the target, which is neither 0 nor the number of all
 * keys. The least and the greatest key are loaded together with the first guess.
 */
DEVICE struct cut_pivot search_lists(const struct tile_round *round,
                                     const struct cut_task *t)
{
    const unsigned target = (unsigned)t->target;
    const int some = t->length > 0;
    struct cut_search s;
    struct alike_guess g;
    unsigned last_error = ~0u;

    s.w.list = t->list;
    s.w.lo = s.begun = 0;
    s.w.hi = t->length;
    s.end = (unsigned)t->whole;
    s.tied = 0;
    g = guess_alike(&s, target);

    const key first = some ? key_at(&s.w, 0) : 0;
    const key last = some ? key_at(&s.w, t->length - 1) : 0;

    s.low = least_key(first, some);
    s.high = greatest_key(last, some);
    NO_UNROLL
    for (int i = 0; s.end > s.begun; i++) {
        const unsigned need = target - s.begun;

        if (s.low >= s.high)
            return equal_pivot(&s.w, need, s.low);
        if (i >= LISTS_PIVOTS && !s.tied)
            break;
        if (i > 0)
            g = guess_alike(&s, target);

        const int present = s.w.lo < s.w.hi;
        struct cut_pivot p = guess_pivot(round, &s, need, g.part, g.place, g.k);
        const int ties = p.owner < WARP && BITS(BALLOT(present && g.k == p.value)) > 1;

        if (LANE != p.owner)
            p.before = keys_before(&s, &p, g.place, g.k);

        const unsigned rank = SUM(p.before);
        const unsigned error = rank > target ? rank - target : target - rank;
        const int after = rank < target;
        const int hopeless = error > last_error / CUT_NEARER && !s.tied && !ties;

        if (near_enough(rank, target))
            return p;
        narrow_search(&s, &p, rank, after);
        s.tied = !ties ? 0 : after ? 1 : -1;
        if (hopeless)
            break;
        last_error = error;
    }
    return settle(s.w, target, CUT_SLACK);
}

/* Rows of cuts in all groups; `pieces` are the tiles of all groups. */
DEVICE unsigned rows_of(const struct tile_round *round)
{
    return round->groups + round->pieces;
}

/* Find the cut of a row and post it. */
DEVICE void post_cut(const struct tile_round *round, const tile_input *in, unsigned row)
{
    const struct lists_group g = group_of(round, in, row, 1);
    const struct cut_task t = task_of(round, in, &g, row - g.first_tile - g.number);
    struct cut_pivot p = {0, -1, 0, 0};

    p.before = t.target ? t.length : 0;
    if (t.target > 0 && t.target < t.whole)
        p = search_lists(round, &t);

    const cut_bound bound = find_bound(in, &t, &p);

    if (LANE < cut_cells(round))
        POST(CUT, cells_of(round, row) + LANE,
             (wide)round->number << 32 | cell_of(p.before, bound));
}
