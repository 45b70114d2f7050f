/*
 * backend_segments_fast.h - what the fast way to sort segments has for several of them
 * (backend_segments_fast.c) and for one (backend_segments_whole.c).
 */
#ifndef MW_BACKEND_SEGMENTS_FAST_H
#define MW_BACKEND_SEGMENTS_FAST_H

#include "backend_segments.h"

enum { FAST_MOST_ROUNDS = 32, FAST_SIDES = 2 };

struct merge_round {
    uint64_t run;
    uint64_t groups;
    uint64_t pieces;
    uint64_t piece;
    uint64_t blocks;
    uint32_t ways;
    int has_cuts; /* a launch for them; otherwise blocks find their own */
};

struct fast_plan {
    struct rows_shape shape;
    struct plan plan; /* of many rows: its program and geometry serve any number */
    uint32_t window;  /* rows of a window, of short segments, ... */
    uint32_t most_short;
    uint32_t least_long; /* ... and of long ones: launch_segments.h */
    int is_busy;         /* does the first round probably merge most rows? */
    int is_carried;      /* are marks carried over windows before these are sorted? */
    uint64_t windows;
    uint64_t first, last; /* in the workspace: of windows, ... */
    uint64_t open[2];
    uint64_t crossed;
    uint64_t cuts;
    uint64_t cut_cells; /* that `cuts` has room for */
    uint64_t samples[FAST_SIDES];
    uint64_t side[FAST_SIDES]; /* ... and temporary arrays */
    uint64_t workspace_bytes;
    uint32_t rounds;
    struct merge_round round[FAST_MOST_ROUNDS];
};

/* What the kernels get of the rows. */
struct fast_rows {
    struct tile_carry carry; /* from the caller's arrays to the caller's arrays */
    void *keys;              /* the codes in these, or NULL */
    struct key_code enter, leave;
    struct segment_temp side[FAST_SIDES];
};

/* The kernels of both ways. */
extern const kernel_set segments_fast_kernels;

/*
 * One segment: can all rows be sorted as engine tile sorts them? They can if they need
 * more than a tile and the plan of that sort has our program. The plan goes to fast->plan.
 * That takes the time of all rows, however few the segment has.
 */
int segments_are_whole(struct fast_plan *fast, struct backend *backend,
                       const struct request *request);

/* Enqueue it. */
mw_status segments_whole_enqueue(struct segments_run *run, const struct request *request,
                                 const struct fast_plan *fast, const struct fast_rows *rows,
                                 char *workspace);

#endif
