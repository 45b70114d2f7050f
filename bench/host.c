/*
 * host.c - how long sorts of host memory take, beside copies of the same bytes.
 *
 *   multiway-host [TYPE [COUNT [TRIALS [MEMORY [CACHE [keys]]]]]]
 *
 * Turn by turn: copies of page-locked memory to the GPU and back, one after the other, and
 * sorts of random keys in pageable and in page-locked memory, keys alone, with 4-byte
 * values and as an argsort. MEMORY is memory_bytes of the handle, 0: no limit; a limit
 * leaves only keys in pageable memory to be sorted. CACHE is a folder for compiled kernels.
 * Prints medians in milliseconds, each with its ratio to that of the copies. Results are
 * verified.
 */
#define _POSIX_C_SOURCE 200809L /* pthread */

#include "kit.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 16, MOST_TRIALS = 101, MOST_COPY = 1 << 30 };

/* ---- Page-locked memory and copies: the driver's ----------------------------------- */

static struct {
    int (*MemAllocHost)(void **memory, size_t bytes);
    int (*HtoD)(uint64_t to, const void *from, size_t bytes);
    int (*DtoH)(void *to, uint64_t from, size_t bytes);
} cuda;

static void *symbol(void *library, const char *name)
{
    void *const found = dlsym(library, name);

    if (!found)
        fprintf(stderr, "multiway-host: libcuda has no %s\n", name);
    return found;
}

/* Find the driver and make the GPU's context current; 0 if there is none. */
static int open_driver(void)
{
    void *const library = dlopen("libcuda.so.1", RTLD_NOW);
    int (*init)(unsigned);
    int (*retain)(void **context, int device);
    int (*push)(void *context);
    void *context;

    if (!library)
        return 0;
    *(void **)&init = symbol(library, "cuInit");
    *(void **)&retain = symbol(library, "cuDevicePrimaryCtxRetain");
    *(void **)&push = symbol(library, "cuCtxPushCurrent_v2");
    *(void **)&cuda.MemAllocHost = symbol(library, "cuMemAllocHost_v2");
    *(void **)&cuda.HtoD = symbol(library, "cuMemcpyHtoD_v2");
    *(void **)&cuda.DtoH = symbol(library, "cuMemcpyDtoH_v2");
    return init && retain && push && cuda.MemAllocHost && cuda.HtoD && cuda.DtoH &&
           init(0) == 0 && retain(&context, 0) == 0 && push(context) == 0;
}

/* ---- Inputs and verdicts, by several threads ---------------------------------------- */

struct share {
    const struct bench *bench;
    unsigned number;
    int fills;
    struct kit_fingerprint print;
    int in_order;
};

struct bench {
    mw_context *context;
    mw_type type;
    uint64_t count, bytes;
    char *keys; /* that are sorted */
    uint32_t *values, *positions;
    char *pageable, *locked;
    void *device;
    uint64_t copy_bytes;
};

static void *do_share(void *argument)
{
    struct share *const share = argument;
    const struct bench *const b = share->bench;
    const size_t size = mw_type_size(b->type);
    const uint64_t first = b->count / THREADS * share->number;
    const uint64_t last =
        share->number + 1 == THREADS ? b->count : first + b->count / THREADS;
    char *const keys = b->keys + first * size;
    const uint64_t more = last < b->count; /* the next share's first key */

    if (share->fills)
        kit_fill(b->type, "random", first + 1, keys, last - first);
    kit_fingerprint_add(&share->print, b->type, keys, last - first);
    if (!share->fills)
        share->in_order = kit_first_disorder(b->type, MW_ASCENDING, keys,
                                             last - first + more) == last - first + more;
    return NULL;
}

/* Fill the keys, or look at them; 1 if they are in order. */
static int do_shares(const struct bench *b, int fills, struct kit_fingerprint *print)
{
    struct share shares[THREADS];
    pthread_t threads[THREADS];
    int started[THREADS], in_order = 1;

    *print = (struct kit_fingerprint){0, 0};
    for (unsigned i = 0; i < THREADS; i++) {
        shares[i] = (struct share){
            b, i, fills, {0, 0},
               1
        };
        started[i] = pthread_create(&threads[i], NULL, do_share, &shares[i]) == 0;
        if (!started[i])
            do_share(&shares[i]);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        if (started[i])
            pthread_join(threads[i], NULL);
        print->count += shares[i].print.count;
        print->sum += shares[i].print.sum;
        in_order &= shares[i].in_order;
    }
    return in_order;
}

/* Do values, or positions, say where the keys were? Looks at one of 61. */
static int right_values(const struct bench *b, const char *before, const uint32_t *values,
                        int keys_moved)
{
    const size_t size = mw_type_size(b->type);
    const char *last = NULL;

    for (uint64_t i = 0; i < b->count; i += 61) {
        const char *const key = before + values[i] * size;

        if (keys_moved ? memcmp(key, b->keys + i * size, size) != 0
                       : last && kit_compare(b->type, MW_ASCENDING, last, key) > 0)
            return 0;
        last = key;
    }
    return 1;
}

/* ---- What is measured --------------------------------------------------------------- */

static mw_status copy(struct bench *b)
{
    uint64_t there;

    memcpy(&there, &b->device, sizeof there);
    for (int up = 1; up >= 0; up--) {
        for (uint64_t at = 0; at < b->bytes; at += b->copy_bytes) {
            const uint64_t left = b->bytes - at;
            const size_t bytes = left < b->copy_bytes ? left : b->copy_bytes;

            if (up ? cuda.HtoD(there, b->locked, bytes)
                   : cuda.DtoH(b->locked, there, bytes))
                return MW_DEVICE_FAILED;
        }
    }
    return MW_OK;
}

