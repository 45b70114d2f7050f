/*
 * split_by_less.cu - where to cut lists so that a given number of rows lies before the
 * cuts, by a comparison. In programs for positions: rows stay where they are.
 */
#include "split.cuh"

typedef struct split_by_less_args split_order;

DEVICE int split_less(const struct split_by_less_args *args, unsigned i, wide a, unsigned j,
                      wide b)
{
    const wide_cell *const at = (const wide_cell *)args->lists.at;

    return rows_before(&args->order, LOAD(at + i), a, LOAD(at + j), b);
}

#include "split_by.inl"

enum { split_by_less_blocks = 4 };

/* Each warp cuts by one rank after another. */
KERNEL(split_by_less, struct split_by_less_args)
{
    const wide warp = ((wide)BLOCK * THREADS + THREAD) / WARP;
    struct split_task t = split_task_of(&args.lists, warp);

    if (warp >= args.lists.warps)
        return;
    NO_UNROLL
    for (wide number = warp; number < args.lists.rank_count; number += args.lists.warps)
        split_by_order(&t, &args, number);
}
