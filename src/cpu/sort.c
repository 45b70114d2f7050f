/*
 * sort.c - a sort of bare keys on the CPU: detect sorted input, then count, merge runs, or
 * hand over to sort_few.c, sort_deal.c or sort_quick.c.
 */
#include "cpu/rows.h"
#include "cpu/sort_deal.h"
#include "cpu/sort_few.h"
#include "cpu/sort_parts.h"
#include "cpu/sort_quick.h"

#include <string.h>

enum {
    RUN_LEAST = 16384,       /* keys that are worth a thread */
    SCAN_STEP = 1 << 16,     /* keys looked at before asking what others found */
    TALLY_LEAST = 1 << 15,   /* 16-bit keys that are worth a table */
    TALLY_THREAD = 1 << 18,  /* and those worth a thread with its own table */
    QUICK_THREAD = 1 << 16,  /* keys of a quicksort for each of three threads or more */
    NATURAL_LEAST = 1 << 14, /* keys in which runs are looked for */
    WINDOWS = 16             /* places where they are */
};

/* Where the part of a worker begins. */
static uint64_t share(const struct sort *sort, uint64_t count, unsigned worker)
{
    return pool_part(count, sort->workers, worker);
}

/* ---- Keys that are in order already --------------------------------------- */

static void scan_share(void *arg, unsigned worker)
{
    struct sort *const sort = (struct sort *)arg;
    const struct sort_request *const r = sort->request;
    const uint64_t last = share(sort, r->count, worker + 1);

    for (uint64_t at = share(sort, r->count, worker); at < last; at += SCAN_STEP) {
        /* One key more than the step: the first of the next. */
        const uint64_t left = r->count - at;
        const uint64_t some = left < SCAN_STEP + 1 ? left : SCAN_STEP + 1;

        if (!atomic_load_explicit(&sort->found, memory_order_relaxed))
            return;
        atomic_fetch_and(&sort->found,
                         r->suite->order(key_at(r->keys, at, sort->size), some, r->code));
    }
}

static void reverse_share(void *arg, unsigned worker)
{
    const struct sort *const sort = (const struct sort *)arg;
    const struct sort_request *const r = sort->request;

    r->suite->reverse(r->keys, r->count, share(sort, r->count / 2, worker),
                      share(sort, r->count / 2, worker + 1));
}

/* Sort keys that ascend or descend. Returns how often they were written; -1: neither. */
static int sort_ordered(struct pool *pool, struct sort *sort)
{
    const struct sort_request *const r = sort->request;
    const uint64_t some = r->count < SCAN_STEP ? r->count : SCAN_STEP;
    /* Most arrays show their disorder at once; then no other thread is woken up. */
    const unsigned begun = r->suite->order(r->keys, some, r->code);

    atomic_init(&sort->found, begun);
    if (begun && some < r->count)
        pool_run(pool, sort->workers, scan_share, sort);

    const unsigned found = atomic_load(&sort->found);
    if (found & ORDER_UP)
        return 0;
    if (!found)
        return -1;
    pool_run(pool, sort->workers, reverse_share, sort);
    return 1;
}

/* ---- Runs ------------------------------------------------------------------ */

static void run_share(void *arg, unsigned worker)
{
    struct sort *const sort = (struct sort *)arg;
    const struct sort_request *const r = sort->request;

    for (;;) {
        const uint64_t i = atomic_fetch_add(&sort->next, 1);
        if (i >= sort->runs)
            return;

        const uint64_t first = i * sort->run;
        const uint64_t left = r->count - first;
        const struct run_task task = {
            .from = key_at(r->keys, first, sort->size),
            .to = key_at(sort->to, first, sort->size),
            .count = left < sort->run ? left : sort->run,
            .code = r->code,
            .leaving = sort->leaving,
            .stream = sort->stream,
            .work = work_of(sort, worker),
        };
        r->suite->run(&task);
    }
}

/* The starts of all runs; those that follow each other in order become one. */
static void join_runs(struct sort *sort)
{
    const struct sort_request *const r = sort->request;
    uint64_t runs = 1;

    sort->starts[0] = 0;
    for (uint64_t i = 1; i < sort->runs; i++)
        if (!r->suite->rises(sort->to, i * sort->run))
            sort->starts[runs++] = i * sort->run;
    sort->starts[runs] = r->count;
    sort->runs = runs;
}

