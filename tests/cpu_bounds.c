/*
 * cpu_bounds.c - what a job on the CPU may take: calls of a comparison, threads, scratch
 * memory.
 */
#define _POSIX_C_SOURCE 200809L

#include "kit.h"
#include "tap.h"

#include "multiway_insight.h"

#include <dirent.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    ROWS = 100003,
    KEYS = 1 << 18,
    THREADS = 3,
    FIXED = 64 << 10 /* bytes of scratch memory besides those that the rows ask for */
};

MW_RECORD(row, {
    uint32_t key;
    uint32_t number;
});
MW_ORDER(by_key, row, a->key < b->key);

static _Atomic uint64_t calls, most_threads;

/* Threads of this process; 0 where the system does not tell. */
static uint64_t count_threads(void)
{
    DIR *const folder = opendir("/proc/self/task");
    uint64_t threads = 0;

    if (!folder)
        return 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        threads += entry->d_name[0] != '.';
    closedir(folder);
    return threads;
}

static void note_threads(void)
{
    const uint64_t threads = count_threads();
    uint64_t most = atomic_load(&most_threads);

    while (threads > most && !atomic_compare_exchange_weak(&most_threads, &most, threads))
        ;
}

static int counted_less(const void *a, const void *b)
{
    if (atomic_fetch_add(&calls, 1) % 4096 == 0)
        note_threads();
    return ((const row *)a)->key < ((const row *)b)->key;
}

/* Rows by a comparison that counts; equal ones are numbered as they come. */
struct rows {
    mw_order order;
    row *at;
    mw_table table;
    mw_job job;
};

static int make_rows(struct rows *r, const char *shape, uint64_t count)
{
    uint32_t *const keys = calloc(count + 1, sizeof *keys);
    int right;

    *r = (struct rows){.order = by_key, .at = calloc(count + 1, sizeof *r->at)};
    r->order.less_on_host = counted_less;
    r->table = (mw_table){.elements = r->at, .count = count};
    r->job = (mw_job)MW_JOB_INIT;
    r->job.order = &r->order;
    r->job.in = &r->table;
    right = r->at && keys && kit_fill(MW_U32, shape, count, keys, count) == MW_OK;
    for (uint64_t i = 0; right && i < count; i++)
        r->at[i] = (row){keys[i], (uint32_t)i};
    free(keys);
    return right;
}

/* Are rows in order, and equal ones as they were? */
static int is_stable(const struct rows *r, uint64_t first, uint64_t last)
{
    for (uint64_t i = first + 1; i < last; i++) {
        const row *const two = &r->at[i - 1];

        if (two[1].key < two[0].key ||
            (two[0].key == two[1].key && two[1].number <= two[0].number))
            return 0;
    }
    return 1;
}

/* No sort by comparisons takes fewer than log2(n!) calls on average. Ours takes few more.
 */
static uint64_t most_calls(uint64_t count)
{
    return (uint64_t)(1.2 * lgamma((double)count + 1) / log(2)) + 1;
}

static int sort_by_calls(mw_context *context, const char *shape, uint64_t count)
{
    struct rows rows;
    int right = make_rows(&rows, shape, count);

    atomic_store(&calls, 0);
    right = right && mw_run(context, &rows.job) == MW_OK && is_stable(&rows, 0, count);
    if (atomic_load(&calls) > most_calls(count)) {
        tap_note("%llu rows: %llu calls, expected up to %llu", (unsigned long long)count,
                 (unsigned long long)calls, (unsigned long long)most_calls(count));
        right = 0;
    }
    free(rows.at);
    return right;
}

/* Segments of `length` rows each. */
static int sort_segments(mw_context *context, uint32_t length)
{
    const uint32_t segments = ROWS / length;
    uint32_t *const bounds = calloc(segments + 1, sizeof *bounds);
    struct rows rows;
    int right = make_rows(&rows, "random", ROWS) && bounds;

    for (uint32_t i = 0; right && i <= segments; i++)
        bounds[i] = i * length;
    rows.job.segment_begins = bounds;
    rows.job.segment_ends = bounds ? bounds + 1 : NULL;
    rows.job.segment_type = MW_U32;
    rows.job.segment_count = segments;
    atomic_store(&calls, 0);
    right = right && mw_run(context, &rows.job) == MW_OK &&
            atomic_load(&calls) <= segments * most_calls(length);
    for (uint32_t i = 0; right && i < segments; i++)
        right = is_stable(&rows, bounds[i], bounds[i + 1]);
    free(rows.at);
    free(bounds);
    return right;
}

