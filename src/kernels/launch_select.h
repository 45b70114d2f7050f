/*
 * launch_select.h - what host and kernels must agree on for selecting rows by rank.
 */
#ifndef MW_LAUNCH_SELECT_H
#define MW_LAUNCH_SELECT_H

enum {
    SELECT_THREADS = 512,
    SELECT_BYTES = 64, /* of codes that a thread holds */
    SELECT_DIGIT = 11, /* bits by which one pass narrows a range of codes */
    SELECT_BINS = 1 << SELECT_DIGIT,
    SELECT_PASSES = 6, /* for codes of 64 bits */
    SELECT_SAMPLES = 16 * SELECT_THREADS,
    SELECT_CLEARED = 4096 /* cells that a block of select_sample clears */
};

/* Rows of a tile, and tiles of `count` rows, whose first tile may begin up to 3 early. */
#define SELECT_TILE(code_bytes) (SELECT_THREADS * SELECT_BYTES / (int)(code_bytes))
#define SELECT_TILES(count, code_bytes) \
    (((count) + 3 + SELECT_TILE(code_bytes) - 1) / SELECT_TILE(code_bytes))

enum {
    select_sample_threads = SELECT_THREADS,
    select_filter_threads = SELECT_THREADS,
    select_count_threads = SELECT_THREADS
};

/*
 * The range of codes [low, high] in which a rank lies: `rank` rows of that range come
 * before it. An end is known when `found` is 1.
 */
struct select_end {
    wide low, high;
    wide rank;
    wide found;
};

/* What the launches tell each other. All of it is 0 before the first. */
struct select_state {
    wide tickets[3];          /* of select_filter, twice, and of select_count */
    wide done[SELECT_PASSES]; /* blocks that have counted */
    wide passes;              /* whose ends are known */
    struct select_end end[2]; /* of rank `first` and of rank `last` - 1 */
    wide low, high;           /* codes in which the ranks should lie, by samples */
    wide before;              /* rows with codes below `low` ... */
    wide staged;              /* ... and rows from there on */
    wide is_staged;           /* 1: ends were found among the staged rows */
    wide skip;                /* rows with code end[0].low that come before `first` */
    wide most;                /* rows with code end[1].high that are wanted */
};

#define SELECT_STATE_CELLS (sizeof(struct select_state) / sizeof(wide))

/*
 * Select the rows of ranks [first, last).
 *
 *   select_sample   clear the cells; guess the codes between which the ranks lie
 *   select_filter   stage the rows with these codes, in order of position
 *   select_count    find the codes of the first and the last rank, among the staged rows
 *                   or, should the guess be wrong, among all
 *   select_filter   the rows between these; of rows with equal codes those that come first
 */
struct select_args {
    struct tile_source source; /* of codes; without `order` */
    struct key_code enter;     /* from its keys, if they are not made of parts */
    wide count;
    wide first;
    wide last;
    struct select_state *state;
    wide *bins;  /* SELECT_PASSES times two times SELECT_BINS */
    wide *cells; /* state, bins and two for each tile and filter: all that is cleared */
    wide cell_count;
    wide *tiles;    /* two cells for each tile of this filter */
    void *codes;    /* of staged rows */
    unsigned *rows; /* their numbers */
    wide capacity;
    unsigned *out;    /* the numbers of the selected rows, in order of position */
    wide sample[2];   /* ranks in the samples that enclose the wanted ones */
    int is_sampled;   /* 0: nothing is staged */
    int is_last;      /* select_filter: 0: to be staged, 1: to `out` */
    int code_bytes;   /* 4 or 8 */
    int is_two_sided; /* 0: `first` is 0 */
};

/* Shared memory of their blocks. */
#define SELECT_WARPS (SELECT_THREADS / WARP)
#define SELECT_SHARED (4 * (2 * SELECT_BINS + 4 * SELECT_WARPS + 8) + 64)
#define SELECT_FILTER_SHARED (4 * (3 * SELECT_WARPS + 8))

#endif
