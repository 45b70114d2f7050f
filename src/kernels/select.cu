/*
 * select.cu - rows by rank: see launch_select.h.
 */
#include "select.cuh"

#define SELECT_CODE unsigned
#define SELECT_BITS 32
#include "select_code.cuh"
#define SELECT_CODE wide
#define SELECT_BITS 64
#include "select_code.cuh"

#include "select_classes.cuh"
#include "select_order.cuh"
#include "select_stage.cuh"

#include "select_ranges.cuh"

#include "select_passes.cuh"

#include "select_buckets.cuh"

#include "select_tied.cuh"

#define SELECT_CODE unsigned
#define SELECT_BITS 32
#include "select_word.cuh"
#define SELECT_CODE wide
#define SELECT_BITS 64
#include "select_word.cuh"

enum {
    select_sample_blocks = 4,
    select_guess_blocks = 1,
    select_stage_blocks = 6,
    select_count_blocks = 1,
    select_filter_blocks = 4
};

/* Each thread takes samples, and clears cells. */
KERNEL(select_sample, struct select_args)
{
    const struct select_view view = view_job(&args, args.result.code_bytes);
    const wide step = (wide)BLOCKS * SELECT_FILTER_THREADS;
    const wide first = (wide)BLOCK * SELECT_FILTER_THREADS + THREAD;

    for (wide i = first; args.is_sampled && i < SELECT_SAMPLES; i += step) {
        const wide row = sampled_row(i, args.count);

        STORE_AS(SAMPLE, cell_of(args.samples + i),
                 args.result.code_bytes == 4 ? unsigned_code_of(&view, row)
                                             : wide_code_of(&view, row));
    }
    for (wide i = first; i < args.cell_count; i += step)
        STORE_AS(CUT, cell_of(args.cells + i), 0);
}

/* One block. */
KERNEL(select_guess, struct select_args)
{
    SHARED(struct select_shared, sm);

    if (args.result.code_bytes == 4)
        unsigned_guess(&args, sm);
    else
        wide_guess(&args, sm);
}

/* Blocks take tiles in turn. */
KERNEL(select_stage, struct select_args)
{
    SHARED(struct stage_shared, sm);

    if (args.result.code_bytes == 4)
        unsigned_stage(&args, sm);
    else
        wide_stage(&args, sm);
}

KERNEL(select_count, struct select_args)
{
    SHARED(struct select_shared, sm);

    if (args.result.code_bytes == 4)
        unsigned_count(&args, sm);
    else
        wide_count(&args, sm);
}

/* Blocks take tiles in order, by tickets. */
KERNEL(select_filter, struct select_args)
{
    SHARED(struct filter_shared, sm);

    if (args.result.code_bytes == 4)
        unsigned_filter(&args, sm);
    else
        wide_filter(&args, sm);
}
