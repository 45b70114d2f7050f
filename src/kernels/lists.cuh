/*
 * lists.cuh - finding a row's list in a table of lists (launch_lists.h).
 */

/* The list of row `row`: the last one that begins at or before it. */
DEVICE unsigned list_of_row(const wide *firsts, unsigned list_count, wide row)
{
    unsigned lo = 0;
    unsigned hi = list_count;

    NO_UNROLL
    while (hi - lo > 1) {
        const unsigned middle = lo + (hi - lo) / 2;

        if (LOAD((const wide_cell *)firsts + middle) <= row)
            lo = middle;
        else
            hi = middle;
    }
    return lo;
}
