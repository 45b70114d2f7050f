/*
 * unit_pool.c - the CPU's worker threads: each part of each job is run once, whether its
 * thread wakes up in time or not.
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep */

#include "base/base.h"
#include "cpu/pool.h"
#include "tap.h"

#include <stdatomic.h>
#include <time.h>

enum { THREADS = 5, JOBS = 4000 };

/* One job; it lies on the stack, so a worker that came too late would write elsewhere. */
struct parts {
    struct pool *pool;
    unsigned workers;
    int is_slow;
    atomic_uint runs[THREADS];
    atomic_uint met; /* workers that saw all others before the second half */
};

static void run_part(void *arg, unsigned worker)
{
    struct parts *const parts = (struct parts *)arg;
    const struct timespec soon = {.tv_nsec = 100000};

    if (parts->is_slow)
        nanosleep(&soon, NULL);
    atomic_fetch_add(&parts->runs[worker], 1);
}

static void meet(void *arg, unsigned worker)
{
    struct parts *const parts = (struct parts *)arg;
    unsigned all = 0;

    atomic_fetch_add(&parts->runs[worker], 1);
    pool_wait(parts->pool, parts->workers);
    for (unsigned i = 0; i < parts->workers; i++)
        all += atomic_load(&parts->runs[i]);
    if (all == parts->workers)
        atomic_fetch_add(&parts->met, 1);
}

/* Is every part run once, and none of other workers? */
static int is_right(const struct parts *parts)
{
    for (unsigned i = 0; i < THREADS; i++)
        if (atomic_load(&parts->runs[i]) != (i < parts->workers))
            return 0;
    return 1;
}

int main(void)
{
    struct tap tap = {0, 0};
    struct error error = {0};
    struct pool *pool;
    int runs = 1, meetings = 1;

    if (pool_open(&pool, THREADS, &error) != MW_OK)
        return 1;
    for (unsigned i = 0; i < JOBS; i++) {
        struct parts parts = {.pool = pool, .workers = 1 + i % THREADS};

        /* Of a slow job, the threads have time for their parts; of another, seldom. */
        parts.is_slow = i % 50 < THREADS;
        pool_run(pool, parts.workers, run_part, &parts);
        runs &= is_right(&parts);
    }
    tap_case(&tap, runs, "%d jobs: every part once", JOBS);
    for (unsigned i = 0; i < JOBS / 4; i++) {
        struct parts parts = {.pool = pool, .workers = 1 + i % THREADS};

        pool_run_together(pool, parts.workers, meet, &parts);
        meetings &= is_right(&parts) && atomic_load(&parts.met) == parts.workers;
    }
    tap_case(&tap, meetings, "%d jobs of workers that wait for each other", JOBS / 4);
    pool_close(pool);
    return tap_end(&tap);
}
