/*
 * lanes.cuh - sums over the lanes of a warp, and choosing a lane by position.
 */

/* The sum of all lanes' numbers, below 2^54. Each half's sum fits into a word. */
DEVICE wide sum_of_lanes(wide mine)
{
    enum { HALF = 27 };
    const unsigned lower = SUM((unsigned)mine & ((1u << HALF) - 1));
    const unsigned upper = SUM((unsigned)(mine >> HALF));

    return ((wide)upper << HALF) + lower;
}

/* Inclusive prefix sum over the lanes. */
DEVICE unsigned sum_up_to_lane(unsigned sum)
{
    UNROLL
    for (int step = 1; step < WARP; step *= 2) {
        const unsigned other = SHUFFLE(sum, (LANE - step) & (WARP - 1));

        sum += LANE >= step ? other : 0;
    }
    return sum;
}

/*
 * The lane whose window contains position `at` of the concatenated windows; mine begins
 * at `begin`. That is the last lane whose window begins at or before `at`.
 */
DEVICE int lane_of_place(unsigned begin, unsigned at)
{
    int lane = 0;

    UNROLL
    for (int step = WARP / 2; step > 0; step /= 2)
        if (SHUFFLE(begin, lane + step) <= at)
            lane += step;
    return lane;
}
