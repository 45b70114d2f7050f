#include "tune_lists.h"

enum { LIST = 20 };

/* Ends with 0. The one that was asked for, if any, takes the place of all. */
static void list_values(uint32_t list[LIST], const uint32_t *values, uint32_t only)
{
    int count = 0;

    if (only)
        list[count++] = only;
    for (; !only && values[count]; count++)
        list[count] = values[count];
    list[count] = 0;
}

enum trials_result tune_tile(const struct tune_lists *lists, struct sweep *sweep)
{
    static const uint32_t all[][LIST] = {
        {64,  128, 256, 512, 0}, /* rows of a tile, ... */
        {8,   16,  32,  0  }, /* ... keys of a row, ... */
        {32, 16,   8,   4,   0 }  /* ... ways */
    };
    static const uint32_t some[][LIST] = {
        {128, 256, 0},
        {16,  32,  0},
        {32,  8,   0}
    };
    const uint32_t(*const values)[LIST] = lists->quick ? some : all;
    enum trials_result result = TRIALS_FINE;
    mw_tuning wish = lists->only;
    uint32_t rows[LIST], items[LIST], ways[LIST];

    list_values(rows, values[0], wish.threads);
    list_values(items, values[1], wish.items);
    list_values(ways, values[2], wish.ways);
    for (int r = 0; rows[r]; r++) {
        for (int i = 0; items[i]; i++) {
            for (int w = 0; ways[w] && result == TRIALS_FINE; w++) {
                wish.threads = rows[r];
                wish.items = items[i];
                wish.ways = ways[w];
                result = sweep_try(sweep, &wish);
            }
        }
    }
    return result;
}

enum trials_result tune_heap(const struct tune_lists *lists, struct sweep *sweep)
{
    static const uint32_t all_ways[] = {2, 4, 8, 16, 32, 0};
    static const uint32_t all_warps[] = {16, 24, 32, 40, 48, 64, 96, 0};
    static const uint32_t some_warps[] = {16, 32, 64, 0};
    static const uint32_t all_bases[] = {1024, 2048, 4096, 8192, 16384, 0};
    static const uint32_t all_threads[] = {64, 128, 256, 0};
    const mw_tuning *const only = &lists->only;
    uint32_t ways[LIST], warps[LIST], bases[LIST], threads[LIST];
    enum trials_result result = TRIALS_FINE;
    mw_tuning wish = *only;

    list_values(ways, all_ways, only->ways);
    list_values(warps, lists->quick ? some_warps : all_warps, only->warps);
    list_values(bases, all_bases, only->base);
    list_values(threads, all_threads, only->threads);
    for (int k = 0; ways[k]; k++) {
        for (int p = 0; warps[p] && result == TRIALS_FINE; p++) {
            wish.ways = ways[k];
            wish.warps = warps[p] * (only->warps ? 1 : lists->processors);
            result = sweep_try(sweep, &wish);
        }
    }
    wish = sweep_best(sweep, 0)->wish;
    wish.ways = only->ways ? only->ways : wish.ways; /* the default may be the fastest */
    wish.warps = only->warps ? only->warps : wish.warps;
    for (int b = 0; bases[b]; b++) {
        for (int t = 0; threads[t] && result == TRIALS_FINE; t++) {
            wish.base = bases[b];
            wish.threads = threads[t];
            result = sweep_try(sweep, &wish);
        }
    }
    return result;
}

enum trials_result tune_paper(const struct tune_lists *lists, struct sweep *sweep)
{
    static const uint32_t all_warps[] = {60,  100, 200, 300,  400,  500,  600,
                                         700, 800, 900, 1000, 2000, 4000, 0};
    static const uint32_t some_warps[] = {60, 250, 1000, 0};
    static const uint32_t beyond[] = {16, 32, 48, 64, 96, 0}; /* a multiprocessor */
    const uint32_t *const warps = lists->quick ? some_warps : all_warps;
    enum trials_result result = TRIALS_FINE;
    mw_tuning wish = lists->only;

    for (wish.ways = 2; wish.ways <= 32; wish.ways *= 2) {
        for (int p = 0; warps[p] && result == TRIALS_FINE; p++) {
            wish.warps = warps[p];
            result = sweep_try(sweep, &wish);
        }
        for (int p = 0; beyond[p] && result == TRIALS_FINE; p++) {
            wish.warps = beyond[p] * lists->processors;
            result = sweep_try(sweep, &wish);
        }
    }
    return result;
}
