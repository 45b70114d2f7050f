/*
 * first_use.c - how long the first sort of a handle takes: opening, then compiling or
 * loading kernels, then sorting.
 *
 *   multiway_first_use [DEVICE [COUNT [CACHE]]]
 *
 * Prints the milliseconds of mw_open, of the first mw_sort of random i32 keys and of the
 * second. CACHE is a folder for compiled kernels; without it nothing is cached.
 */
#include "kit.h"

#include <stdio.h>
#include <stdlib.h>

/* Sort random keys; the time in milliseconds, or -1. */
static double sort(mw_context *context, int32_t *keys, uint64_t count, uint64_t seed)
{
    double begin;

    if (kit_fill(MW_I32, "random", seed, keys, count) != MW_OK)
        return -1;
    begin = kit_seconds();
    if (mw_sort(context, MW_I32, MW_ASCENDING, keys, count) != MW_OK ||
        kit_first_disorder(MW_I32, MW_ASCENDING, keys, count) != count)
        return -1;
    return 1000 * (kit_seconds() - begin);
}

int main(int argc, char **argv)
{
    mw_options options = MW_OPTIONS_INIT;
    mw_context *context = NULL;
    uint64_t count = 1 << 20;
    double begin, open = 0, first = -1, second = -1;
    int32_t *keys;

    if (argc > 2 && kit_parse_count(argv[2], &count))
        return 2;
    options.cache_path = argc > 3 ? argv[3] : NULL;
    keys = malloc(count * sizeof *keys);
    if (!keys)
        return 2;
    begin = kit_seconds();
    if (mw_open(&context, argc > 1 ? argv[1] : "cuda", &options) == MW_OK) {
        open = 1000 * (kit_seconds() - begin);
        first = sort(context, keys, count, 1);
        second = sort(context, keys, count, 2);
    }
    if (first < 0 || second < 0) {
        fprintf(stderr, "first_use: %s\n", mw_error(context));
        return 2;
    }
    printf("open_ms\tfirst_sort_ms\tsecond_sort_ms\n%.1f\t%.1f\t%.1f\n", open, first,
           second);
    mw_close(context);
    free(keys);
    return 0;
}
