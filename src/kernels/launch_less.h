/*
 * launch_less.h - a part of launch.h: sorting by a comparison.
 */
#ifndef MW_LAUNCH_LESS_H
#define MW_LAUNCH_LESS_H

#ifdef LESS_THREADS
enum { less_sort_threads = LESS_THREADS, less_merge_threads = LESS_THREADS };
#endif

/*
 * Sorting by a comparison. The geometry is fixed when the kernels are compiled: threads
 * of a block, and items that each of them merges, an odd number. Kernels have the macros
 * LESS_THREADS, LESS_ITEMS, LESS_SORT_BLOCKS and LESS_MERGE_BLOCKS.
 */
enum { LESS_MOST_WAYS = 16 };

#define LESS_SORT_TILE(threads, items) ((threads) * (items))

/*
 * A merge has at most LESS_MOST_WAYS / 2 pairs of lists, and each thread serves one pair
 * only: the last thread of a pair may have but one output.
 */
#define LESS_MERGE_TILE(threads, items) \
    ((threads) * (items)-LESS_MOST_WAYS / 2 * ((items)-1))

/* Shared memory in bytes: two arrays of cells, bounds of lists, where threads begin. */
#define LESS_SHARED(threads, items, bytes)                          \
    (2 * ((threads) * (items) + 1) * (bytes) + 8 * LESS_MOST_WAYS + \
     4 * (LESS_MOST_WAYS + 1) + 8 * (threads) + (threads) / WARP * 4 + 16)

/*
 * Blocks that share an SM: the number that its shared memory, `all` bytes, and its 64 K
 * registers allow. A thread needs the words of its items and 48 more.
 */
#define LESS_BY_SHARED(threads, items, bytes, all) \
    ((all) / (LESS_SHARED(threads, items, bytes) + 1024))
#define LESS_BY_REGISTERS(threads, items, bytes) \
    (65536 / ((threads) * ((items) * (bytes) / 4 + 48)))
#define LESS_BLOCKS(threads, items, bytes, all)                                            \
    (LESS_BY_SHARED(threads, items, bytes, all) < LESS_BY_REGISTERS(threads, items, bytes) \
         ? LESS_BY_SHARED(threads, items, bytes, all)                                      \
         : LESS_BY_REGISTERS(threads, items, bytes))

/* Items that less_cut_block holds at most; its shared memory in bytes, for any item. */
enum {
    LESS_SAMPLES = 1024,
    LESS_SAMPLES_SHARED =
        LESS_SAMPLES * 16 + LESS_MOST_WAYS * 16 + (LESS_MOST_WAYS + 1) * 4 + 12
};

/*
 * How rows compare. On a GPU the comparison is compiled in, and the function is NULL.
 * `rows` is where positions point to; NULL if the items are the rows.
 */
struct less_order {
    int (*less_on_host)(const void *a, const void *b);
    const void *rows;
    unsigned bytes; /* of a row */
    unsigned unused;
};

/* Sort each tile of `in` into `out`; the two may be the same. */
struct less_sort_args {
    const void *in; /* NULL: the positions from 0 on */
    void *out;
    wide *flags; /* of the later rounds, to be cleared */
    wide flag_count;
    wide count;
    struct less_order order;
};

/*
 * A merge round. `in` holds sorted runs of `run` items (the last may be short); each
 * `ways` neighbours form a group, which is merged into `pieces` tiles of `tile` items.
 * cuts[(group * (pieces + 1) + i) * ways + list] is the number of items of that list
 * before tile i. The cuts of a group are not used if they contradict each other: its flag
 * is `number` then, or, if `scans` is 1, each tile finds that out.
 */
struct less_round {
    const void *in;
    void *out;
    wide *cuts;
    wide *flags;
    wide count;
    wide run;
    wide tile;
    wide number; /* of the round, from 1 on */
    unsigned groups;
    unsigned pieces;
    int ways;
    int scans; /* 1: without flags */
    struct less_order order;
};

struct less_cut_args {
    struct less_round round;
};

struct less_merge_args {
    struct less_round round;
};

/*
 * least[block] is the number of the first row of the block's rows that comes before the
 * row ahead of it, or `count`.
 */
struct less_check_args {
    wide *least;
    wide count;
    struct less_order order;
};

/* The same cuts and flags. */
struct check_cuts_args {
    const wide *cuts;
    wide *flags;
    wide number;
    unsigned groups;
    unsigned pieces;
    int ways;
    int unused;
};

/* out[i] = first + in[i], in 4 or 8 bytes; without `in`, first + i. */
struct widen_positions_args {
    const unsigned *in; /* or NULL */
    void *out;
    wide count;
    wide first;
    int bytes;
    int unused;
};

#endif
