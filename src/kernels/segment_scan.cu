/*
 * segment_scan.cu - from marks to segments: which segment is open where a window begins,
 * where that segment ends, and the first row of each row's segment (launch_segments.h).
 */
#include "segment_bits.cuh"

enum { segment_scan_blocks = 1, SEGMENT_SCAN_WARPS = segment_scan_threads / WARP };

AGREE((int)SEGMENT_SCAN_WARPS == (int)WARP); /* carry_some: a lane for each warp */

struct segment_scan_shared {
    wide_cell first[SEGMENT_SCAN_WARPS];
    wide_cell last[SEGMENT_SCAN_WARPS];
};

/* Marks before and after all rows: no segment is open before the first one. */
#define MARK_BEFORE ((wide)2)
#define MARK_AFTER (~(wide)1)

/* The last mark of a word, as struct segment_scan_args tells it; there is one. */
DEVICE wide last_of_word(wide begins, wide ends, wide row)
{
    const int at = highest_mark(begins | ends);

    return 2 * (row + at + 1) + (begins >> at & 1);
}

enum { SEGMENT_LOOKS = 2 }; /* words of a lane that are loaded at once */

/* The first and the last mark of the words [from, until), seen by a warp. */
DEVICE void look_at_words(const struct segment_marks *marks, wide from, wide until,
                          wide *first, wide *last)
{
    *first = ~(wide)0;
    *last = 0;
    NO_UNROLL
    for (wide word = from; word < until; word += SEGMENT_LOOKS * WARP) {
        wide begins[SEGMENT_LOOKS], ends[SEGMENT_LOOKS];

        UNROLL
        for (int i = 0; i < SEGMENT_LOOKS; i++) {
            const wide mine = word + i * WARP + LANE;

            begins[i] =
                mine < until ? LOAD_AS(BULK, (const wide_cell *)marks->begins + mine) : 0;
            ends[i] =
                mine < until ? LOAD_AS(BULK, (const wide_cell *)marks->ends + mine) : 0;
        }
        UNROLL
        for (int i = 0; i < SEGMENT_LOOKS; i++) {
            const wide all = begins[i] | ends[i];
            const wide row = (word + i * WARP + LANE) * SEGMENT_WORD;
            const wide mine_first = all ? row + lowest_mark(all) : 0;
            const wide mine_last = all ? last_of_word(begins[i], ends[i], row) : 0;
            const unsigned some = BALLOT(all != 0);
            const wide there = SHUFFLE(mine_first, some ? LOWEST_BIT(some) : 0);
            const wide here = SHUFFLE(mine_last, some ? HIGHEST_BIT(some) : 0);

            if (some && *first == ~(wide)0)
                *first = there;
            if (some)
                *last = here;
        }
    }
}

DEVICE wide words_of(const struct segment_marks *marks)
{
    return (marks->count + SEGMENT_WORD - 1) / SEGMENT_WORD;
}

DEVICE void look_at_window(const struct segment_scan_args *args)
{
    const wide window = (wide)BLOCK * (THREADS / WARP) + THREAD / WARP;
    const wide words = args->window / SEGMENT_WORD;
    const wide all = words_of(&args->marks);
    wide first, last;

    if (window >= args->windows)
        return;
    look_at_words(&args->marks, window * words,
                  (window + 1) * words < all ? (window + 1) * words : all, &first, &last);
    if (LANE == 0) {
        STORE((wide_cell *)args->first + window, first);
        STORE((wide_cell *)args->last + window + 1, last);
    }
    if (window == 0 && LANE == 0) {
        STORE((wide_cell *)args->last, MARK_BEFORE);
        STORE((wide_cell *)args->first + args->windows, MARK_AFTER);
        if (args->crossed)
            STORE((wide_cell *)args->crossed, 0);
    }
}

/*
 * A lane has every 32nd of its warp's windows. Rows ascend with windows, so the greatest of
 * all last marks is that of the latest window with a mark, and the least of all first ones
 * that of the earliest.
 *
 * last[i] becomes the last mark of the warp's windows up to that window; 0: none. Returns
 * the last mark of all of them.
 */
DEVICE wide carry_up(wide *last)
{
    wide mark = 0;

    UNROLL
    for (int i = 0; i < SEGMENT_CARRIED; i++) {
        const unsigned some = BALLOT(last[i] != 0);
        const unsigned before = some & ((2u << LANE) - 1);
        const wide near = SHUFFLE(last[i], before ? HIGHEST_BIT(before) : 0);
        const wide latest = SHUFFLE(last[i], some ? HIGHEST_BIT(some) : 0);

        last[i] = before ? near : mark;
        mark = some ? latest : mark;
    }
    return mark;
}

/* first[i] becomes the first mark of the warp's windows from that window on; ~0: none. */
DEVICE wide carry_down(wide *first)
{
    wide mark = ~(wide)0;

    UNROLL
    for (int i = SEGMENT_CARRIED - 1; i >= 0; i--) {
        const unsigned some = BALLOT(first[i] != ~(wide)0);
        const unsigned after = some & ~((1u << LANE) - 1);
        const wide near = SHUFFLE(first[i], after ? LOWEST_BIT(after) : 0);
        const wide earliest = SHUFFLE(first[i], some ? LOWEST_BIT(some) : 0);

        first[i] = after ? near : mark;
        mark = some ? earliest : mark;
    }
    return mark;
}

