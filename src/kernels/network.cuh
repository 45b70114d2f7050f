/*
 * network.cuh - compare-exchange networks on the registers of a thread and across the
 * lanes of a warp; choosing a lane by rank.
 */

/* Compare-exchange with another lane: keep the lesser, or the greater if `upper`. */
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
                    exchange_in_turn(&r[i], &r[j], i, 0);
            }
        }
    }
}

/* Sort `count` registers, a power of two, that hold a bitonic sequence, rotated or not. */
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

/* Sort a bitonic sequence of 32 items, one per lane. */
DEVICE item clean_lanes(item mine)
{
    UNROLL
    for (int step = 16; step > 0; step /= 2) {
        const item other = SHUFFLE_ITEM(mine, step);

        mine = keep(mine, other, (LANE & step) != 0);
    }
    return mine;
}

/* Sort the words of the first `count` lanes, a power of two, one per lane. */
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

/* The word of my key that tells keys apart: the lower one if all upper words are equal. */
DEVICE unsigned telling_word(key mine, int present)
{
#if KEY_BITS == 64
    const unsigned upper = (unsigned)(mine >> 32);
    const unsigned most = GREATEST(present ? upper : 0);
    const unsigned least = ~GREATEST(present ? ~upper : 0);

    return most > least ? upper : (unsigned)mine;
#else
    (void)present;
    return mine;
#endif
}

/*
 * The lane whose key has rank `wanted` among the keys of `present` lanes; out of range,
 * the first or the last of them. At least one of the first `count` lanes is present, and
 * no other lane. Keys are compared by one word, equal words by lane.
 */
DEVICE int choose_lane(key mine, int present, int count, int wanted)
{
    const unsigned word = telling_word(mine, present);
    const int last = BITS(BALLOT(present)) - 1;
    const unsigned sorted = sort_lanes(present ? word : ~0u, count);
    const int rank = wanted < 0 ? 0 : wanted < last ? wanted : last;
    const unsigned chosen = SHUFFLE(sorted, rank);
    unsigned equal = BALLOT(present && word == chosen);

    NO_UNROLL
    for (int i = BITS(BALLOT(present && word < chosen)); i < rank; i++)
        equal &= equal - 1;
    return LOWEST_BIT(equal);
}
