/*
 * split.cuh - windows of all lists in which a cut lies, as one warp keeps them.
 *
 * A warp finds one cut at a time, and lane l looks after lists l, l + 32, and so on. A
 * window's ends are in the warp's scratch memory, where only that lane reads and writes
 * them. Every step keeps the sum of the lower ends at most the rank, and the sum of the
 * upper ends at least the rank. So a cut has exactly `rank` rows before it, even if a list
 * is not sorted or a comparison is inconsistent.
 */

struct split_task {
    const struct split_lists *lists;
    wide_cell *lo; /* the cut of list i is in [lo[i], hi[i]] */
    wide_cell *hi;
    wide_cell *before; /* rows of list i before the last pivot */
    wide rank;
    wide below; /* the sum of all lo */
    wide above; /* the sum of all hi */
};

DEVICE wide split_sum(wide v)
{
    UNROLL
    for (int step = WARP / 2; step > 0; step /= 2)
        v += SHUFFLE_XOR(v, step);
    return v;
}

/* Inclusive prefix sum over the lanes. */
DEVICE wide split_sum_up_to(wide sum)
{
    UNROLL
    for (int step = 1; step < WARP; step *= 2) {
        const wide other = SHUFFLE(sum, (LANE - step) & (WARP - 1));

        sum += LANE >= step ? other : 0;
    }
    return sum;
}

/* The warp's task with its scratch memory; there is no rank yet. */
DEVICE struct split_task split_task_of(const struct split_lists *lists, wide warp)
{
    wide_cell *const scratch =
        (wide_cell *)lists->scratch + warp * SPLIT_SCRATCH * lists->list_count;
    struct split_task t;

    t.lists = lists;
    t.lo = scratch;
    t.hi = scratch + lists->list_count;
    t.before = scratch + 2 * lists->list_count;
    t.rank = t.below = t.above = 0;
    return t;
}

/* Begin with rank number `number`: windows are the whole lists. */
DEVICE void split_begin(struct split_task *t, wide number)
{
    const unsigned count = t->lists->list_count;
    const wide_cell *const firsts = (const wide_cell *)t->lists->firsts;
    const wide rank = LOAD((const wide_cell *)t->lists->ranks + number);

    t->below = 0;
    t->above = LOAD(firsts + count);
    t->rank = rank < t->above ? rank : t->above;
    NO_UNROLL
    for (unsigned i = LANE; i < count; i += WARP) {
        STORE(t->lo + i, 0);
        STORE(t->hi + i, LOAD(firsts + i + 1) - LOAD(firsts + i));
    }
}

/* Continue after the pivot, or before it; `owner` is its list, which it is in. */
DEVICE void split_narrow(struct split_task *t, wide total, unsigned owner)
{
    const int after = total < t->rank;

    NO_UNROLL
    for (unsigned i = LANE; i < t->lists->list_count; i += WARP) {
        const wide before = LOAD(t->before + i);

        if (after)
            STORE(t->lo + i, before + (i == owner));
        else
            STORE(t->hi + i, before);
    }
    if (after)
        t->below = total + (owner < t->lists->list_count);
    else
        t->above = total;
}

/* Is nothing left to be found? Then the cut is where all windows begin or all end. */
DEVICE int split_is_done(const struct split_task *t)
{
    return t->below == t->rank || t->above == t->rank;
}

/*
 * Write the cut. If it is not done, the rows in the windows are taken to be equal: those
 * of the first lists come first.
 */
DEVICE void split_store(const struct split_task *t, wide number)
{
    const unsigned count = t->lists->list_count;
    const int at_end = t->above == t->rank;
    wide_cell *const cuts = (wide_cell *)t->lists->cuts + number * count;
    wide need = at_end ? t->above - t->below : t->rank - t->below;

    NO_UNROLL
    for (unsigned base = 0; base < count; base += WARP) {
        const unsigned i = base + LANE;
        const wide lo = i < count ? LOAD(t->lo + i) : 0;
        const wide length = i < count ? LOAD(t->hi + i) - lo : 0;
        const wide end = split_sum_up_to(length);
        const wide begin = end - length;
        const wide mine = need > begin ? need - begin : 0;

        if (i < count)
            STORE_AS(CUT, cuts + i, lo + (mine < length ? mine : length));

        const wide all = SHUFFLE(end, WARP - 1);

        need -= need < all ? need : all;
    }
}

/* A row in some window. */
struct split_place {
    unsigned list;
    wide row; /* of that list */
};

/* The row at place `at` of the concatenated windows, which has less than all of them. */
DEVICE struct split_place split_find(const struct split_task *t, wide at)
{
    const unsigned count = t->lists->list_count;
    struct split_place p = {0, 0};

    NO_UNROLL
    for (unsigned base = 0; base < count; base += WARP) {
        const unsigned i = base + LANE;
        const wide lo = i < count ? LOAD(t->lo + i) : 0;
        const wide length = i < count ? LOAD(t->hi + i) - lo : 0;
        const wide end = split_sum_up_to(length);
        const unsigned beyond = BALLOT(end > at);
        const int lane = beyond ? LOWEST_BIT(beyond) : WARP - 1;

        p.list = base + (unsigned)lane;
        p.row = SHUFFLE(lo + (at - (end - length)), lane);
        if (beyond)
            break;
        at -= SHUFFLE(end, WARP - 1);
    }
    return p;
}

/* A number below `most`, the same whenever it is asked for. */
DEVICE wide split_random(wide seed, wide most)
{
    wide mixed = (seed + 1) * 0x9e3779b97f4a7c15ull;

    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ull;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebull;
    return (mixed ^ mixed >> 31) % most;
}
