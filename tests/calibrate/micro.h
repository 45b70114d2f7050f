/*
 * micro.h - kernels that make one kind of access over and over, so that what a
 * warp's request costs can be read off a GPU's counters and off the ledger. What
 * host and kernels must agree on; included by both.
 */
#ifndef MW_CALIBRATE_MICRO_H
#define MW_CALIBRATE_MICRO_H

/* Every warp touches cells[places[LANE]] of its own `cells` cells, `turns` times. */
struct micro_args {
    const void *in; /* global_load: the cells of all warps */
    void *out;      /* global_store: the same; otherwise a cell for each thread */
    const int *places;
    int cells;
    int turns;
};

/* Places of a lane that takes no part are below 0. */
enum { MICRO_NOBODY = -1 };

enum { MICRO_THREADS = 256 };

enum {
    shared_load_threads = MICRO_THREADS,
    shared_store_threads = MICRO_THREADS,
    global_load_threads = MICRO_THREADS,
    global_store_threads = MICRO_THREADS
};

#endif
