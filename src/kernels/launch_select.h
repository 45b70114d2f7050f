/*
 * launch_select.h - what host and kernels must agree on for selecting rows by rank.
 */
#ifndef MW_LAUNCH_SELECT_H
#define MW_LAUNCH_SELECT_H

enum {
    SELECT_THREADS = 1024,       /* of blocks that guess and count, ... */
    SELECT_FILTER_THREADS = 256, /* ... and of the others */
    SELECT_BYTES = 32,           /* of codes that a thread holds */
    SELECT_DIGIT = 11,           /* bits by which one pass narrows a range */
    SELECT_BINS = 1 << SELECT_DIGIT,
    SELECT_PASSES = 9, /* for codes of 64 bits, and numbers of 32 bits */
    SELECT_SAMPLES = 8192,
    SELECT_MOST = 4096,   /* wanted rows that select_count can sort */
    SELECT_SORTED = 1024, /* rows that it sorts rather than count once more */
    SELECT_FEW = 128,     /* rows that are ordered by counting */
    SELECT_HELD = 64,     /* rows that a warp of select_stage holds back */
    SELECT_BUCKET = 16,   /* places of a bucket that blocks fill together */
    SELECT_ALONE = 1,     /* tiles up to which one block selects alone */
    SELECT_UNITS = 1024,  /* shares of the rows that blocks count, at most */
    SELECT_ROOM = 6144    /* rows that one block can sort */
};

/* Rows of a tile, and tiles of `count` rows; the first may begin up to 3 rows early. */
#define SELECT_TILE(threads, code_bytes) ((threads)*SELECT_BYTES / (int)(code_bytes))
#define SELECT_TILES(count, threads, code_bytes)            \
    (((count) + 3 + SELECT_TILE(threads, code_bytes) - 1) / \
     SELECT_TILE(threads, code_bytes))

enum {
    select_sample_threads = SELECT_FILTER_THREADS,
    select_guess_threads = SELECT_THREADS,
    select_stage_threads = SELECT_FILTER_THREADS,
    select_count_threads = SELECT_THREADS,
    select_filter_threads = SELECT_FILTER_THREADS,
    select_ties_threads = 256
};

/* A place in the order: rows that compare equal are ordered by their numbers. */
struct select_bound {
    wide code;
    wide row;
};

/*
 * The range [low, high] in which a rank lies: `rank` rows of that range come before it. It
 * is a range of codes or, if `by_row`, of the numbers of the rows that have code `code`. An
 * end is known when `found` is 1.
 */
struct select_end {
    wide low, high;
    wide rank;
    wide found;
    wide code;
    wide by_row;
};

#define SELECT_END_CELLS (sizeof(struct select_end) / sizeof(wide))

/*
 * Of the codes that a pass has counted for an end: the complement of the least, and the
 * greatest. Both only grow, from 0 on.
 */
struct select_seen {
    wide unlike, most;
};

/* What the launches tell each other. All of it is 0 before the first. */
struct select_state {
    wide tickets[2];              /* of select_filter and of select_count */
    wide done[SELECT_PASSES + 1]; /* units that are counted, or collected */
    struct select_seen seen[SELECT_PASSES][2];
    struct select_end end[2];      /* of rank `first` and of rank `last` - 1 */
    struct select_bound low, high; /* between which the ranks should lie, by samples */
    wide before;                   /* rows before `low`, ... */
    wide staged;                   /* ... and rows from there to `high` */
    wide collected;                /* rows that found no room in a bucket */
    wide skip;                     /* rows with code end[0].low that come before `first` */
    wide most;                     /* rows with code end[1].high that are wanted */
};

#define SELECT_STATE_CELLS (sizeof(struct select_state) / sizeof(wide))

/* Where the selected rows go. */
struct select_result {
    void *positions;    /* the caller's, if they are wanted */
    void *keys;         /* the caller's elements, if they are keys; or NULL */
    const void *from;   /* where to fetch them by number; NULL: made of their codes */
    unsigned *numbers;  /* rows by number, GATHER_NONE for none; NULL: not wanted */
    int position_bytes; /* 0: not wanted */
    int code_bytes;     /* 4 or 8; of keys, too */
};

/*
 * Select the rows of ranks [first, last). Up to SELECT_MOST of them:
 *
 *   select_sample   clear the cells; load the codes of samples
 *   select_guess    guess from them two bounds between which the ranks lie
 *   select_stage    stage the rows between the bounds
 *   select_count    find narrower bounds among the staged rows or, if the guess was wrong,
 *                   among all; collect the rows between them, sort them, write them
 *
 * More of them:
 *
 *   select_sample   clear the cells
 *   select_count    find the codes of the first and the last rank
 *   select_filter   the rows between these, in order of position; of rows with equal codes
 *                   those that come first
 */
struct select_args {
    struct tile_source source; /* of codes; without `order` */
    struct key_code enter;     /* from its keys, if they are not made of parts */
    wide count;
    wide first;
    wide last;
    struct select_state *state;
    wide *bins;    /* SELECT_PASSES times SELECT_BINS, or twice that for two ends */
    wide *buckets; /* SELECT_BINS: how many rows are collected in each */
    wide *cells;   /* these, state, two for each tile of the filter: all that is cleared */
    wide cell_count;
    wide *tiles;    /* the filter's */
    void *codes;    /* of staged rows */
    unsigned *rows; /* their numbers */
    wide capacity;
    wide *samples;   /* their codes; later how many rows of each unit are tied */
    wide *collected; /* code and number of rows: SELECT_BUCKET of each bucket, ... */
    wide *rest;      /* ... and up to SELECT_ROOM that found no room there */
    unsigned *out;   /* select_filter: the numbers of the selected rows */
    wide sample[2];  /* ranks in the samples that enclose the wanted ones */
    struct select_result result;
    int is_sampled;   /* 0: nothing is staged */
    int is_sorted;    /* select_count collects and sorts the rows */
    int is_two_sided; /* 0: `first` is 0 */
    unsigned slack;   /* rows more than wanted that may be collected at each end */
    unsigned span;    /* select_filter: tiles that a block takes together */
};

