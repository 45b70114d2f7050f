/*
 * less_check.cu - the first row that comes before the row ahead of it, by a comparison;
 * check_last finds the least of all blocks. In programs for positions.
 */

enum { less_check_blocks = 4, CHECK_WARPS = CHECK_THREADS / WARP };

struct less_check_shared {
    wide_cell least[CHECK_WARPS];
};

/* Each block checks CHECK_ROWS neighbours. */
KERNEL(less_check, struct less_check_args)
{
    SHARED(struct less_check_shared, sm);
    const wide first = (wide)BLOCK * CHECK_ROWS + THREAD;
    wide least = args.count;

    NO_UNROLL
    for (int j = 0; j < CHECK_ROWS / CHECK_THREADS; j++) {
        const wide i = first + j * CHECK_THREADS;

        if (i + 1 < args.count && i + 1 < least && row_before(&args.order, i + 1, i))
            least = i + 1;
    }
    for (int step = WARP / 2; step > 0; step /= 2) {
        const wide other = SHUFFLE_XOR(least, step);

        least = other < least ? other : least;
    }
    if (LANE == 0)
        STORE(&sm->least[THREAD / WARP], least);
    BARRIER();
    if (THREAD == 0) {
        for (int i = 0; i < CHECK_WARPS; i++) {
            const wide other = LOAD(&sm->least[i]);

            least = other < least ? other : least;
        }
        STORE((wide_cell *)args.least + BLOCK, least);
    }
}