static void test_calls(struct tap *tap, const char *device)
{
    static const char *const shapes[] = {"random", "few:16", "swaps:100", "organ"};
    static const uint64_t counts[] = {0, 1, 2, 3, 10, 100, 1000, 20000, ROWS};
    mw_context *context = NULL;

    if (mw_open(&context, device, NULL) != MW_OK)
        return;
    for (size_t s = 0; s < COUNT_OF(shapes); s++) {
        int right = 1;

        for (size_t i = 0; i < COUNT_OF(counts); i++)
            right &= sort_by_calls(context, shapes[s], counts[i]);
        tap_case(tap, right, "%s, %s: calls of a comparison", device, shapes[s]);
    }
    for (uint32_t length = 5; length < 200; length *= 3)
        tap_case(tap, sort_segments(context, length),
                 "%s, segments of %u rows: calls of a comparison", device, length);
    mw_close(context);
}

/* cpu:N is a bound, for sorts of all kinds. */
static void test_threads(struct tap *tap)
{
    const uint64_t before = count_threads();
    uint64_t *const keys = calloc(KEYS, sizeof *keys);
    mw_context *context = NULL;
    int right = keys && mw_open(&context, "cpu:3", NULL) == MW_OK;

    if (!before || !right) {
        tap_skip(tap, "threads of cpu:3", before ? "no memory" : "no /proc");
    } else {
        atomic_store(&most_threads, 0);
        right = kit_fill(MW_U64, "random", 1, keys, KEYS) == MW_OK &&
                mw_sort(context, MW_U64, MW_ASCENDING, keys, KEYS) == MW_OK;
        note_threads();
        right &= sort_by_calls(context, "random", ROWS) && sort_segments(context, 40);
        note_threads();
        tap_case(tap, right && most_threads == before + THREADS - 1,
                 "cpu:3 has %llu threads more than there were",
                 (unsigned long long)(most_threads - before));
    }
    mw_close(context);
    free(keys);
}

/* Bare keys, sorted or merged, with scratch memory for an eighth of them. */
static int run_tight(mw_type type, uint32_t lists, uint64_t part)
{
    const size_t size = mw_type_size(type);
    const uint64_t bytes = KEYS * size;
    mw_options options = MW_OPTIONS_INIT;
    mw_context *context = NULL, *ample = NULL;
    char *const keys = calloc(KEYS, size), *const merged = calloc(KEYS, size);
    const mw_table whole = {.elements = keys, .count = KEYS};
    const mw_table out = {.elements = merged, .count = KEYS};
    mw_table list[8];
    mw_job job = MW_JOB_INIT;
    uint64_t needed = 0;
    int right = keys && merged && kit_fill(type, "random", 7, keys, KEYS) == MW_OK &&
                mw_open(&ample, "cpu:3", NULL) == MW_OK;

    job.order = mw_order_of(type, MW_ASCENDING);
    job.in = lists > 1 ? list : &whole;
    job.in_count = lists;
    job.operation = lists > 1 ? MW_MERGE : MW_SORT;
    job.out = lists > 1 ? &out : NULL;
    for (uint32_t i = 0; right && lists > 1 && i < lists; i++) {
        list[i] = (mw_table){.elements = keys + i * (bytes / lists), .count = KEYS / lists};
        right =
            mw_sort(ample, type, MW_ASCENDING, list[i].elements, list[i].count) == MW_OK;
    }
    options.memory_bytes = bytes / part + FIXED;
    right = right && mw_prepare(ample, &job, &needed) == MW_OK && needed <= bytes + FIXED &&
            mw_open(&context, "cpu:3", &options) == MW_OK &&
            mw_run(context, &job) == MW_OK &&
            kit_first_disorder(type, MW_ASCENDING, lists > 1 ? merged : keys, KEYS) == KEYS;
    mw_close(context);
    mw_close(ample);
    free(merged);
    free(keys);
    return right;
}

static void test_scratch(struct tap *tap)
{
    static const mw_type types[] = {MW_U8, MW_I16, MW_U32, MW_F32, MW_I64, MW_F64};

    for (uint32_t lists = 1; lists <= 8; lists *= 8)
        for (size_t i = 0; i < COUNT_OF(types); i++)
            tap_case(tap, run_tight(types[i], lists, 8) && run_tight(types[i], lists, 1),
                     "%s, %u lists: scratch memory for all keys, or for an eighth",
                     mw_type_name(types[i]), lists);
}

int main(void)
{
    struct tap tap = {0, 0};

    test_calls(&tap, "cpu:1");
    test_calls(&tap, "cpu:3");
    test_threads(&tap);
    test_scratch(&tap);
    return tap_end(&tap);
}
