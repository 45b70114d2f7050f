/*
 * compile.c - kernels compiled in threads, with the disk cache in front of NVRTC.
 */
#define _POSIX_C_SOURCE 200809L /* pthread */

#include "compile.h"

#include <pthread.h>
#include <stdlib.h>

/* One thread's part: a job, and what became of it. */
struct worker {
    const struct nvrtc *nvrtc;
    struct compile_job *job;
    mw_status status;
    struct error error;
    pthread_t thread;
    int started;
};

static void *work(void *argument)
{
    struct worker *const worker = argument;
    struct compile_job *const job = worker->job;

    worker->status =
        nvrtc_compile(worker->nvrtc, &job->request, &job->code, &worker->error);
    return NULL;
}

/* Kernels compile independently, so the time is that of the slowest one. */
static mw_status compile_missing(const struct nvrtc *nvrtc, struct compile_job *jobs,
                                 int count, struct error *error)
{
    struct worker workers[KERNEL_COUNT];
    int missing = 0;
    mw_status status = MW_OK;

    for (int i = 0; i < count; i++) {
        if (!jobs[i].cached)
            workers[missing++] = (struct worker){.nvrtc = nvrtc, .job = &jobs[i]};
    }
    for (int i = 1; i < missing; i++)
        workers[i].started =
            pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0;
    for (int i = 0; i < missing; i++) {
        if (!workers[i].started)
            work(&workers[i]);
    }
    for (int i = 0; i < missing; i++) {
        if (workers[i].started)
            pthread_join(workers[i].thread, NULL);
        if (workers[i].status != MW_OK && status == MW_OK) {
            status = workers[i].status;
            *error = workers[i].error;
        }
    }
    return status;
}

mw_status compile(struct compile_job *jobs, int count, struct cache *cache,
                  struct error *error)
{
    struct nvrtc nvrtc = {.library = NULL};
    mw_status status;

    TRY(nvrtc_open(&nvrtc, error));
    for (int i = 0; i < count; i++) {
        struct compile_job *const job = &jobs[i];

        TRY(nvrtc_key(&nvrtc, &job->request, &job->key, &job->key_size, error));
        job->code.bytes = cache_get(cache, job->key, job->key_size, &job->code.size);
        job->cached = job->code.bytes != NULL;
    }
    TRY(compile_missing(&nvrtc, jobs, count, error));
done:
    nvrtc_close(&nvrtc);
    return status;
}

void compile_keep(const struct compile_job *job, struct cache *cache)
{
    if (!job->cached)
        cache_put(cache, job->key, job->key_size, job->code.bytes, job->code.size);
}

void compile_free(struct compile_job *job)
{
    nvrtc_code_free(&job->code);
    free(job->key);
    job->key = NULL;
}

int compile_possible(struct error *why)
{
    struct nvrtc nvrtc = {.library = NULL};

    if (nvrtc_open(&nvrtc, why) != MW_OK)
        return 0;
    nvrtc_close(&nvrtc);
    return 1;
}
