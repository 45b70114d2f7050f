/*
 * versus.c - two builds of libmultiway side by side, in one process on one GPU.
 *
 *   multiway_versus OLD.so NEW.so [--types LIST] [--counts LIST] [--trials N]
 *
 * Sorts the same random keys with both, in turns, on device memory, and prints a line
 * for each type and count: the medians in milliseconds by CUDA events, and old / new.
 * Both results are checked: in order, and the same bytes. Ends with the least ratio.
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

/* The CUDA driver, as far as it is needed here. */
struct driver {
    int (*CtxSetCurrent)(void *context);
    int (*DevicePrimaryCtxRetain)(void **context, int device);
    int (*EventCreate)(void **event, unsigned flags);
    int (*EventRecord)(void *event, void *stream);
    int (*EventSynchronize)(void *event);
    int (*EventElapsedTime)(float *ms, void *first, void *second);
    int (*MemcpyDtoDAsync)(uint64_t to, uint64_t from, size_t bytes, void *stream);
    void *events[2];
};

static int complain(const char *what, const char *why)
{
    fprintf(stderr, "versus: %s: %s\n", what, why);
    return -1;
}

static void *need(void *library, const char *name)
{
    void *const symbol = dlsym(library, name);

    if (!symbol) {
        complain("missing", name);
        exit(2);
    }
    return symbol;
}

static int open_driver(struct driver *driver)
{
    void *const cuda = dlopen("libcuda.so.1", RTLD_NOW);
    void *context;

    if (!cuda)
        return complain("libcuda.so.1", dlerror());
    *(void **)&driver->CtxSetCurrent = need(cuda, "cuCtxSetCurrent");
    *(void **)&driver->DevicePrimaryCtxRetain = need(cuda, "cuDevicePrimaryCtxRetain");
    *(void **)&driver->EventCreate = need(cuda, "cuEventCreate");
    *(void **)&driver->EventRecord = need(cuda, "cuEventRecord");
    *(void **)&driver->EventSynchronize = need(cuda, "cuEventSynchronize");
    *(void **)&driver->EventElapsedTime = need(cuda, "cuEventElapsedTime");
    *(void **)&driver->MemcpyDtoDAsync = need(cuda, "cuMemcpyDtoDAsync_v2");
    if (driver->DevicePrimaryCtxRetain(&context, 0) || driver->CtxSetCurrent(context) ||
        driver->EventCreate(&driver->events[0], 0) ||
        driver->EventCreate(&driver->events[1], 0))
        return complain("CUDA", "cannot create a context and events");
    return 0;
}

static int open_side(struct side *side, const char *path)
{
    /* Each library binds to its own symbols, though the other has the same names. */
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);

    if (!library)
        return complain(path, dlerror());
    *(void **)&side->open = need(library, "mw_open");
    *(void **)&side->alloc = need(library, "mw_alloc");
    *(void **)&side->free = need(library, "mw_free");
    *(void **)&side->upload = need(library, "mw_upload");
    *(void **)&side->download = need(library, "mw_download");
    *(void **)&side->prepare = dlsym(library, "mw_prepare");
    if (side->prepare) {
        *(void **)&side->enqueue = need(library, "mw_enqueue");
    } else {
        *(void **)&side->old_workspace = need(library, "mw_sort_workspace");
        *(void **)&side->old_sort = need(library, "mw_sort_device");
    }
    return side->open(&side->context, "cuda", NULL) == MW_OK ? 0 : complain(path, "no GPU");
}

static mw_status sort(const struct side *side, mw_type type, void *keys, uint64_t count)
{
    const mw_table table = {.elements = keys, .count = count};
    mw_job job = MW_JOB_INIT;

    job.order = mw_order_of(type, MW_ASCENDING);
    job.in = &table;
    if (side->enqueue)
        return side->enqueue(side->context, &job, side->workspace, side->workspace_bytes,
                             NULL);
    return side->old_sort(side->context, type, MW_ASCENDING, keys, count, side->workspace,
                          side->workspace_bytes, NULL);
}

/* Load the kernels and make the workspace large enough. */
static int prepare(struct side *side, mw_type type, uint64_t count)
{
    const mw_table table = {.count = count};
    mw_job job = MW_JOB_INIT;
    mw_status status;

    job.order = mw_order_of(type, MW_ASCENDING);
    job.in = &table;
    status = side->prepare
                 ? side->prepare(side->context, &job, &side->workspace_bytes)
                 : side->old_workspace(side->context, type, count, &side->workspace_bytes);
    side->free(side->context, side->workspace);
    side->workspace = NULL;
    return status == MW_OK &&
           side->alloc(side->context, side->workspace_bytes, &side->workspace) == MW_OK;
}

static int by_time(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *times, int trials)
{
    qsort(times, (size_t)trials, sizeof *times, by_time);
    return (times[(trials - 1) / 2] + times[trials / 2]) / 2;
}