/* Runs, then merges; returns how many rounds of them. */
static unsigned sort_by_merging(struct pool *pool, struct sort *sort)
{
    const struct sort_request *const r = sort->request;
    const uint64_t fewest = (r->count + r->run - 1) / r->run;
    const uint64_t runs = (fewest + sort->workers - 1) / sort->workers * sort->workers;
    const uint64_t run = (r->count + runs - 1) / runs;

    sort->run = (run + RUN_MULTIPLE - 1) / RUN_MULTIPLE * RUN_MULTIPLE;
    sort->runs = (r->count + sort->run - 1) / sort->run;

    /* The last round must write to `keys`: that settles where the runs go. */
    unsigned rounds = sort_rounds(sort->runs);
    sort->to = rounds % 2 ? r->scratch : r->keys;
    sort->leaving = rounds == 0;
    atomic_init(&sort->next, 0);
    pool_run(pool, sort->workers, run_share, sort);
    if (rounds == 0)
        return 0;

    join_runs(sort);
    while (rounds > 2 && rounds - 2 >= sort_rounds(sort->runs))
        rounds -= 2;
    sort_merge(pool, sort, rounds);
    return rounds;
}

/* ---- Choosing ---------------------------------------------------------------- */

/* Of windows of `length` keys, all over the array, are three quarters in order? */
static int has_runs(const struct sort *sort, uint64_t length)
{
    const struct sort_request *const r = sort->request;
    int broken = 0;

    for (uint64_t i = 0; i < WINDOWS && broken <= WINDOWS / 4; i++)
        broken += !r->suite->order(
            key_at(r->keys, pool_part(r->count - length, WINDOWS, i), sort->size), length,
            r->code);
    return broken <= WINDOWS / 4;
}

/* If the array has long runs, merging them is faster than a quicksort. */
static int has_runs_to_merge(const struct sort *sort)
{
    const uint64_t count = sort->request->count;

    return count >= NATURAL_LEAST && has_runs(sort, 32) &&
           has_runs(sort, count / (4 * WINDOWS));
}

/* ---- Narrow keys ------------------------------------------------------------ */

static int is_counted(int bits, uint64_t count)
{
    return bits == 8 || (bits == 16 && count >= TALLY_LEAST);
}

static void tally_share(void *arg, unsigned worker)
{
    const struct sort *const sort = (const struct sort *)arg;
    const struct sort_request *const r = sort->request;
    const uint64_t first = share(sort, r->count, worker);
    uint64_t *const table = (uint64_t *)work_of(sort, worker);

    memset(table, 0, sizeof *table << r->suite->bits);
    r->suite->tally(key_at(r->keys, first, sort->size),
                    share(sort, r->count, worker + 1) - first, r->code, table);
}

/* Add everybody's counters of some ranks to those of worker 0. */
static void total_share(void *arg, unsigned worker)
{
    const struct sort *const sort = (const struct sort *)arg;
    const uint64_t ranks = UINT64_C(1) << sort->request->suite->bits;
    uint64_t *const total = (uint64_t *)work_of(sort, 0);

    for (unsigned other = 1; other < sort->workers; other++) {
        const uint64_t *const table = (const uint64_t *)work_of(sort, other);

        for (uint64_t i = share(sort, ranks, worker); i < share(sort, ranks, worker + 1);
             i++)
            total[i] += table[i];
    }
}

static void spread_share(void *arg, unsigned worker)
{
    const struct sort *const sort = (const struct sort *)arg;
    const struct sort_request *const r = sort->request;

    r->suite->spread(r->keys, share(sort, r->count, worker),
                     share(sort, r->count, worker + 1), r->code,
                     (const uint64_t *)work_of(sort, 0));
}

static void sort_by_counting(struct pool *pool, struct sort *sort)
{
    const uint64_t worth = sort->request->count / TALLY_THREAD + 1;

    if (sort->workers > worth)
        sort->workers = (unsigned)worth;
    pool_run(pool, sort->workers, tally_share, sort);
    pool_run(pool, sort->workers, total_share, sort);
    pool_run(pool, sort->workers, spread_share, sort);
}

/* ---- All together ----------------------------------------------------------- */

uint64_t sort_best_run(int bits)
{
    return RUN_BYTES / ((uint64_t)bits / 8);
}

