/*
 * run.inl - sorting what fits the caches into one run.
 */
enum { RUN_MOST = RUN_BYTES / sizeof(rank) };

struct run_work {
    struct spare spare;
    rank halves[2][RUN_MOST];
};

_Static_assert(sizeof(struct run_work) <= WORK_BYTES, "a run fits the working memory");

#if LANES == 1
#include "tiles.inl"
#endif

/* Enter keys that ascend or descend, so that they ascend. */
static rank *enter_ordered(const struct run_task *task, rank *to, unsigned found)
{
    const size_t count = (size_t)task->count;

    enter_all(to, (const key *)task->from, count, task->code);
    if (!(found & ORDER_UP))
        reverse(to, count, 0, count / 2);
    return to;
}

#if LANES > 1
/* Sort the run where it belongs. */
static void run_disordered(const struct run_task *task)
{
    const size_t count = (size_t)task->count;
    rank *const to = (rank *)task->to;
    struct quick q = {CODING_NONE, flip_of(task->code), count};

    if (task->from == task->to && task->leaving) {
        quick_sort((key *)task->to, count, task->code, quick_depth(count));
        return;
    }
    if (task->leaving)
        q.coding = coding_of(task->code);
    enter_all(to, (const key *)task->from, count, task->code);
    quick_piece(&q, (struct piece){to, count, RANK_FIRST, RANK_LAST, quick_depth(count)});
}
#else
static void run_disordered(const struct run_task *task)
{
    struct run_work *const work = (struct run_work *)task->work;
    const struct halves halves = {work->halves[0], work->halves[1], &work->spare};
    struct output output = {(key *)task->to, task->code, task->leaving, task->stream};

    output_write(&output, sort_tiles(task, halves), (size_t)task->count);
}
#endif

static void run(const struct run_task *task)
{
    struct run_work *const work = (struct run_work *)task->work;
    const unsigned found = order(task->from, task->count, task->code);
    struct output output = {(key *)task->to, task->code, task->leaving, task->stream};

    if (found)
        output_write(&output, enter_ordered(task, work->halves[0], found),
                     (size_t)task->count);
    else
        run_disordered(task);
    stream_end();
}

static int rises(const void *ranks, uint64_t at)
{
    const rank *const all = (const rank *)ranks;

    return all[at - 1] <= all[at];
}
