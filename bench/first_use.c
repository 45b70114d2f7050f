/*
 * first_use.c - how long the first sort of a handle takes: opening, then compiling or
 * loading kernels, then sorting.
 *
 *   multiway_first_use [--text] [DEVICE [COUNT [CACHE]]]
 *
 * Prints the milliseconds of mw_open, of the first sort and of the second: of random i32
 * keys by mw_sort, or, with --text, of 16-byte records by an order that is given as text.
 * CACHE is a folder for compiled kernels; without it nothing is cached.
 */
#include "kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
    uint64_t key, row;
};

static int record_less(const void *a, const void *b)
{
    return ((const struct record *)a)->key < ((const struct record *)b)->key;
}

/* Sort random keys; the time in milliseconds, or -1. */
static double sort_keys(mw_context *context, void *memory, uint64_t count, uint64_t seed)
{
    double begin;

    if (kit_fill(MW_I32, "random", seed, memory, count) != MW_OK)
        return -1;
    begin = kit_seconds();
    if (mw_sort(context, MW_I32, MW_ASCENDING, memory, count) != MW_OK)
        return -1;
    begin = kit_seconds() - begin;
    return kit_first_disorder(MW_I32, MW_ASCENDING, memory, count) == count ? 1000 * begin
                                                                            : -1;
}

/* Sort records with 256 different keys, so that most have to keep their order. */
static double sort_records(mw_context *context, void *memory, uint64_t count, uint64_t seed)
{
    struct record *const records = memory;
    const mw_table table = {memory, count, NULL, 0};
    mw_order order = MW_ORDER_INIT;
    mw_job job = MW_JOB_INIT;
    double begin;

    for (uint64_t i = 0; i < count; i++)
        records[i] = (struct record){kit_mix(seed + i) % 256, i};
    order.element_bytes = sizeof *records;
    order.less = "a->key < b->key";
    order.declarations = "typedef struct { unsigned long long key, row; } mw_element;";
    order.less_on_host = record_less;
    job.order = &order;
    job.in = &table;
    begin = kit_seconds();
    if (mw_run(context, &job) != MW_OK)
        return -1;
    begin = kit_seconds() - begin;
    for (uint64_t i = 1; i < count; i++)
        if (records[i].key < records[i - 1].key ||
            (records[i].key == records[i - 1].key && records[i].row < records[i - 1].row))
            return -1;
    return 1000 * begin;
}

int main(int argc, char **argv)
{
    const int text = argc > 1 && strcmp(argv[1], "--text") == 0;
    double (*const sort)(mw_context *, void *, uint64_t, uint64_t) =
        text ? sort_records : sort_keys;
    mw_options options = MW_OPTIONS_INIT;
    mw_context *context = NULL;
    uint64_t count = 1 << 20;
    double begin, open = 0, first = -1, second = -1;
    void *memory;

    argc -= text;
    argv += text;
    if (argc > 2 && kit_parse_count(argv[2], &count))
        return 2;
    options.cache_path = argc > 3 ? argv[3] : NULL;
    memory = malloc(count * (text ? sizeof(struct record) : sizeof(int32_t)));
    if (!memory)
        return 2;
    begin = kit_seconds();
    if (mw_open(&context, argc > 1 ? argv[1] : "cuda", &options) == MW_OK) {
        open = 1000 * (kit_seconds() - begin);
        first = sort(context, memory, count, 1);
        second = sort(context, memory, count, 2);
    }
    if (first < 0 || second < 0) {
        fprintf(stderr, "first_use: %s\n", mw_error(context));
        return 2;
    }
    printf("open_ms\tfirst_sort_ms\tsecond_sort_ms\n%.1f\t%.1f\t%.1f\n", open, first,
           second);
    mw_close(context);
    free(memory);
    return 0;
}
