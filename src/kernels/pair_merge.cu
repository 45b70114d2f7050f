/*
 * pair_merge.cu - merge pairs of runs; each block writes one tile of the result.
 */

/* Where the tile's keys are: `a_count` of the first run, the others of the second. */
struct pair_source {
    const key_cell *a;
    const key_cell *b; /* offset so that key i >= a_count of the tile is b[i] */
    int a_count;
    int count;
};

/* The keys between the cut before this tile and the cut after it. */
DEVICE struct pair_source pair_source_of(const struct pair_round *round)
{
    const wide tile = BLOCK;
    const struct pair_group g = pair_group_of(round, tile);
    const wide_cell *const cut = (const wide_cell *)round->cuts + tile;
    const wide begin = tile * PAIR_KEYS - g.first;
    const wide left = g.a_count + g.b_count - begin;
    const key_cell *const in = (const key_cell *)round->in + g.first;
    const wide a = LOAD_AS(CUT, &cut[0]);
    wide a_end = g.a_count;
    struct pair_source s;

    if (left > PAIR_KEYS)
        a_end = LOAD_AS(CUT, &cut[1]);
    s.a_count = (int)(a_end - a);
    s.count = (int)(left < PAIR_KEYS ? left : PAIR_KEYS);
    s.a = in + a;
    s.b = in + g.a_count + (begin - a) - s.a_count;
    return s;
}

/* Load both parts to shared memory, consecutively; fillers complete a short tile. */
DEVICE void pair_fetch(key_cell *cells, const struct pair_source *s)
{
    item r[PAIR_E];

    UNROLL
    for (int j = 0; j < PAIR_E; j++) {
        const int i = PAIR_THREADS * j + THREAD;
        const key_cell *const from = i < s->a_count ? s->a : s->b;

        r[j] = filler();
        if (i < s->count)
            r[j] = LOAD_AS(BULK, &from[i]);
    }
    UNROLL
    for (int j = 0; j < PAIR_E; j++)
        STORE(&cells[PAIR_THREADS * j + THREAD], (key)r[j]);
    pair_guard(cells);
}

enum { pair_merge_blocks = 4 };

/* Each block merges one tile of the output; the last may be short. */
KERNEL(pair_merge, struct pair_merge_args)
{
    SHARED(struct pair_shared, sm);
    const struct pair_source source = pair_source_of(&args.round);
    key_cell *const out = (key_cell *)args.round.out + (wide)BLOCK * PAIR_KEYS;
    item r[PAIR_E];

    pair_fetch(sm->cells, &source);
    BARRIER();
    pair_merge_part(sm->cells, 0, source.a_count, PAIR_KEYS - source.a_count, THREAD, r);
    pair_store(sm->cells, r, out, source.count, &args.leave);
}
