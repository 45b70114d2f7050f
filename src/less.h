/*
 * less.h - sorts by a comparison (orders by an expression): their plan and their passes.
 */
#ifndef MW_LESS_H
#define MW_LESS_H

#include "passes.h"
#include "request.h"

enum { LESS_MOST_ROUNDS = 64 };

/* One merge round: `groups` groups of `ways` runs of `run` items, `pieces` tiles each. */
struct less_plan_round {
    uint64_t run;
    uint64_t groups;
    uint64_t pieces;
    uint64_t tile; /* items of a tile */
    uint32_t ways;
    int by_blocks; /* 1: each cut by a block, not by a warp */
    int scans;     /* 1: no check_cuts; less_merge looks through the cuts itself */
};

/*
 * How to sort. Items are the rows themselves, or positions, which travel instead of rows
 * of more than 16 bytes, or wherever columns or positions are wanted.
 */
struct less_plan {
    struct program_name program;
    kernel_set kernels;      /* of it, ... */
    kernel_set rows_kernels; /* ... and of PROGRAM_ROWS */
    int positions;           /* 1: items are positions */
    uint32_t item_bytes;     /* in an array */
    uint32_t shared;         /* of a block */
    uint32_t tile;           /* items of a tile that less_sort sorts ... */
    uint32_t merge_tile;     /* ... and the most that less_merge merges */
    uint32_t rounds;
    uint64_t workspace_bytes;  /* of a check a number for each block; of a sort some of */
                               /*   these, each where its offset says: */
    uint64_t spare_offset;     /* the second array of items; then gathered rows */
    uint64_t positions_offset; /* positions that the caller does not want as they are */
    uint64_t cuts_offset;
    uint64_t flags_offset;
    uint64_t flag_count;
    struct less_plan_round round[LESS_MOST_ROUNDS];
};

/*
 * Plan a sort, or a check, of request->count rows, following `wish` where it is not 0.
 * Among counts of one geometry the workspace never shrinks as the count grows, and the
 * kernels include those of smaller counts. MW_UNSUPPORTED if positions of 32 bits cannot
 * number the rows, or for a wish that the kernels cannot follow.
 */
mw_status less_plan(struct less_plan *plan, const struct request *request,
                    const mw_tuning *wish, const mw_info *info, struct error *error);

/* The greatest count below `count` that may have another geometry; 0: none. */
uint64_t less_next_count(uint64_t count);

/* The same in the terms of other plans. */
void less_plan_tell(const struct less_plan *from, uint64_t count, struct plan *plan);

/* Load what the request and all with fewer rows need; how much workspace they need. */
mw_status less_prepare(struct device *device, const struct request *request,
                       const mw_tuning *wish, uint64_t *workspace_bytes);

/*
 * Enqueue a request whose arrays are device memory, by this plan. Does not wait. If `log`
 * is not NULL, launches are entered there.
 */
mw_status less_enqueue(struct device *device, const struct request *request,
                       const struct less_plan *plan, void *workspace, void *stream,
                       struct pass_log *log);

#endif
