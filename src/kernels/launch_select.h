/*
 * launch_select.h - what host and kernels must agree on for selecting rows by rank.
 */
#ifndef MW_LAUNCH_SELECT_H
#define MW_LAUNCH_SELECT_H

enum {
    SELECT_THREADS = 256,
    SELECT_BYTES = 64, /* of codes that a thread holds */
    SELECT_DIGIT = 11, /* bits by which one pass narrows a range of codes */
    SELECT_BINS = 1 << SELECT_DIGIT,
    SELECT_PASSES = 6, /* for codes of 64 bits */
    SELECT_SAMPLES = 32 * SELECT_THREADS,
    SELECT_CLEARED = 4096 /* cells that a block of select_sample clears */
};

/* Rows of a tile, and tiles of `count` rows; the first may begin up to 3 rows early. */
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
 *                   or, if the guess was wrong, among all
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
    unsigned span;    /* select_filter: tiles that a block takes together */
    unsigned unused;
};

/* Shared memory of their blocks. */
#define SELECT_WARPS (SELECT_THREADS / WARP)
#define SELECT_SHARED (4 * (2 * SELECT_BINS + 4 * SELECT_WARPS + 8) + 64)
#define SELECT_SPAN (WARP / SELECT_WARPS) /* the most of them */
#define SELECT_FILTER_SHARED (4 * (3 * (WARP + 1) + 1))

/*
 * Segments. One warp selects from a short segment, a block from a longer one. The rows of
 * a long one are divided into parts: of each part the first `last` rows are staged, and a
 * block selects from these.
 */
enum {
    SELECT_WARP_DIGIT = 8,
    SELECT_WARP_BINS = 1 << SELECT_WARP_DIGIT,
    SELECT_WARP_MOST = 128, /* rows that a warp or ... */
    SELECT_MOST = 2048,     /* ... a block can sort */
    SELECT_SHORT = WARP     /* rows of a short segment at most */
};

enum { select_segments_threads = SELECT_THREADS };

/*
 * SELECT_CLEAR_STEP   one block: the lists are empty
 * SELECT_CODES_STEP   codes that are made of parts
 * SELECT_WARPS_STEP   short segments; the others are listed
 * SELECT_WHOLE_STEP   listed segments and parts
 * SELECT_JOIN_STEP    long segments, from what was staged
 * SELECT_TAKE_STEP    from positions that are sorted in each segment
 */
enum select_step {
    SELECT_CLEAR_STEP,
    SELECT_CODES_STEP,
    SELECT_WARPS_STEP,
    SELECT_WHOLE_STEP,
    SELECT_JOIN_STEP,
    SELECT_TAKE_STEP
};

/* A part of a segment. */
struct select_part {
    unsigned segment; /* GATHER_NONE: none */
    unsigned number;
};

/* A long segment: its parts begin at `part` of the list. */
struct select_long {
    unsigned segment;
    unsigned part;
};

/* How long the lists are, and how many tickets were taken. All are 0 at first. */
struct select_lists {
    wide wholes, parts, longs;
    wide tickets[2];
};

struct select_segments_args {
    struct tile_source source; /* with parts only in SELECT_CODES_STEP */
    struct key_code enter;
    const void *begins;
    const void *ends;
    wide segments;
    wide count; /* rows of all */
    wide first;
    wide last;
    void *positions;   /* the caller's; NULL: not wanted */
    void *keys;        /* the caller's elements, if they are keys of code_bytes; or NULL */
    unsigned *numbers; /* rows by number, GATHER_NONE for none; NULL: not wanted */
    const unsigned *sorted; /* SELECT_TAKE_STEP: positions */
    void *codes;            /* SELECT_CODES_STEP: those of all rows */
    struct select_lists *lists;
    unsigned *wholes; /* segments; there is room for all */
    struct select_part *parts;
    struct select_long *longs;
    unsigned *staged; /* `last` for each part */
    wide most_parts;
    wide most_longs;
    unsigned part;  /* rows of a part; twice as many are long */
    unsigned group; /* segments that a warp looks at together, up to 32 */
    int step;       /* enum select_step */
    int segment_bytes;
    int is_signed;
    int code_bytes;
    int position_bytes;
    int unused;
};

/* Shared memory of a block: a team of all, or one for each warp. */
#define SELECT_TEAM_SHARED \
    (4 * (SELECT_BINS + 3 * SELECT_MOST + SELECT_WARPS + 8) + 16 * SELECT_WARPS)
#define SELECT_WARP_SHARED (4 * (SELECT_WARP_BINS + 3 * SELECT_WARP_MOST + 4))
#define SELECT_SEGMENTS_SHARED                              \
    (SELECT_TEAM_SHARED > SELECT_WARPS * SELECT_WARP_SHARED \
         ? SELECT_TEAM_SHARED                               \
         : SELECT_WARPS * SELECT_WARP_SHARED)

#endif
