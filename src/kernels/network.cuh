/*
 * network.cuh - compare-exchange networks: on the registers of one thread, and
 * on one register of each lane of a warp.
 */

/* Put the lesser of two keys first. */
DEVICE void exchange(key *a, key *b)
{
    const int swap = less(*b, *a);
    const key first = swap ? *b : *a;
    const key second = swap ? *a : *b;

    *a = first;
    *b = second;
}

/* Of my key and another's, the one that stays: the lesser, or the greater if `upper`. */
DEVICE key keep(key mine, key other, int upper)
{
    return less(other, mine) != upper ? other : mine;
}

/* Sort 32 registers: Batcher's odd-even merge sort, 191 exchanges. */
DEVICE void sort_registers(key *r)
{
    UNROLL
    for (int run = 1; run < 32; run *= 2) {
        UNROLL
        for (int step = run; step > 0; step /= 2) {
            UNROLL
            for (int i = 0; i < 32; i++) {
                const int j = i + step;

                if (i >= step % run && (i - step % run) % (2 * step) < step && j < 32 &&
                    i / (2 * run) == j / (2 * run))
                    exchange(&r[i], &r[j]);
            }
        }
    }
}

/* Sort 32 registers that hold a bitonic sequence: 80 exchanges. */
DEVICE void clean_registers(key *r)
{
    UNROLL
    for (int step = 16; step > 0; step /= 2) {
        UNROLL
        for (int i = 0; i < 32; i++) {
            if (!(i & step))
                exchange(&r[i], &r[i + step]);
        }
    }
}

/* Sort a bitonic sequence of 32 keys, one a lane. */
DEVICE key clean_lanes(key mine)
{
    UNROLL
    for (int step = 16; step > 0; step /= 2) {
        const key other = SHUFFLE_XOR(mine, step);

        mine = keep(mine, other, (LANE & step) != 0);
    }
    return mine;
}
