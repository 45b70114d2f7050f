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
 * One warp finds one cut (tile_pivot.cuh). Two launches: first every 32nd cut of
 * a group, in samples only, then all, each between two of those. A group has
 * fewer than 2^32 keys.
 */

/* Which cut a warp is to find, and what is known of it. */
struct cut_task {
    wide group;
    unsigned piece;
    wide group_first;
    wide list_first;
    unsigned length;  /* keys of my list */
    unsigned samples; /* samples of it */
    wide whole;       /* keys of the group */
    wide target;      /* keys that should lie before the cut */
};

DEVICE struct cut_task task_of_warp(const struct tile_round *round, int coarse_only)
{
    const unsigned number = (unsigned)BLOCK * (THREADS / WARP) + THREAD / WARP;
    const unsigned per_group = coarse_only ? round->coarse : round->pieces + 1;
    const unsigned within = number % per_group;
    struct cut_task t;
    wide wanted;

    t.group = number / per_group;
    t.piece = coarse_only ? (within + 1) * TILE_COARSE : within;
    t.group_first = t.group * round->ways * round->run;
    t.list_first = t.group_first + LANE * round->run;
    t.length = 0;
    if (LANE < round->ways && t.list_first < round->count) {
        const wide left = round->count - t.list_first;

        t.length = (unsigned)(left < round->run ? left : round->run);
    }
    t.samples = (t.length + TILE_SAMPLE - 1) / TILE_SAMPLE;
    t.whole = SUM(t.length);
    wanted = t.piece * round->piece;
    t.target = wanted < t.whole ? wanted : t.whole;
    return t;
}

/* My list's coarse cuts of this group; cut i of them is before piece 32 (i + 1). */
DEVICE unsigned_cell *coarse_cuts(const struct tile_round *round, const struct cut_task *t)
{
    return (unsigned_cell *)round->coarse_cuts + t->group * round->coarse * round->ways +
           LANE;
}

/*
 * Where in the samples to look: between the coarse cuts on both sides. They
 * must be other cuts than this one, and real ones: widened by even one sample,
 * a window could hold pivots whose place in another list is outside its window.
 */
DEVICE struct cut_span window_between(const struct tile_round *round,
                                      const struct cut_task *t, int coarse_only)
{
    const unsigned above = t->piece / TILE_COARSE;
    const unsigned below = t->piece % TILE_COARSE ? above : above - 1;
    const unsigned_cell *const coarse = coarse_cuts(round, t);
    struct cut_span w;

    w.keys = (const key_cell *)round->samples;
    w.first = (unsigned)(t->list_first / TILE_SAMPLE);
    w.lo = 0;
    w.hi = t->samples;
    w.whole = t->samples;
    if (coarse_only || LANE >= round->ways)
        return w;
    if (below > 0 && below <= round->coarse)
        w.lo = LOAD(&coarse[(below - 1) * round->ways]);
    if (above < round->coarse)
        w.hi = LOAD(&coarse[above * round->ways]);
    return w;
}

#if NEAR_KEYS

/*
 * Bounds of the keys on both sides of a cut, by their upper halves: those before
 * it are at most bounds[0], those behind it at least bounds[1]. The pivot's key
 * is both; the group's two ends have none, nor has a cut that was found without.
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
    if (LANE < 2)
        STORE((unsigned_cell *)round->bounds + 2 * row + LANE, LANE ? least : most);
}

#endif

enum { tile_cut_blocks = 12 };

/* Each warp finds one cut. */
KERNEL(tile_cut, struct tile_cut_args)
{
    const struct tile_round *const round = &args.round;
    const struct cut_task t = task_of_warp(round, args.coarse_only);
    struct cut_span w;
    unsigned coarse = t.target ? t.samples : 0;
    unsigned cut = t.target ? t.length : 0;
    struct cut_pivot p = {0, -1, 0, 0};

    if (t.group >= round->groups)
        return;
    if (t.target > 0 && t.target < t.whole) {
        w = window_between(round, &t, args.coarse_only);

        p = search_samples(w, t.length, (unsigned)(t.target / 16), round->ways);

        coarse = p.before;
        if (!args.coarse_only)
            cut = search_keys(round, (unsigned)t.list_first, t.length, &p,
                              (unsigned)t.target);
    }
    if (args.coarse_only) {
        if (LANE < round->ways)
            STORE(&coarse_cuts(round, &t)[(t.piece / TILE_COARSE - 1) * round->ways],
                  coarse);
        return;
    }

    const wide row = t.group * (round->pieces + 1) + t.piece;

    if (LANE < round->ways)
        STORE((unsigned_cell *)round->cuts + row * round->ways + LANE, cut);
#if NEAR_KEYS
    put_bounds(round, &t, row, &p);
#endif
}
