/*
 * heap_cut.cu - exact cuts (P1): where to cut K sorted lists so that exactly
 * `rank` keys lie before the cuts and none of them is greater than any behind.
 *
 * One warp finds one cut, one lane searching one list. Keys are compared as
 * (key, list, position), so no two are equal, the cut is unique and ties fall
 * by list order, which keeps the merge stable.
 *
 * Each lane keeps a window [lo, hi] in which its cut lies. A round takes a
 * pivot from the longest window; every lane counts its keys before the pivot;
 * the sum says on which side of the cut the pivot lies, and every window
 * shrinks to that side. No list has more keys before its cut than are missing in
 * all of them, nor more behind it: so windows are short once a pivot was near.
 */

/* One lane's list, and the window that still holds its cut. */
struct cut_window {
    const key_cell *list;
    wide lo;
    wide hi;
};

/* The lane with the longest window; the lowest of them if there are several. */
DEVICE int longest_window(const struct cut_window *w)
{
    const wide mine = w->hi - w->lo;
    wide longest = mine;

    for (int step = WARP / 2; step > 0; step /= 2) {
        const wide other = SHUFFLE_XOR(longest, step);

        longest = other > longest ? other : longest;
    }

    return LOWEST_BIT(BALLOT(mine == longest));
}

/* Where the cut is in my window if all lists are alike: `need` of `open` keys are before.
 */
DEVICE wide likely_place(const struct cut_window *w, wide need, wide open)
{
    const wide length = w->hi - w->lo;
    const wide place = (wide)((double)need / (double)open * (double)length);

    return w->lo + (place < length ? place : length - (length > 0));
}

/* How many keys of my list, within my window, come before the pivot. */
DEVICE wide keys_before(const struct cut_window *w, key pivot, int ties_first)
{
    wide lo = w->lo;
    wide hi = w->hi;

    while (lo < hi) {
        const wide mid = lo + (hi - lo) / 2;
        const key k = LOAD(&w->list[mid]);
        const int before = ties_first ? !less(pivot, k) : less(k, pivot);

        if (before)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/*
 * Shrink all windows until they close on the cut of `rank`. A count stops at the
 * window's ends, on whose near side the cut is: so the sum is greater than the rank
 * only if the pivot is behind the cut, and less only if it is before it.
 */
DEVICE void close_windows(struct cut_window *w, wide rank)
{
    for (int round = 0; BALLOT(w->lo < w->hi) != 0; round++) {
        const wide missing = rank - sum_of_lanes(w->lo);

        if (w->hi - w->lo > missing)
            w->hi = w->lo + missing;

        const wide rest = sum_of_lanes(w->hi) - rank;

        if (w->hi - w->lo > rest)
            w->lo = w->hi - rest;

        const wide need = rank - sum_of_lanes(w->lo);
        const wide open = need + rest;

        if (open == 0)
            break;

        const int present = w->lo < w->hi;
        const int halve = round > 4 && round % 2;
        const wide place =
            halve ? w->lo + (w->hi - w->lo) / 2 : likely_place(w, need, open);
        const key mine = present ? LOAD(&w->list[place]) : (key) ~(key)0;
        const int lost = (int)(need - sum_of_lanes(place - w->lo));
        const int owner =
            halve ? longest_window(w) : choose_lane(mine, present, WARP, lost);
        const key pivot = (key)SHUFFLE(mine, owner);

        const wide before = LANE == owner ? place : keys_before(w, pivot, LANE < owner);
        const wide sum = sum_of_lanes(before);

        if (sum >= rank)
            w->hi = before;
        if (sum <= rank)
            w->lo = before + (sum < rank && LANE == owner);
    }
}

enum { heap_cut_blocks = 8 };

/* Each warp writes one row of round.cuts. */
KERNEL(heap_cut, struct heap_cut_args)
{
    const struct heap_round *const round = &args.round;
    const wide cut = (wide)BLOCK * (THREADS / WARP) + THREAD / WARP;
    const wide group = cut / (round->pieces + 1);
    const wide group_first = group * round->ways * round->run;
    const wide list_first = group_first + LANE * round->run;
    struct cut_window w;
    wide length = 0;

    if (group >= round->groups)
        return;
    if (LANE < round->ways && list_first < round->count)
        length = round->count - list_first;
    if (length > round->run)
        length = round->run;

    const wide whole = sum_of_lanes(length);
    const wide wanted = cut % (round->pieces + 1) * round->piece;
    const wide rank = wanted < whole ? wanted : whole;

    w.list = (const key_cell *)round->in + list_first;
    w.lo = rank == whole ? length : 0;
    w.hi = length < rank ? length : rank;
    close_windows(&w, rank);
    if (LANE < round->ways)
        STORE((wide_cell *)round->cuts + cut * round->ways + LANE, w.lo);
}
