/*
 * network.cuh - compare-exchange networks: on the registers of one thread, and
 * on one register of each lane of a warp; and a sum over the lanes.
 */

DEVICE wide sum_of_lanes(wide mine)
{
    for (int step = WARP / 2; step > 0; step /= 2)
        mine += SHUFFLE_XOR(mine, step);
    return mine;
}

/* Of mine and another's, the one that stays: the lesser, or the greater if `upper`. */
DEVICE item keep(item mine, item other, int upper)
{
    return precedes(other, mine) != upper ? other : mine;
}

/* Sort `count` registers, a power of two: Batcher's odd-even merge sort. */
DEVICE void sort_registers(item *r, const int count)
{
    UNROLL
    for (int run = 1; run < count; run *= 2) {
        UNROLL
        for (int step = run; step > 0; step /= 2) {
            UNROLL
            for (int i = 0; i < count; i++) {
                const int j = i + step;

                if (i >= step % run && (i - step % run) % (2 * step) < step && j < count &&
                    i / (2 * run) == j / (2 * run))
                    exchange_in_turn(&r[i], &r[j], i, ITEMS_NEAR);
            }
        }
    }
}

/* Sort `count` registers, a power of two, that hold a bitonic sequence or a rotated one. */
DEVICE void clean_registers(item *r, const int count, const int near)
{
    UNROLL
    for (int step = count / 2; step > 0; step /= 2) {
        UNROLL
        for (int i = 0; i < count; i++) {
            if (!(i & step))
                exchange_in_turn(&r[i], &r[i + step], i / 2 + i % 2, near);
        }
    }
}

/* Sort a bitonic sequence of 32, one a lane. */
DEVICE item clean_lanes(item mine)
{
    UNROLL
    for (int step = 16; step > 0; step /= 2) {
        const item other = SHUFFLE_ITEM(mine, step);

        mine = keep(mine, other, (LANE & step) != 0);
    }
    return mine;
}

/* Sort words, one a lane, of the first `count` lanes, a power of two. */
DEVICE unsigned sort_lanes(unsigned mine, int count)
{
    UNROLL
    for (int size = 2; size <= WARP; size *= 2) {
        if (size > count)
            break;
        UNROLL
        for (int step = size / 2; step > 0; step /= 2) {
            const unsigned other = SHUFFLE_XOR(mine, step == size / 2 ? size - 1 : step);
            const unsigned greater = mine > other ? mine : other;

            mine = LANE & step ? greater : mine < other ? mine : other;
        }
    }
    return mine;
}
