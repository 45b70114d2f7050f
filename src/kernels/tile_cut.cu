/*
 * tile_cut.cu - cuts for the tile engine: near every `piece` keys of a group's
 * output, found mostly without touching the keys.
 *
 * A cut is made by a pivot, a key or a value in the total order (key, list, position):
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

/* What a warp has found: my list's keys before the cut, and the pivot, if there is one. */
struct cut {
    struct cut_task task;
    struct cut_pivot pivot;
    unsigned before;
};

/* The samples of the round, or those from one on, fetched to shared memory. */
struct cut_samples {
    const key_cell *from;
    unsigned first; /* the number of the first one there */
};

/*
 * The cut before piece `piece` of a group; the last one ends the group. `fetched`: the
 * samples may lie in shared memory, which is not for OPAQUE.
 */
DEVICE struct cut find_cut(const struct tile_round *round,
                           const struct cut_samples *samples, unsigned group,
                           unsigned piece, const int fetched)
{
    const struct cut_pivot none = {0, -1, 0, 0};
    struct cut c;

    c.task = task_of(round, group, piece);
    c.pivot = none;
    c.before = c.task.target ? c.task.length : 0;
    if (c.task.target > 0 && c.task.target < c.task.whole) {
        const unsigned first = (unsigned)c.task.list_first;
        const unsigned target = (unsigned)c.task.target;
        const key_cell *const mine = samples->from + (first / TILE_SAMPLE - samples->first);
        int alike = 1;

        c.pivot = search_samples(round, fetched ? mine : OPAQUE(mine), c.task.length,
                                 target, &alike);
        c.pivot = search_keys(round, first, c.task.length, c.pivot, target, alike);
        c.before = c.pivot.before;
    }
    return c;
}

DEVICE void put_cut(const struct tile_round *round, const struct cut *c,
                    const struct cut_place *to)
{
    if (LANE < round->ways)
        STORE(&to->cuts[LANE], c->before);
#if NEAR_KEYS
    put_bounds(round, &c->task, to, &c->pivot);
#endif
}

enum { tile_cut_blocks = 10 };

/* Each warp finds one cut. */
KERNEL(tile_cut, struct tile_cut_args)
{
    const struct tile_round *const round = &args.round;
    const unsigned number = (unsigned)BLOCK * (THREADS / WARP) + THREAD / WARP;
    const unsigned group = number / (round->pieces + 1);
    const unsigned piece = number % (round->pieces + 1);

    if (group >= round->groups)
        return;

    const struct cut_samples samples = {(const key_cell *)round->samples, 0};
    const struct cut c = find_cut(round, &samples, group, piece, 0);
    const wide row = (wide)group * (round->pieces + 1) + piece;
    struct cut_place to;

    to.cuts = (unsigned_cell *)round->cuts + row * round->ways;
    to.bounds = (unsigned_cell *)round->bounds + 2 * row;
    to.sides = row > 0 ? CUT_BEFORE | CUT_BEHIND : CUT_BEHIND;
    put_cut(round, &c, &to);
}
