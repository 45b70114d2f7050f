/*
 * split_by.inl - finding a cut by comparing rows, whatever the comparison is. The file
 * that includes it defines the type `split_order` and
 *
 *   int split_less(const split_order *order, unsigned i, wide a, unsigned j, wide b)
 *
 * which tells whether row a of list i comes before row b of list j.
 *
 * A pivot is a random one of the rows that are left. Every list finds how many of its
 * rows precede the pivot, ties by list. So about half of the rows drop out in a round,
 * and 2 ln n rounds are expected for n rows, in whatever lists they are.
 */

/* How many rows of my list `i` precede the pivot, as far as the window tells. */
DEVICE wide split_count(const split_order *order, unsigned i, wide lo, wide hi,
                        struct split_place p)
{
    NO_UNROLL
    while (lo < hi) {
        const wide middle = lo + (hi - lo) / 2;
        const int precedes = i < p.list ? !split_less(order, p.list, p.row, i, middle)
                                        : split_less(order, i, middle, p.list, p.row);

        if (precedes)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* Find the cut of rank number `number` and write it. */
DEVICE void split_by_order(struct split_task *t, const split_order *order, wide number)
{
    split_begin(t, number);
    NO_UNROLL
    for (wide round = 0; !split_is_done(t); round++) {
        const struct split_place p =
            split_find(t, split_random(number << 16 ^ round, t->above - t->below));
        wide total = 0;

        NO_UNROLL
        for (unsigned i = LANE; i < t->lists->list_count; i += WARP) {
            const wide lo = LOAD(t->lo + i);
            const wide hi = LOAD(t->hi + i);
            const wide before = i == p.list ? p.row : split_count(order, i, lo, hi, p);

            STORE(t->before + i, before);
            total += before;
        }
        split_narrow(t, split_sum(total), p.list);
    }
    split_store(t, number);
}
