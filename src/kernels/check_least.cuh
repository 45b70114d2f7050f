/*
 * check_least.cuh - the least number that any thread of a block has, for checks.
 */

enum { CHECK_WARPS = CHECK_THREADS / WARP };

struct check_shared {
    wide_cell least[CHECK_WARPS];
};

/* The least number of all threads of the block. */
DEVICE wide least_of_block(struct check_shared *sm, wide mine)
{
    wide all;

    for (int step = WARP / 2; step > 0; step /= 2) {
        const wide other = SHUFFLE_XOR(mine, step);

        mine = other < mine ? other : mine;
    }
    if (LANE == 0)
        STORE(&sm->least[THREAD / WARP], mine);
    BARRIER();
    all = LOAD(&sm->least[0]);
    for (int i = 1; i < CHECK_WARPS; i++) {
        const wide other = LOAD(&sm->least[i]);

        all = other < all ? other : all;
    }
    return all;
}