/* One trial of one side: refill, then the sort between two events. */
static int trial(struct driver *d, struct side *side, mw_type type, void *const memory[2],
                 uint64_t count, double *ms)
{
    const uint64_t bytes = count * mw_type_size(type);
    float time = 0;

    if (d->MemcpyDtoDAsync((uintptr_t)memory[1], (uintptr_t)memory[0], bytes, NULL) ||
        d->EventRecord(d->events[0], NULL) || sort(side, type, memory[1], count) != MW_OK ||
        d->EventRecord(d->events[1], NULL) || d->EventSynchronize(d->events[1]) ||
        d->EventElapsedTime(&time, d->events[0], d->events[1]))
        return complain("sort", "failed");
    *ms = time;
    return 0;
}

/* Both sides on one input; the ratio of their medians, or -1. */
static double contest(struct driver *d, struct side side[2], mw_type type, uint64_t count,
                      int trials)
{
    const uint64_t bytes = count * mw_type_size(type);
    struct side *const owner = &side[0]; /* of the keys' memory */
    struct kit_fingerprint before = {0, 0};
    struct kit_fingerprint after[2] = {
        {0, 0},
        {0, 0}
    };
    char *const keys = malloc(bytes);
    void *memory[2] = {NULL, NULL};
    double ignored;
    int fine = keys != NULL;

    fine = fine && kit_fill(type, "random", 1, keys, count) == MW_OK &&
           owner->alloc(owner->context, bytes, &memory[0]) == MW_OK &&
           owner->alloc(owner->context, bytes, &memory[1]) == MW_OK &&
           owner->upload(owner->context, memory[0], keys, bytes) == MW_OK &&
           prepare(&side[0], type, count) && prepare(&side[1], type, count);
    if (fine)
        kit_fingerprint_add(&before, type, keys, count);
    for (int i = -WARM_UPS; fine && i < trials; i++) {
        for (int turn = 0; fine && turn < 2; turn++) {
            const int who = (i + turn) & 1; /* who begins changes from trial to trial */

            fine = trial(d, &side[who], type, memory, count,
                         i < 0 ? &ignored : &side[who].times[i]) == 0;
            if (fine && i == trials - 1) {
                fine = owner->download(owner->context, keys, memory[1], bytes) == MW_OK &&
                       kit_first_disorder(type, MW_ASCENDING, keys, count) == count;
                kit_fingerprint_add(&after[who], type, keys, count);
                fine = fine && kit_fingerprint_equal(before, after[who]);
            }
        }
    }
    owner->free(owner->context, memory[0]);
    owner->free(owner->context, memory[1]);
    free(keys);
    if (!fine)
        return complain(mw_type_name(type), "failed, or a wrong result");

    const double old = median(side[0].times, trials);
    const double new = median(side[1].times, trials);

    printf("%s\t%" PRIu64 "\t%.5f\t%.5f\t%.4f\n", mw_type_name(type), count, old, new,
           old / new);
    fflush(stdout);
    return old / new;
}

int main(int argc, char **argv)
{
    char types[256] = "i32,i64";
    char counts[512] = "2^12,2^16,2^20,2^22,2^24,2^26,2^28";
    struct driver driver = {0};
    static struct side side[2];
    double least = 1e9;
    int trials = 100;

    for (int i = 3; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--types") == 0)
            snprintf(types, sizeof types, "%s", argv[i + 1]);
        else if (strcmp(argv[i], "--counts") == 0)
            snprintf(counts, sizeof counts, "%s", argv[i + 1]);
        else if (strcmp(argv[i], "--trials") == 0)
            trials = atoi(argv[i + 1]);
    }
    if (argc < 3 || trials < 1 || trials > MOST_TRIALS) {
        fputs("usage: multiway_versus OLD.so NEW.so [--types LIST] [--counts LIST] "
              "[--trials 1..1000]\n",
              stderr);
        return 2;
    }
    /* The libraries initialise the driver. */
    if (open_side(&side[0], argv[1]) || open_side(&side[1], argv[2]) ||
        open_driver(&driver))
        return 2;
    puts("type\tcount\told_ms\tnew_ms\told/new");
    for (char *t = strtok(types, ","); t; t = strtok(NULL, ",")) {
        char list[512];
        mw_type type;

        if (mw_type_parse(t, &type) != MW_OK)
            return complain(t, "no such type"), 2;
        memcpy(list, counts, sizeof list);
        for (char *save = NULL, *c = strtok_r(list, ",", &save); c;
             c = strtok_r(NULL, ",", &save)) {
            uint64_t count;
            double ratio;

            if (kit_parse_count(c, &count) || count == 0)
                return complain(c, "no such count"), 2;
            ratio = contest(&driver, side, type, count, trials);
            if (ratio < 0)
                return 2;
            least = ratio < least ? ratio : least;
        }
    }
    printf("# least old/new: %.4f\n", least);
    return 0;
}
