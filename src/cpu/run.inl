/*
 * run.inl - sorting what fits the caches into one run.
 *
 * A tile is sorted while it is in L1; tiles are then merged
 * by twos, a level at a time, between two halves of the working memory.
 */
enum { TILE = 16384 / sizeof(rank), RUN_MOST = RUN_BYTES / sizeof(rank) };

struct run_work {
    struct spare spare;
    rank halves[2][RUN_MOST];
};

_Static_assert(TILE % BLOCK == 0, "a tile is made of whole blocks");
_Static_assert(RUN_MOST % TILE == 0, "padding to whole blocks never leaves the memory");
_Static_assert(sizeof(struct run_work) <= WORK_BYTES, "a run fits the working memory");

/* Where the ranks are, and where the next level puts them. */
struct halves {
    rank *here;
    rank *there;
    struct spare *spare;
};

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

/* Enter keys that ascend or descend, so that they ascend. */
static rank *enter_ordered(const struct run_task *task, rank *to, unsigned found)
{
    const size_t count = (size_t)task->count;

    enter_all(to, (const key *)task->from, count, task->code);
    if (!(found & ORDER_UP))
        reverse(to, count, 0, count / 2);
    return to;
}

/* Sort into working memory, and write from there. */
static void run_by_merging(const struct run_task *task, unsigned found)
{
    struct run_work *const work = (struct run_work *)task->work;
    const struct halves halves = {work->halves[0], work->halves[1], &work->spare};
    rank *const sorted =
        found ? enter_ordered(task, work->halves[0], found) : sort_tiles(task, halves);
    struct output output = {(key *)task->to, task->code, task->leaving, task->stream};

    output_write(&output, sorted, (size_t)task->count);
    write_fence();
}

static void run(const struct run_task *task)
{
    const unsigned found = order(task->from, task->count, task->code);

#if LANES > 1
    if (!found && task->leaving && task->from == task->to) {
        quick_sort((key *)task->to, (size_t)task->count, task->code);
        return;
    }
#endif
    run_by_merging(task, found);
}

static int rises(const void *ranks, uint64_t at)
{
    const rank *const all = (const rank *)ranks;

    return all[at - 1] <= all[at];
}
