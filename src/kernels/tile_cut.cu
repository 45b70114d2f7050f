/*
 * tile_cut.cu - cuts for the tile engine: near every `piece` keys of a group's
 * output, found mostly without touching the keys.
 *
 * A cut is made by a pivot, a key in the total order (key, list, position):
 * what comes before it in each list is before the cut. So all cuts agree with
 * each other and with the stable order, wherever the pivots are; only the
 * tiles' lengths depend on how well they were chosen, and a cut that is up to
 * TILE_SLACK keys off does no harm.
 *
 * Pivots are looked for among samples, every 32nd key of the array, which the
 * pass before wrote side by side. Counting samples before the pivot tells its
 * rank but for 32 keys a list, half of that on average; when this estimate is
 * near enough, the exact places are found between two samples of each list. A
 * pivot that turns out too far off, which is rare, starts a search among keys.
 *
 * One warp finds one cut (tile_pivot.cuh). A group has fewer than 2^32 keys.
 */

/* Which cut a warp is to find, and what is known of it. */
struct cut_task {
    wide group;
    unsigned piece;
    wide group_first;
    wide list_first;
    unsigned length; /* keys of my list */
    wide whole;      /* keys of the group */
    wide target;     /* keys that should lie before the cut */
};

DEVICE struct cut_task task_of_warp(const struct tile_round *round)
{
    const unsigned number = (unsigned)BLOCK * (THREADS / WARP) + THREAD / WARP;
    struct cut_task t;
    wide wanted;

    t.group = number / (round->pieces + 1);
    t.piece = number % (round->pieces + 1);
    t.group_first = t.group * round->ways * round->run;
    t.list_first = t.group_first + LANE * round->run;
    t.length = 0;
    if (LANE < round->ways && t.list_first < round->count) {
        const wide left = round->count - t.list_first;

        t.length = (unsigned)(left < round->run ? left : round->run);
    }
    t.whole = SUM(t.length);
    wanted = t.piece * round->piece;
    t.target = wanted < t.whole ? wanted : t.whole;
    return t;
}

#if NEAR_KEYS

/*
 * Bounds of the keys on both sides of a cut, by their upper halves: of the most
 * that is before it, and of the least behind it. The pivot's key is both; the two
 * ends of the group have no pivot. What two cuts say of the tile between them lies
 * side by side, for one request to read.
 */
DEVICE void put_bounds(const struct tile_round *round, const struct cut_task *t, wide row,
                       const struct cut_pivot *p)
{
    const key_cell *const keys = (const key_cell *)round->in + t->list_first;
    unsigned most = p->owner < 0 ? ~0u : (unsigned)(p->value >> 32);
    unsigned least = p->owner < 0 ? 0 : most;

    if (t->target == 0)
        least = ~GREATEST(t->length ? (unsigned)~(LOAD(&keys[0]) >> 32) : 0);
    else if (t->target == t->whole)
        most = GREATEST(t->length ? (unsigned)(LOAD(&keys[t->length - 1]) >> 32) : 0);
    if (LANE < 2 && row + LANE > 0)
        STORE((unsigned_cell *)round->bounds + 2 * row + LANE - 1, LANE ? least : most);
}

#endif

enum { tile_cut_blocks = 10 };

/* Each warp finds one cut. */
KERNEL(tile_cut, struct tile_cut_args)
{
    const struct tile_round *const round = &args.round;
    const struct cut_task t = task_of_warp(round);
    unsigned cut = t.target ? t.length : 0;
    struct cut_pivot p = {0, -1, 0, 0};

    if (t.group >= round->groups)
        return;
    if (t.target > 0 && t.target < t.whole) {
        const unsigned first = (unsigned)t.list_first;
        const unsigned target = (unsigned)t.target;

        int alike = 1;

        p = search_samples(round, first, t.length, target, &alike);
        p = search_keys(round, first, t.length, p, target, alike);
        cut = p.before;
    }

    const wide row = t.group * (round->pieces + 1) + t.piece;

    if (LANE < round->ways)
        STORE((unsigned_cell *)round->cuts + row * round->ways + LANE, cut);
#if NEAR_KEYS
    put_bounds(round, &t, row, &p);
#endif
}
