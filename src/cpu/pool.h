/*
 * pool.h - worker threads that wait between jobs.
 */
#ifndef MW_CPU_POOL_H
#define MW_CPU_POOL_H

#include "base/base.h"

struct pool;

/* A job: it is called once for every worker, numbered from 0 on. */
typedef void pool_job(void *arg, unsigned worker);

/*
 * Start a pool of `threads` workers, at least 1: the caller of pool_run is
 * worker 0, the others are threads. On failure `*pool` is NULL.
 */
mw_status pool_open(struct pool **pool, unsigned threads, struct error *error);
void pool_close(struct pool *pool); /* NULL allowed */
unsigned pool_threads(const struct pool *pool);

/* A pool of the caller alone, for work within a job; any number may use it at once. */
struct pool *pool_alone(struct pool *pool);

/*
 * Run `job` on workers 0 to `workers` - 1, at most all of them, and return
 * when the last is through. What they wrote is visible to the caller and to
 * every later job. One caller at a time. A worker may not have begun when the
 * caller is through with its own part, for example if its processor is busy.
 * Then the caller does that worker's part, too.
 */
void pool_run(struct pool *pool, unsigned workers, pool_job *job, void *arg);

/* The same, but each worker runs on its own thread, so workers may wait for each other. */
void pool_run_together(struct pool *pool, unsigned workers, pool_job *job, void *arg);

/* In such a job of `workers`: wait until all of them are here. */
void pool_wait(struct pool *pool, unsigned workers);

/* Where part `i` of `parts` even parts of `count` things begins. */
static inline uint64_t pool_part(uint64_t count, uint64_t parts, uint64_t i)
{
    const uint64_t rest = count % parts;

    return count / parts * i + (i < rest ? i : rest);
}

#endif
