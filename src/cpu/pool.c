/*
 * pool.c - worker threads that wait for a job, run it together and rest again.
 */
#include "cpu/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* One thread of the pool. */
struct worker {
    struct pool *pool;
    unsigned number;
    int is_taken; /* its part of the job is done, or somebody does it */
    pthread_t thread;
};

struct pool {
    pthread_mutex_t lock; /* guards everything below it but `threads` */
    pthread_cond_t wake;  /* a new job, or the end */
    pthread_cond_t rest;  /* the last worker is through */
    pool_job *job;
    void *arg;
    atomic_uint jobs; /* how many there have been: a worker compares */
    unsigned workers; /* wanted for this job */
    atomic_uint busy; /* parts that are not done; that of worker 0 does not count */
    int ending;
    atomic_uint arrived; /* workers that wait for each other, and how often they did */
    atomic_uint meetings;
    unsigned threads;
    struct pool *alone;     /* itself if there is one thread */
    struct worker worker[]; /* the first is the caller and has no thread */
};

/*
 * Wait a little until a number is `value`, or no longer is. One phase of a sort follows
 * another; to sleep and to wake up takes longer than most pauses between them.
 */
static void linger(atomic_uint *number, unsigned value, int is_wanted)
{
    enum { SPINS = 1000 }; /* some ten microseconds */

    for (int i = 0; i < SPINS && (atomic_load(number) == value) != is_wanted; i++) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
}

static void *work(void *arg)
{
    struct worker *const self = (struct worker *)arg;
    struct pool *const pool = self->pool;
    unsigned seen = 0;

    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->ending && atomic_load(&pool->jobs) == seen)
            pthread_cond_wait(&pool->wake, &pool->lock);
        if (pool->ending)
            break;
        seen = atomic_load(&pool->jobs);
        if (self->number >= pool->workers || self->is_taken)
            continue;
        self->is_taken = 1;

        pool_job *const job = pool->job;
        void *const job_arg = pool->arg;
        pthread_mutex_unlock(&pool->lock);
        job(job_arg, self->number);
        pthread_mutex_lock(&pool->lock);
        if (atomic_fetch_sub(&pool->busy, 1) == 1)
            pthread_cond_signal(&pool->rest);
        pthread_mutex_unlock(&pool->lock);
        linger(&pool->jobs, seen, 0);
        pthread_mutex_lock(&pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* Wake up the workers. */
static void begin(struct pool *pool, unsigned workers, pool_job *job, void *arg)
{
    pthread_mutex_lock(&pool->lock);
    pool->job = job;
    pool->arg = arg;
    pool->workers = workers;
    for (unsigned i = 1; i < workers; i++)
        pool->worker[i].is_taken = 0;
    atomic_store(&pool->busy, workers - 1);
    atomic_fetch_add(&pool->jobs, 1);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
}

/* Do the parts of workers that have not woken up yet. */
static void stand_in(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    for (unsigned i = pool->workers; --i > 0;) {
        if (pool->worker[i].is_taken)
            continue;
        pool->worker[i].is_taken = 1;
        pthread_mutex_unlock(&pool->lock);
        pool->job(pool->arg, i);
        pthread_mutex_lock(&pool->lock);
        atomic_fetch_sub(&pool->busy, 1);
    }
    pthread_mutex_unlock(&pool->lock);
}

/* Wait until all parts are done. */
static void finish(struct pool *pool)
{
    linger(&pool->busy, 0, 1);
    pthread_mutex_lock(&pool->lock);
    while (atomic_load(&pool->busy))
        pthread_cond_wait(&pool->rest, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

void pool_run(struct pool *pool, unsigned workers, pool_job *job, void *arg)
{
    if (workers > 1)
        begin(pool, workers, job, arg);
    job(arg, 0);
    if (workers > 1) {
        stand_in(pool);
        finish(pool);
    }
}

void pool_run_together(struct pool *pool, unsigned workers, pool_job *job, void *arg)
{
    if (workers > 1)
        begin(pool, workers, job, arg);
    job(arg, 0);
    if (workers > 1)
        finish(pool);
}

void pool_wait(struct pool *pool, unsigned workers)
{
    enum { SPINS = 30000 }; /* before others may have the processor */
    const unsigned meetings = atomic_load(&pool->meetings);

    if (atomic_fetch_add(&pool->arrived, 1) + 1 == workers) {
        atomic_store(&pool->arrived, 0);
        atomic_fetch_add(&pool->meetings, 1);
        return;
    }
    for (int i = 0; atomic_load(&pool->meetings) == meetings; i++)
        if (i >= SPINS)
            sched_yield();
}

unsigned pool_threads(const struct pool *pool)
{
    return pool->threads;
}

struct pool *pool_alone(struct pool *pool)
{
    return pool->alone;
}

/* End and join the threads of workers 1 to `started` - 1, then free the pool. */
static void dismiss(struct pool *pool, unsigned started)
{
    pthread_mutex_lock(&pool->lock);
    pool->ending = 1;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 1; i < started; i++)
        pthread_join(pool->worker[i].thread, NULL);
    pthread_cond_destroy(&pool->rest);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    if (pool->alone != pool)
        pool_close(pool->alone);
    free(pool);
}

void pool_close(struct pool *pool)
{
    if (pool)
        dismiss(pool, pool->threads);
}

mw_status pool_open(struct pool **pool, unsigned threads, struct error *error)
{
    struct pool *const made =
        (struct pool *)calloc(1, sizeof *made + threads * sizeof made->worker[0]);

    *pool = NULL;
    if (!made)
        return fail(error, MW_NO_MEMORY, "no memory for %u worker threads", threads);
    made->threads = threads;
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->wake, NULL);
    pthread_cond_init(&made->rest, NULL);
    for (unsigned i = 1; i < threads; i++) {
        struct worker *const worker = &made->worker[i];

        worker->pool = made;
        worker->number = i;
        const int code = pthread_create(&worker->thread, NULL, work, worker);
        if (code) {
            dismiss(made, i);
            return fail(error, MW_NO_MEMORY, "worker thread %u of %u did not start: %s",
                        i + 1, threads, strerror(code));
        }
    }
    made->alone = made;
    if (threads > 1 && pool_open(&made->alone, 1, error) != MW_OK) {
        dismiss(made, threads);
        return MW_NO_MEMORY;
    }
    *pool = made;
    return MW_OK;
}
