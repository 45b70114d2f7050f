/*
 * less_check.cu - the first row that comes before the row ahead of it, by a comparison;
 * check_last finds the least of all blocks. In programs for positions.
 */

#include "check_least.cuh"

enum { less_check_blocks = 4 };

/* Each block checks CHECK_ROWS neighbours. */
KERNEL(less_check, struct less_check_args)
{
    SHARED(struct check_shared, sm);
    const wide first = (wide)BLOCK * CHECK_ROWS + THREAD;
    wide least = args.count;

    NO_UNROLL
    for (int j = 0; j < CHECK_ROWS / CHECK_THREADS; j++) {
        const wide i = first + j * CHECK_THREADS;

        if (i + 1 < args.count && i + 1 < least && row_before(&args.order, i + 1, i))
            least = i + 1;
    }
    least = least_of_block(sm, least);
    if (THREAD == 0)
        STORE((wide_cell *)args.least + BLOCK, least);
}
