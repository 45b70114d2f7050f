/*
 * select.cu - rows by rank: see launch_select.h.
 */
#include "select.cuh"

#include "select_classes.cuh"
#include "select_passes.cuh"

#define SELECT_CODE unsigned
#define SELECT_BITS 32
#include "select_word.cuh"
#define SELECT_CODE wide
#define SELECT_BITS 64
#include "select_word.cuh"

#include "select_guess.cuh"

enum { select_sample_blocks = 1, select_filter_blocks = 4, select_count_blocks = 3 };

/* The first block guesses, the others clear SELECT_CLEARED cells each. */
KERNEL(select_sample, struct select_args)
{
    SHARED(struct select_shared, sm);

    if (BLOCK == 0) {
        for (int i = THREAD; i < (int)SELECT_STATE_CELLS; i += SELECT_THREADS)
            STORE(cell_of(args.cells + i), 0);
        BARRIER();
        if (args.is_sampled)
            guess(&args, sm);
    } else {
        const wide first = SELECT_STATE_CELLS + (wide)(BLOCK - 1) * SELECT_CLEARED;

        for (wide i = first + THREAD; i < first + SELECT_CLEARED && i < args.cell_count;
             i += SELECT_THREADS)
            STORE_AS(CUT, cell_of(args.cells + i), 0);
    }
}

/* As many blocks as there may be: each takes tiles as long as there are some. */
KERNEL(select_filter, struct select_args)
{
    SHARED(struct filter_shared, sm);

    if (args.code_bytes == 4)
        unsigned_filter(&args, sm);
    else
        wide_filter(&args, sm);
}

KERNEL(select_count, struct select_args)
{
    SHARED(struct select_shared, sm);

    if (args.code_bytes == 4)
        unsigned_count(&args, sm);
    else
        wide_count(&args, sm);
}