/*
 * Carry last marks over the windows of which mine begin at `up`, and first marks over those
 * of which mine begin at `down`. `last` and `first` are those of the steps before.
 */
DEVICE void carry_some(const struct segment_scan_args *args, struct segment_scan_shared *sm,
                       wide up, wide down, wide *last, wide *first)
{
    wide_cell *const firsts = (wide_cell *)args->first + down;
    wide_cell *const lasts = (wide_cell *)args->last + 1 + up;
    const int warp = THREAD / WARP;
    wide lower[SEGMENT_CARRIED], upper[SEGMENT_CARRIED];

    UNROLL
    for (int i = 0; i < SEGMENT_CARRIED; i++) {
        lower[i] = up + WARP * i < args->windows ? LOAD(&lasts[WARP * i]) : 0;
        upper[i] = down + WARP * i < args->windows ? LOAD(&firsts[WARP * i]) : ~(wide)0;
    }

    const wide latest = carry_up(lower), earliest = carry_down(upper);

    if (LANE == 0) {
        STORE(&sm->last[warp], latest);
        STORE(&sm->first[warp], earliest);
    }
    BARRIER();

    const wide its_last = LOAD(&sm->last[LANE]), its_first = LOAD(&sm->first[LANE]);
    const unsigned with_last = BALLOT(its_last != 0),
                   with_first = BALLOT(its_first != ~(wide)0);
    const unsigned before = with_last & ((1u << warp) - 1),
                   after = with_first & (~1u << warp);
    const wide near = SHUFFLE(its_last, before ? HIGHEST_BIT(before) : 0);
    const wide next = SHUFFLE(its_first, after ? LOWEST_BIT(after) : 0);
    const wide earlier = before ? near : *last, later = after ? next : *first;
    const wide final = SHUFFLE(its_last, with_last ? HIGHEST_BIT(with_last) : 0);
    const wide foremost = SHUFFLE(its_first, with_first ? LOWEST_BIT(with_first) : 0);

    UNROLL
    for (int i = 0; i < SEGMENT_CARRIED; i++) {
        if (up + WARP * i < args->windows)
            STORE(&lasts[WARP * i], lower[i] ? lower[i] : earlier);
        if (down + WARP * i < args->windows)
            STORE(&firsts[WARP * i], upper[i] != ~(wide)0 ? upper[i] : later);
    }
    *last = with_last ? final : *last;
    *first = with_first ? foremost : *first;
    BARRIER(); /* the next windows may be carried */
}

/* Carry last marks from the first window on, and first marks from the last window back. */
DEVICE void carry_windows(const struct segment_scan_args *args,
                          struct segment_scan_shared *sm)
{
    enum { EACH = WARP * SEGMENT_CARRIED, ALL = SEGMENT_SCAN_WARPS * EACH };
    const wide mine = (wide)(THREAD / WARP * EACH + LANE);
    const wide steps = (args->windows + ALL - 1) / ALL;
    wide last = MARK_BEFORE, first = MARK_AFTER;

    NO_UNROLL
    for (wide i = 0; i < steps; i++)
        carry_some(args, sm, i * ALL + mine, (steps - 1 - i) * ALL + mine, &last, &first);
}

/* Each warp fills neighbouring words of its block's window. */
DEVICE void fill_window(const struct segment_scan_args *args)
{
    enum { EACH = SEGMENT_WORDS / (SEGMENT_FILL_THREADS / WARP) };
    const struct segment_marks *const marks = &args->marks;
    const wide all = words_of(marks);
    const wide window = (wide)BLOCK * SEGMENT_WORDS;
    const wide from = window + THREAD / WARP * EACH;
    const wide until = from + EACH < all ? from + EACH : all;
    wide first, last;

    look_at_words(marks, window, from < all ? from : all, &first, &last);
    if (!last)
        last = LOAD((const wide_cell *)args->last + BLOCK);
    for (wide word = from; word < until; word++) {
        const wide begins = LOAD_AS(BULK, (const wide_cell *)marks->begins + word);
        const wide ends = LOAD_AS(BULK, (const wide_cell *)marks->ends + word);
        wide covered = 0;

        UNROLL
        for (int part = 0; part < 2; part++) {
            const int at = part * WARP + LANE;
            const wide row = word * SEGMENT_WORD + at;
            const wide mask = ~(wide)0 >> (SEGMENT_WORD - 1 - at);
            const wide before = (begins | ends) & mask;
            const wide mark =
                before ? last_of_word(begins & mask, ends & mask, word * SEGMENT_WORD)
                       : last;
            const int inside = (int)(mark & 1) && row < marks->count;

            covered |= (wide)BALLOT(inside) << part * WARP;
            if (row < marks->count)
                STORE_AS(BULK, (unsigned_cell *)args->home + row,
                         inside ? (unsigned)(mark / 2 - 1) : (unsigned)row);
        }
        if (LANE == 0)
            STORE((wide_cell *)args->covered + word, covered);
        if (begins | ends)
            last = last_of_word(begins, ends, word * SEGMENT_WORD);
    }
}

KERNEL(segment_scan, struct segment_scan_args)
{
    SHARED(struct segment_scan_shared, sm);

    if (args.step == SEGMENT_LOOK)
        look_at_window(&args);
    else if (args.step == SEGMENT_CARRY)
        carry_windows(&args, sm);
    else
        fill_window(&args);
}
