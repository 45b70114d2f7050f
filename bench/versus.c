/*
 * versus.c - two builds of libmultiway side by side, in one process on one GPU.
 *
 *   multiway_versus OLD.so NEW.so [TRIALS [COUNT...]]
 *
 * Sorts the same random i32 and i64 keys with both, in turns, on device memory, and
 * prints a line for each type and count: the medians in milliseconds by CUDA events, and
 * old / new. All results are checked: in order, and the same elements.
 */
#define _GNU_SOURCE /* RTLD_DEEPBIND */

#include "kit.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_TRIALS = 1000, WARM_UPS = 3 };

/* One build: the calls of its library, a handle, and workspace. */
struct side {
    mw_status (*open)(mw_context **, const char *, const mw_options *);
    mw_status (*alloc)(mw_context *, uint64_t, void **);
    void (*free)(mw_context *, void *);
    mw_status (*upload)(mw_context *, void *, const void *, uint64_t);
    mw_status (*download)(mw_context *, void *, const void *, uint64_t);
    mw_status (*prepare)(mw_context *, const mw_job *, uint64_t *); /* NULL in 0.1 */
    mw_status (*enqueue)(mw_context *, const mw_job *, void *, uint64_t, void *);
    mw_status (*old_workspace)(mw_context *, mw_type, uint64_t, uint64_t *);
    mw_status (*old_sort)(mw_context *, mw_type, mw_direction, void *, uint64_t, void *,
                          uint64_t, void *);
    mw_context *context;
    void *workspace;
    uint64_t workspace_bytes;
    double times[MOST_TRIALS];
};

/* The CUDA driver's calls. */
static int (*primary)(void **context, int device);
static int (*set_current)(void *context);
static int (*event_create)(void **event, unsigned flags);
static int (*event_record)(void *event, void *stream);
static int (*event_wait)(void *event);
static int (*event_elapsed)(float *ms, void *first, void *second);
static int (*copy)(uint64_t to, uint64_t from, size_t bytes, void *stream);
static void *events[2];

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "versus: %s: %s\n", what, why);
    exit(2);
}

static void *find(void *library, const char *name)
{
    void *const symbol = dlsym(library, name);

    if (!symbol)
        stop("missing", name);
    return symbol;
}

static void open_driver(void)
{
    void *const cuda = dlopen("libcuda.so.1", RTLD_NOW);
    void *context;

    if (!cuda)
        stop("libcuda.so.1", dlerror());
    *(void **)&primary = find(cuda, "cuDevicePrimaryCtxRetain");
    *(void **)&set_current = find(cuda, "cuCtxSetCurrent");
    *(void **)&event_create = find(cuda, "cuEventCreate");
    *(void **)&event_record = find(cuda, "cuEventRecord");
    *(void **)&event_wait = find(cuda, "cuEventSynchronize");
    *(void **)&event_elapsed = find(cuda, "cuEventElapsedTime");
    *(void **)&copy = find(cuda, "cuMemcpyDtoDAsync_v2");
    if (primary(&context, 0) || set_current(context) || event_create(&events[0], 0) ||
        event_create(&events[1], 0))
        stop("CUDA", "cannot create a context and events");
}

static void open_side(struct side *side, const char *path)
{
    /* Each library binds to its own symbols, though the other has the same names. */
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);

    if (!library)
        stop(path, dlerror());
    *(void **)&side->open = find(library, "mw_open");
    *(void **)&side->alloc = find(library, "mw_alloc");
    *(void **)&side->free = find(library, "mw_free");
    *(void **)&side->upload = find(library, "mw_upload");
    *(void **)&side->download = find(library, "mw_download");
    *(void **)&side->prepare = dlsym(library, "mw_prepare");
    *(void **)&side->enqueue = dlsym(library, "mw_enqueue");
    *(void **)&side->old_workspace = dlsym(library, "mw_sort_workspace");
    *(void **)&side->old_sort = dlsym(library, "mw_sort_device");
    if (side->open(&side->context, "cuda", NULL) != MW_OK)
        stop(path, "cannot open the GPU");
}

/* Load the kernels and make the workspace large enough. */
static mw_status prepare(struct side *side, mw_type type, const mw_job *job)
{
    mw_status status = side->prepare
                           ? side->prepare(side->context, job, &side->workspace_bytes)
                           : side->old_workspace(side->context, type, job->in->count,
                                                 &side->workspace_bytes);

    side->free(side->context, side->workspace);
    side->workspace = NULL;
    return status == MW_OK
               ? side->alloc(side->context, side->workspace_bytes, &side->workspace)
               : status;
}