uint64_t sort_scratch_bytes(int bits, uint64_t count, uint64_t run)
{
    /* As many runs as it takes, and up to one more for each worker. */
    const uint64_t runs = count / run + 1 + count / RUN_LEAST + 1;
    const uint64_t starts = (runs + 1) * sizeof(uint64_t);
    const uint64_t notes = sort_deal_bytes(bits, count);

    if (is_counted(bits, count) || (count < RUN_LEAST && count <= run)) /* or one run */
        return 0;
    if (count > UINT64_MAX / 32) /* more than any machine has */
        return UINT64_MAX;
    return sort_ranks_bytes(bits, count) + (notes > starts ? notes : starts);
}

uint64_t sort_most_scratch_count(int bits, uint64_t count)
{
    /* Long arrays of 16-bit keys are counted, without scratch; shorter ones are not. */
    return bits == 16 && count >= TALLY_LEAST ? TALLY_LEAST - 1 : count;
}

static struct sort sort_of(const struct pool *pool, const struct sort_request *request)
{
    const int bits = request->suite->bits;
    const uint64_t worth = request->count / RUN_LEAST + 1;

    return (struct sort){
        .request = request,
        .size = (size_t)bits / 8,
        .workers = worth < pool_threads(pool) ? (unsigned)worth : pool_threads(pool),
        .stream = request->count * (uint64_t)(bits / 8) >= STREAM_BYTES,
    };
}

/* Keys in no order, in place or with scratch memory, on as many threads as pay. */
static void sort_disorder(struct pool *pool, const struct sort_request *request,
                          int in_place)
{
    const uint64_t parts = request->count / QUICK_THREAD;
    const uint64_t worth = parts == 1 ? 2 : parts > 1 ? parts : 1; /* two share one part */
    const unsigned threads = pool_threads(pool);
    const unsigned workers = worth < threads ? (unsigned)worth : threads;

    if (!sort_few(pool, workers, request) && (in_place || !sort_deal(pool, request)))
        sort_quick(pool, workers, request);
}

int sort_in_place(struct pool *pool, const struct sort_request *request, int only_disorder,
                  struct cpu_counts *counts)
{
    struct sort sort = sort_of(pool, request);
    const uint64_t bytes = request->count * sort.size;
    int written = 1;

    if (!request->suite->quick || (only_disorder && has_runs_to_merge(&sort)))
        return 0;
    if (request->count > 1 && (written = sort_ordered(pool, &sort)) < 0) {
        sort_disorder(pool, request, 1);
        written = 1;
    }
    if (counts)
        *counts = (struct cpu_counts){0, bytes, bytes * (uint64_t)written};
    return 1;
}

void sort_keys(struct pool *pool, const struct sort_request *request,
               struct cpu_counts *counts)
{
    const int bits = request->suite->bits;
    const uint64_t bytes = request->count * (uint64_t)(bits / 8);
    struct sort sort = sort_of(pool, request);
    struct cpu_counts made = {0, bytes, 0};

    sort.starts = (uint64_t *)(void *)key_at(request->scratch,
                                             sort_ranks_bytes(bits, request->count), 1);
    if (request->count > 1) {
        const int written = sort_ordered(pool, &sort);

        if (written >= 0) {
            made.bytes_written = bytes * (uint64_t)written;
        } else if (is_counted(bits, request->count)) {
            sort_by_counting(pool, &sort);
            made.bytes_written = bytes;
        } else if (request->suite->quick && !has_runs_to_merge(&sort)) {
            sort_disorder(pool, request, 0);
            made.bytes_written = bytes;
        } else {
            made.rounds = sort_by_merging(pool, &sort);
            made.bytes_written = bytes * (1 + made.rounds);
            made.bytes_read = made.bytes_written;
        }
    }
    if (counts)
        *counts = made;
}

uint64_t sort_tight_bytes(int bits, uint64_t count)
{
    return bits <= 16 ? 0 : (count + 31) / 32 * 4 * ((uint64_t)bits / 8);
}

void sort_tight(struct pool *pool, const struct sort_request *r, struct cpu_counts *counts)
{
    const uint64_t bytes = r->count * ((uint64_t)r->suite->bits / 8);
    struct sort sort = sort_of(pool, r);
    struct code code = r->code;

    if (r->suite->bits <= 16) {
        sort_by_counting(pool, &sort);
    } else if (r->count > 1) {
        code.flip ^= r->suite->plain_flip; /* numbers without a sign */
        r->suite->enter(r->keys, r->keys, r->count, code);
        rows_sort_numbers(pool, r->keys, r->suite->bits, r->count, r->scratch, r->work);
        r->suite->leave(r->keys, r->keys, r->count, code);
    }
    if (counts)
        *counts = (struct cpu_counts){0, bytes, bytes};
}
