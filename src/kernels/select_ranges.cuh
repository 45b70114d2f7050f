/*
 * select_ranges.cuh - ranges of codes or numbers in which the ends of the wanted ranks lie:
 * each pass counts the rows of a range by their next bits, and goes on with the bin that
 * has the rank.
 */

/* One of the ranges that are in shared memory. */
DEVICE struct select_range range_at(const struct select_shared *sm, int side)
{
    const wide_cell *const words = &sm->words[SELECT_END_CELLS * side];
    struct select_range range;

    range.low = LOAD(&words[0]);
    range.high = LOAD(&words[1]);
    range.rank = (unsigned)LOAD(&words[2]);
    range.found = LOAD(&words[3]) != 0;
    range.code = LOAD(&words[4]);
    range.by_row = LOAD(&words[5]) != 0;
    return range;
}

/* Keep it there. One thread. */
DEVICE void keep_range(struct select_shared *sm, int side, const struct select_range *range)
{
    wide_cell *const words = &sm->words[SELECT_END_CELLS * side];

    STORE(&words[0], range->low);
    STORE(&words[1], range->high);
    STORE(&words[2], (wide)range->rank);
    STORE(&words[3], (wide)range->found);
    STORE(&words[4], range->code);
    STORE(&words[5], (wide)range->by_row);
}

/* Which ranks of the rows of a view are wanted. */
struct select_aim {
    unsigned first, last;
    unsigned slack;   /* rows more than wanted that may be collected at each end */
    int is_two_sided; /* 0: `first` is 0 */
    int is_sorted;    /* equal codes are told apart by numbers, ... */
    wide rows;        /* ... which are below this */
};

/* A range before the first pass: all codes from `low` to `high`, `count` of them. */
DEVICE void begin_range(const struct select_aim *aim, struct select_shared *sm, int side,
                        wide low, wide high, unsigned count)
{
    struct select_range range = {low, high, 0, 0, 0, 0};

    range.rank = side ? aim->last - 1 : aim->first;
    range.found = aim->is_sorted && is_near(range.rank, count, side, aim->slack);
    if (!side && !aim->is_two_sided) {
        range.low = 0; /* `low` may be that of samples */
        range.found = 1;
    } else if (aim->is_sorted) {
        narrow_by_row(&range, aim->rows);
    }
    keep_range(sm, side, &range);
}

/* Is an end still to be found? */
DEVICE int is_to_narrow(const struct select_shared *sm)
{
    return !LOAD(&sm->words[3]) || !LOAD(&sm->words[SELECT_END_CELLS + 3]);
}

/* Are both ends still in the same range? Then one histogram serves both. */
DEVICE int is_one_range(const struct select_shared *sm)
{
    const struct select_range begin = range_at(sm, 0), end = range_at(sm, 1);

    if (begin.found || end.found)
        return 0;
    return begin.low == end.low && begin.high == end.high && begin.by_row == end.by_row &&
           begin.code == end.code;
}

/*
 * Narrow one range by the bins of all rows. If the rows are not to be sorted, one code is
 * narrow enough: select_filter tells its rows apart.
 */
DEVICE struct select_range narrow_end(const struct select_aim *aim,
                                      struct select_shared *sm, int side, int is_one)
{
    struct select_range range = range_at(sm, side);

    if (!range.found) {
        find_bin(sm, sm->bins[is_one ? 1 : side], range.rank);
        narrow(&range, sm->found, SELECT_DIGIT, side, aim->slack);
        if (aim->is_sorted)
            narrow_by_row(&range, aim->rows);
        else if (range.found && side)
            range.rank = ~0u; /* all of them are wanted */
        else
            range.found = range.found || range.low == range.high;
    }
    return range;
}

/* Narrow both in shared memory. */
DEVICE void narrow_alone(const struct select_aim *aim, struct select_shared *sm)
{
    const int is_one = is_one_range(sm);
    const struct select_range begin = narrow_end(aim, sm, 0, is_one);
    const struct select_range end = narrow_end(aim, sm, 1, is_one);

    BARRIER();
    if (THREAD == 0) {
        keep_range(sm, 0, &begin);
        keep_range(sm, 1, &end);
    }
    BARRIER();
}

/* The bounds that two ranges have. */
DEVICE void bounds_of(const struct select_range *begin, const struct select_range *end,
                      struct select_bound *low, struct select_bound *high)
{
    low->code = begin->by_row ? begin->code : begin->low;
    low->row = begin->by_row ? begin->low : 0;
    high->code = end->by_row ? end->code : end->high;
    high->row = end->by_row ? end->high : ~(wide)0;
}

DEVICE void found_bounds(const struct select_shared *sm, struct select_bound *low,
                         struct select_bound *high)
{
    const struct select_range begin = range_at(sm, 0), end = range_at(sm, 1);

    bounds_of(&begin, &end, low, high);
}

/* Where up to `room` rows are collected: after the rest of shared memory. */
DEVICE struct select_list list_of(struct select_shared *sm, int code_bytes, unsigned room)
{
    wide_cell *const codes = (wide_cell *)(sm + 1);
    const struct select_list list = {codes, (unsigned_cell *)(codes + room), room,
                                     code_bytes == 4};

    return list;
}