/* Refill the keys, then sort them between two events; -1 if that failed. */
static double trial(const struct side *side, mw_type type, const mw_job *job, void *from)
{
    void *const keys = job->in->elements;
    const uint64_t count = job->in->count;
    mw_status status;
    float ms;

    if (copy((uintptr_t)keys, (uintptr_t)from, count * mw_type_size(type), NULL) ||
        event_record(events[0], NULL))
        return -1;
    status = side->enqueue ? side->enqueue(side->context, job, side->workspace,
                                           side->workspace_bytes, NULL)
                           : side->old_sort(side->context, type, MW_ASCENDING, keys, count,
                                            side->workspace, side->workspace_bytes, NULL);
    if (status != MW_OK || event_record(events[1], NULL) || event_wait(events[1]) ||
        event_elapsed(&ms, events[0], events[1]))
        return -1;
    return ms;
}

static int by_time(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) -
           (*(const double *)a < *(const double *)b);
}

static double median(double *times, int trials)
{
    qsort(times, (size_t)trials, sizeof *times, by_time);
    return (times[(trials - 1) / 2] + times[trials / 2]) / 2;
}

/* Are the keys on the device in order, and the same that they were? */
static int sorted(struct side *owner, mw_type type, const mw_table *table, void *host,
                  struct kit_fingerprint before)
{
    struct kit_fingerprint after = {0, 0};

    if (owner->download(owner->context, host, table->elements,
                        table->count * mw_type_size(type)) != MW_OK)
        return 0;
    kit_fingerprint_add(&after, type, host, table->count);
    return kit_fingerprint_equal(before, after) &&
           kit_first_disorder(type, MW_ASCENDING, host, table->count) == table->count;
}

static void contest(struct side side[2], mw_type type, uint64_t count, int trials)
{
    struct side *const owner = &side[0]; /* of the keys' memory */
    const uint64_t bytes = count * mw_type_size(type);
    struct kit_fingerprint before = {0, 0};
    char *const host = malloc(bytes);
    mw_table table = {NULL, count, NULL, 0};
    mw_job job = MW_JOB_INIT;
    void *input = NULL;
    double median_of[2];

    job.order = mw_order_of(type, MW_ASCENDING);
    job.in = &table;
    if (!host || kit_fill(type, "random", 1, host, count) != MW_OK ||
        owner->alloc(owner->context, bytes, &table.elements) != MW_OK ||
        owner->alloc(owner->context, bytes, &input) != MW_OK ||
        owner->upload(owner->context, input, host, bytes) != MW_OK ||
        prepare(&side[0], type, &job) != MW_OK || prepare(&side[1], type, &job) != MW_OK)
        stop(mw_type_name(type), "cannot prepare");
    kit_fingerprint_add(&before, type, host, count);
    for (int i = -WARM_UPS; i < trials; i++) {
        for (int turn = 0; turn < 2; turn++) {
            const int who = (i + turn) & 1; /* the first one alternates */
            const double ms = trial(&side[who], type, &job, input);

            if (ms < 0 || (i == -1 && !sorted(owner, type, &table, host, before)))
                stop(mw_type_name(type), "failed, or a wrong result");
            if (i >= 0)
                side[who].times[i] = ms;
        }
    }
    owner->free(owner->context, input);
    owner->free(owner->context, table.elements);
    free(host);
    for (int who = 0; who < 2; who++)
        median_of[who] = median(side[who].times, trials);
    printf("%s\t%" PRIu64 "\t%.5f\t%.5f\t%.4f\n", mw_type_name(type), count, median_of[0],
           median_of[1], median_of[0] / median_of[1]);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const char *const usual[] = {"2^12", "2^16", "2^20", "2^22",
                                        "2^24", "2^26", "2^28"};
    static struct side side[2];
    const char *const *const counts = argc > 4 ? (const char *const *)argv + 4 : usual;
    const int count_count = argc > 4 ? argc - 4 : (int)(sizeof usual / sizeof *usual);
    const int trials = argc > 3 ? atoi(argv[3]) : 100;

    if (argc < 3 || trials < 1 || trials > MOST_TRIALS)
        stop("usage", "multiway_versus OLD.so NEW.so [TRIALS (1 to 1000) [COUNT...]]");
    open_side(&side[0], argv[1]);
    open_side(&side[1], argv[2]);
    open_driver(); /* which the libraries have initialised */
    puts("type\tcount\told_ms\tnew_ms\told/new");
    for (int i = 0; i < 2 * count_count; i++) {
        uint64_t count;

        if (kit_parse_count(counts[i % count_count], &count) || count == 0)
            stop(counts[i % count_count], "not a count");
        contest(side, i < count_count ? MW_I32 : MW_I64, count, trials);
    }
    return 0;
}
