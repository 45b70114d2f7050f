/*
 * tiles.inl - sort a run without vectors.
 *
 * Networks make runs of NETWORK ranks, a tile is sorted while it is in L1, and tiles are
 * merged by twos, a level at a time, between two halves of the working memory.
 */
enum { NETWORK = 16, BLOCK = NETWORK * ROW, TILE = 16384 / sizeof(rank) };

_Static_assert(TILE % BLOCK == 0, "a tile is made of whole blocks");
_Static_assert(RUN_MOST % TILE == 0, "padding to whole blocks never leaves the memory");

static inline void network_sort(row *r)
{
    UNROLL
    for (size_t i = 0; i < sizeof network / sizeof network[0]; i++)
        row_exchange(&r[network[i][0]], &r[network[i][1]]);
}

/* Sort `count` ranks, a multiple of BLOCK, into runs of NETWORK, in place. */
static void network_runs(rank *ranks, size_t count)
{
    for (rank *block = ranks; block < ranks + count; block += BLOCK) {
        row rows[NETWORK];

        for (int i = 0; i < NETWORK; i++)
            rows[i] = row_load(block + i * ROW);
        network_sort(rows);
        for (int i = 0; i < NETWORK; i += ROW)
            rows_store(block + i, NETWORK, rows + i);
    }
}

/* Merge all of two lists. */
static void merge_lists(struct list a, struct list b, rank *to, struct spare *spare)
{
    while (a.count + b.count > 0) {
        const uint64_t left = a.count + b.count;
        const size_t want = left < QUANTUM ? (size_t)left : QUANTUM;

        merge_some(&a, &b, to, want, spare);
        to += want;
    }
}

/* Where the ranks are, and where the next level puts them. */
struct halves {
    rank *here;
    rank *there;
    struct spare *spare;
};

/* Merge runs a, b and c, d of `run` ranks, a multiple of LANES, all in a row. */
static void merge_pairs(const rank *from, rank *to, size_t run)
{
    const rank *const a = from;
    const rank *const b = a + run;
    const rank *const c = b + run;
    const rank *const d = c + run;
    struct chain chains[4];

    /*
     * A chain that stores half of a pair always finds a rank left in both
     * lists: it has loaded one block more than it stored, at least one of each.
     */
    forward_start(&chains[0], a, b, to);
    backward_start(&chains[1], b, c, to + 2 * run);
    forward_start(&chains[2], c, d, to + 2 * run);
    backward_start(&chains[3], d, d + run, to + 4 * run);
    for (size_t left = run / LANES - 1; left > 0; left--) {
        forward_step(&chains[0]);
        backward_step(&chains[1]);
        forward_step(&chains[2]);
        backward_step(&chains[3]);
    }
}

/* Merge neighbouring runs of `run` ranks by twos; the last may be short or alone. */
static void merge_level(struct halves *halves, size_t count, size_t run)
{
    const rank *const from = halves->here;
    rank *const to = halves->there;
    size_t at = 0;

    for (; count - at >= 4 * run; at += 4 * run) {
        const rank *const four = from + at;

        if (four[run - 1] <= four[run] && four[3 * run - 1] <= four[3 * run])
            memcpy(to + at, four, 4 * run * sizeof *to);
        else
            merge_pairs(four, to + at, run);
    }
    while (at < count) {
        const size_t left = count - at;
        const size_t a = left < run ? left : run;
        const size_t b = left - a < run ? left - a : run;

        merge_lists((struct list){from + at, a}, (struct list){from + at + a, b}, to + at,
                    halves->spare);
        at += a + b;
    }
    halves->there = halves->here;
    halves->here = to;
}

/* Merge levels until runs are `last` long. */
static void merge_levels(struct halves *halves, size_t count, size_t run, size_t last)
{
    for (; run < last; run *= 2)
        merge_level(halves, count, run);
}

/* Sort `count` keys, rounded up to whole blocks by fillers; return the sorted half. */
static rank *sort_tiles(const struct run_task *task, struct halves halves)
{
    const key *const from = (const key *)task->from;
    const size_t keys = (size_t)task->count;
    const size_t count = (keys + BLOCK - 1) / BLOCK * BLOCK;
    const size_t tile = count < TILE ? count : TILE;
    struct halves done = halves;

    for (size_t at = 0; at < count; at += tile) {
        const size_t some = count - at < tile ? count - at : tile;
        const size_t real = keys - at < some ? keys - at : some;

        done = (struct halves){halves.here + at, halves.there + at, halves.spare};
        enter_all(done.here, from + at, real, task->code);
        for (size_t i = real; i < some; i++)
            done.here[i] = RANK_LAST;
        network_runs(done.here, some);
        merge_levels(&done, some, NETWORK, tile);
        done.here -= at;
        done.there -= at;
    }
    merge_levels(&done, count, tile, count);
    return done.here;
}
