/*
 * cut.inl - exact cuts through several runs.
 */

/* How many ranks of a sorted list are at most `limit`, given that it is in [low, high]. */
static uint64_t count_within(const rank *list, uint64_t low, uint64_t high, rank limit)
{
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;

        if (list[middle] <= limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The rank halfway between two, rounded down, free of overflow. */
static rank rank_between(rank low, rank high)
{
    return (rank)(low + (rank)(((key)high - (key)low) / 2));
}

/*
 * Find where the first `target` ranks of all lists merged end in each of
 * them; ranks that tie go in the order of the lists. The value at that place
 * is found by halving the range of values. below[i] and above[i] always hold
 * how many ranks of list i are smaller than `low` and at most `high`, so each
 * search only looks between them, and in the end they hold the ties.
 */
static void cut_lists(const struct list *lists, unsigned count, uint64_t target,
                      uint64_t below[MERGE_WAYS])
{
    uint64_t above[MERGE_WAYS];
    uint64_t middle[MERGE_WAYS];
    rank low = RANK_LAST;
    rank high = RANK_FIRST;

    for (unsigned i = 0; i < count; i++) {
        below[i] = 0;
        above[i] = lists[i].count;
        if (above[i] > 0) {
            const rank least = lists[i].head[0];
            const rank most = lists[i].head[above[i] - 1];

            low = least < low ? least : low;
            high = most > high ? most : high;
        }
    }
    while (low < high) {
        const rank value = rank_between(low, high);
        uint64_t sum = 0;

        for (unsigned i = 0; i < count; i++) {
            middle[i] = count_within(lists[i].head, below[i], above[i], value);
            sum += middle[i];
        }
        if (sum >= target) {
            high = value;
            memcpy(above, middle, count * sizeof *middle);
        } else {
            low = (rank)(value + 1);
            memcpy(below, middle, count * sizeof *middle);
        }
    }
    for (unsigned i = 0; i < count; i++)
        target -= below[i];
    for (unsigned i = 0; i < count; i++) {
        const uint64_t ties = above[i] - below[i];
        const uint64_t taken = target < ties ? target : ties;

        below[i] += taken;
        target -= taken;
    }
}