static mw_status sort_keys(struct bench *b)
{
    return mw_sort(b->context, b->type, MW_ASCENDING, b->keys, b->count);
}

static mw_status sort_pairs(struct bench *b)
{
    return mw_sort_pairs(b->context, b->type, MW_ASCENDING, b->keys, b->values, 4,
                         b->count);
}

static mw_status argsort(struct bench *b)
{
    return mw_argsort(b->context, b->type, MW_ASCENDING, b->keys, b->positions, MW_U32,
                      b->count);
}

static struct row {
    const char *name;
    mw_status (*run)(struct bench *b);
    int locked;
    int level; /* 0: also with little memory; 1: also of keys alone */
    double ms[MOST_TRIALS];
    int wrong;
} rows[] = {
    {"copies",             copy,       1, 0, {0}, 0},
    {"pageable",           sort_keys,  0, 0, {0}, 0},
    {"page-locked",        sort_keys,  1, 1, {0}, 0},
    {"pairs, pageable",    sort_pairs, 0, 2, {0}, 0},
    {"pairs, page-locked", sort_pairs, 1, 2, {0}, 0},
    {"argsort, pageable",  argsort,    0, 2, {0}, 0},
};

enum { ROWS = sizeof rows / sizeof *rows };

/* One trial of a row; `check` looks at values, which takes long. */
static int run_row(struct bench *b, struct row *row, int trial, int check)
{
    struct kit_fingerprint before = {0, 0}, after;
    char *copied = NULL;
    double begin;
    int right = 1;

    b->keys = row->locked ? b->locked : b->pageable;
    if (row->run != copy)
        do_shares(b, 1, &before);
    for (uint64_t i = 0; row->run == sort_pairs && i < b->count; i++)
        b->values[i] = (uint32_t)i;
    if (check && (row->run == sort_pairs || row->run == argsort)) {
        copied = malloc(b->bytes);
        memcpy(copied, b->keys, b->bytes);
    }
    begin = kit_seconds();
    if (row->run(b) != MW_OK) {
        fprintf(stderr, "multiway-host: %s: %s\n", row->name, mw_error(b->context));
        return 0;
    }
    row->ms[trial] = 1000 * (kit_seconds() - begin);
    if (row->run != copy) {
        const int in_order = do_shares(b, 0, &after);

        right = kit_fingerprint_equal(before, after) && (in_order || row->run == argsort);
    }
    if (copied)
        right &= right_values(b, copied, row->run == argsort ? b->positions : b->values,
                              row->run == sort_pairs);
    free(copied);
    row->wrong += !right;
    return 1;
}

static int compare(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) -
           (*(const double *)a < *(const double *)b);
}

static int make(struct bench *b, int is_limited)
{
    b->bytes = b->count * mw_type_size(b->type);
    b->copy_bytes = b->bytes < MOST_COPY ? b->bytes : MOST_COPY;
    b->pageable = malloc(b->bytes);
    b->values = is_limited ? NULL : malloc(4 * b->count);
    b->positions = is_limited ? NULL : malloc(4 * b->count);
    return b->pageable && (is_limited || (b->values && b->positions)) &&
           cuda.MemAllocHost((void **)&b->locked, is_limited ? b->copy_bytes : b->bytes) ==
               0 &&
           mw_alloc(b->context, b->copy_bytes, &b->device) == MW_OK;
}

int main(int argc, char **argv)
{
    const int wished = argc > 3 ? atoi(argv[3]) : 9;
    const int trials = wished < 1 ? 1 : wished > MOST_TRIALS ? MOST_TRIALS : wished;
    struct bench b = {.type = MW_I32, .count = 1 << 28};
    mw_options options = MW_OPTIONS_INIT;
    int level, wrong = 0;

    if ((argc > 1 && mw_type_parse(argv[1], &b.type) != MW_OK) ||
        (argc > 2 && kit_parse_count(argv[2], &b.count)) ||
        (argc > 4 && kit_parse_count(argv[4], &options.memory_bytes))) {
        fprintf(stderr,
                "usage: multiway-host [TYPE [COUNT [TRIALS [MEMORY [CACHE [keys]]]]]]\n");
        return 2;
    }
    options.cache_path = argc > 5 ? argv[5] : NULL;
    level = options.memory_bytes ? 0 : argc > 6 ? 1 : 2;
    if (!open_driver() || mw_open(&b.context, "cuda", &options) != MW_OK ||
        !make(&b, options.memory_bytes != 0)) {
        fprintf(stderr, "multiway-host: no GPU, or no memory: %s\n", mw_error(b.context));
        return 2;
    }
    for (int trial = -1; trial < trials; trial++) { /* the first warms up */
        for (int i = 0; i < ROWS; i++)
            if (rows[i].level <= level &&
                !run_row(&b, &rows[i], trial < 0 ? 0 : trial, trial < 0))
                return 1;
    }
    for (int i = 0; i < ROWS; i++)
        qsort(rows[i].ms, (size_t)trials, sizeof *rows[i].ms, compare);
    printf("type\tcount\tmemory\twhat\tms\tratio\tverdict\n");
    for (int i = 0; i < ROWS; i++) {
        if (rows[i].level > level)
            continue;
        printf("%s\t%llu\t%llu\t%s\t%.2f\t%.3f\t%s\n", mw_type_name(b.type),
               (unsigned long long)b.count, (unsigned long long)options.memory_bytes,
               rows[i].name, rows[i].ms[trials / 2],
               rows[i].ms[trials / 2] / rows[0].ms[trials / 2],
               rows[i].wrong ? "wrong" : "ok");
        wrong |= rows[i].wrong;
    }
    mw_close(b.context);
    return wrong;
}