/*
 * Codes of several words. The window is `window_count` rows that are next to each other by
 * the first word of their codes; row `skip` of them has rank `first`.
 */
struct select_ties_args {
    struct tile_source source; /* of the first words */
    const unsigned *window;    /* numbers of its rows, in order */
    const unsigned *all;       /* those of all rows, in order; NULL: flag missing rows */
    unsigned *flag;
    unsigned *out;
    wide count; /* wanted rows */
    wide first;
    wide skip;
    wide window_count;
    int cut_below, cut_above; /* are there rows before and after the window? */
};

/* Shared memory of their blocks. */
#define SELECT_WARPS (SELECT_THREADS / WARP)
#define SELECT_FILTER_WARPS (SELECT_FILTER_THREADS / WARP)
#define SELECT_SHARED                                                       \
    (4 * 2 * SELECT_BINS + 8 * (SELECT_WARPS + 4) + 16 * SELECT_END_CELLS + \
     16 * SELECT_WARPS + SELECT_UNITS / 8)
#define SELECT_COUNT_SHARED (SELECT_SHARED + 12 * SELECT_ROOM)
#define SELECT_STAGE_SHARED (SELECT_FILTER_WARPS * (12 * SELECT_HELD + 8) + 8)
#define SELECT_SPAN (WARP / SELECT_FILTER_WARPS) /* the most of them */
#define SELECT_FILTER_SHARED (4 * (3 * (WARP + 1) + 1))

/*
 * Segments. If few rows are wanted, one warp selects from a segment, otherwise a block. The
 * rows of a long one are divided into parts: of each part the first `last` rows are staged,
 * and a block selects from these.
 */
enum {
    SELECT_TEAM_THREADS = 256,
    SELECT_WARP_DIGIT = 8,
    SELECT_WARP_BINS = 1 << SELECT_WARP_DIGIT,
    SELECT_WARP_ROOM = 448,  /* rows that a warp can list, ... */
    SELECT_WARP_MOST = 128,  /* ... and the last rank that it finds; ... */
    SELECT_TEAM_MOST = 2048, /* ... of a block */
    SELECT_WARP_PARTS = 32,  /* for each SM: parts of all rows, for warps ... */
    SELECT_TEAM_PARTS = 4,   /* ... and for blocks */
    SELECT_LEADERS = 256,    /* least codes of shares of a long segment, ... */
    SELECT_LED = 8           /* ... found in 1/8 of its rows */
};

enum {
    select_segments_threads = SELECT_TEAM_THREADS,
    select_parts_threads = SELECT_TEAM_THREADS,
    select_longer_threads = SELECT_TEAM_THREADS
};

#define SELECT_TEAM_WARPS (SELECT_TEAM_THREADS / WARP)

/*
 * SELECT_CLEAR_STEP   one block: the lists are empty
 * SELECT_LEADERS_STEP the same, and leaders of long segments, by `samplers` warps each
 * SELECT_CODES_STEP   codes that are made of parts
 * SELECT_WARPS_STEP   short segments; the others are listed
 * SELECT_PARTS_STEP   listed parts, by warps
 * SELECT_WHOLE_STEP   listed segments and parts, by blocks
 * SELECT_JOIN_STEP    long segments, from what was staged
 * SELECT_TAKE_STEP    from positions that are sorted in each segment
 *
 * Steps of blocks are those of select_longer. Leaders, parts and the join of parts by warps
 * are those of select_parts, all others those of select_segments.
 */
enum select_step {
    SELECT_CLEAR_STEP,
    SELECT_LEADERS_STEP,
    SELECT_CODES_STEP,
    SELECT_WARPS_STEP,
    SELECT_PARTS_STEP,
    SELECT_WHOLE_STEP,
    SELECT_JOIN_STEP,
    SELECT_TAKE_STEP
};

/* A part of a segment. */
struct select_part {
    unsigned segment; /* GATHER_NONE: none */
    unsigned number;
    wide bound; /* of a segment's first: its wanted codes do not exceed this */
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
    struct select_result result;
    const unsigned *sorted; /* SELECT_TAKE_STEP: positions */
    void *codes;            /* SELECT_CODES_STEP: those of all rows */
    struct select_lists *lists;
    unsigned *wholes; /* segments; there is room for all */
    struct select_part *parts;
    struct select_long *longs;
    void *staged_codes; /* `last` for each part, ... */
    unsigned *staged;   /* ... and their numbers */
    wide *leaders;      /* SELECT_LEADERS of each segment */
    wide most_parts;
    wide most_longs;
    unsigned part;     /* rows of a part; twice as many are long */
    unsigned group;    /* segments that a warp looks at together, up to 32 */
    unsigned samplers; /* a power of two; 0: there are no leaders */
    int step;          /* enum select_step */
    int segment_bytes;
    int is_signed;
    int by_warps; /* `last` is at most SELECT_WARP_MOST */
};

/* Shared memory of a block, and of a warp. */
#define SELECT_TEAM_SHARED (SELECT_SHARED + 12 * SELECT_TEAM_MOST)
#define SELECT_WARP_SHARED (4 * (SELECT_WARP_BINS + 3 * SELECT_WARP_ROOM + 4))

#endif
