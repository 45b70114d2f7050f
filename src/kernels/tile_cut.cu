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
    wide list_first;
    unsigned length; /* keys of my list */
    wide whole;      /* keys of the group */
    wide target;     /* keys that should lie before the cut */
};

DEVICE struct cut_task task_of(const struct tile_round *round, unsigned group,
                               unsigned piece)
{
    struct cut_task t;
    wide wanted;

    t.list_first = ((wide)group * round->ways + LANE) * round->run;
    t.length = 0;
    if (LANE < round->ways && t.list_first < round->count) {
        const wide left = round->count - t.list_first;

        t.length = (unsigned)(left < round->run ? left : round->run);
    }
    t.whole = SUM(t.length);
    wanted = piece * round->piece;
    t.target = wanted < t.whole ? wanted : t.whole;
    return t;
}

/* Where a cut is put, and what of it. */
struct cut_place {
    unsigned_cell *cuts;   /* keys of each list before it */
    unsigned_cell *bounds; /* NEAR_KEYS: the least behind it here, ... */
    int sides;             /* ... if CUT_BEHIND is set, and if CUT_BEFORE is the most */
                           /*   that is before it one place ahead */
};

enum { CUT_BEFORE = 1, CUT_BEHIND = 2 }; /* a bit for each of the lanes that store them */

#if NEAR_KEYS

/*
 * Bounds of the keys on both sides of a cut, by their upper halves: of the most
 * that is before it, and of the least behind it. The pivot's key is both; the two
 * ends of the group have no pivot. What two cuts say of the tile between them lies
 * side by side, for one request to read.
 */
DEVICE void put_bounds(const struct tile_round *round, const struct cut_task *t,
                       const struct cut_place *to, const struct cut_pivot *p)
{
    const key_cell *const keys = (const key_cell *)round->in + t->list_first;
    unsigned most = p->owner < 0 ? ~0u : (unsigned)(p->value >> 32);
    unsigned least = p->owner < 0 ? 0 : most;

    if (t->target == 0)
        least = ~GREATEST(t->length ? (unsigned)~(LOAD(&keys[0]) >> 32) : 0);
    else if (t->target == t->whole)
        most = GREATEST(t->length ? (unsigned)(LOAD(&keys[t->length - 1]) >> 32) : 0);
    if (LANE < 2 && to->sides >> LANE & 1)
        STORE(to->bounds + LANE - 1, LANE ? least : most);
}

#endif

/* My warp finds the cut before piece `piece` of a group; the last one ends the group. */
DEVICE void find_cut(const struct tile_round *round, unsigned group, unsigned piece,
                     const struct cut_place *to)
{
    const struct cut_task t = task_of(round, group, piece);
    unsigned cut = t.target ? t.length : 0;
    struct cut_pivot p = {0, -1, 0, 0};

    if (t.target > 0 && t.target < t.whole) {
        const unsigned first = (unsigned)t.list_first;
        const unsigned target = (unsigned)t.target;

        int alike = 1;

        p = search_samples(round, first, t.length, target, &alike);
        p = search_keys(round, first, t.length, p, target, alike);
        cut = p.before;
    }
    if (LANE < round->ways)
        STORE(&to->cuts[LANE], cut);
#if NEAR_KEYS
    put_bounds(round, &t, to, &p);
#endif
}

enum { tile_cut_blocks = 10 };

/* Each warp finds one cut. */
KERNEL(tile_cut, struct tile_cut_args)
{
    const struct tile_round *const round = &args.round;
    const unsigned row = (unsigned)BLOCK * (THREADS / WARP) + THREAD / WARP;
    const unsigned group = row / (round->pieces + 1);
    struct cut_place to;

    if (group >= round->groups)
        return;
    to.cuts = (unsigned_cell *)round->cuts + (wide)row * round->ways;
    to.bounds = (unsigned_cell *)round->bounds + 2 * (wide)row;
    to.sides = row > 0 ? CUT_BEFORE | CUT_BEHIND : CUT_BEHIND;
    find_cut(round, group, row % (round->pieces + 1), &to);
}
