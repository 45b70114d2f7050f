/*
 * segment_scan.cu - from marks to segments: which segment is open where a window begins,
 * where that segment ends, and the first row of each row's segment (launch_segments.h).
 */
#include "segment_bits.cuh"

enum { segment_scan_blocks = 1, SEGMENT_SCAN_WARPS = segment_scan_threads / WARP };

struct segment_scan_shared {
    wide_cell least[SEGMENT_SCAN_WARPS];
    wide_cell greatest[SEGMENT_SCAN_WARPS];
};

/* The last mark of a word, as struct segment_scan_args tells it; there is one. */
DEVICE wide last_of_word(wide begins, wide ends, wide row)
{
    const int at = highest_mark(begins | ends);

    return 2 * (row + at + 1) + (begins >> at & 1);
}

/* The first and the last mark of the words [from, until), seen by a warp. */
DEVICE void look_at_words(const struct segment_marks *marks, wide from, wide until,
                          wide *first, wide *last)
{
    *first = ~(wide)0;
    *last = 0;
    NO_UNROLL
    for (wide word = from; word < until; word += WARP) {
        const int mine = word + LANE < until;
        const wide begins =
            mine ? LOAD_AS(BULK, (const wide_cell *)marks->begins + word + LANE) : 0;
        const wide ends =
            mine ? LOAD_AS(BULK, (const wide_cell *)marks->ends + word + LANE) : 0;
        const wide all = begins | ends;
        const wide row = (word + LANE) * SEGMENT_WORD;
        const wide mine_first = all ? row + lowest_mark(all) : 0;
        const wide mine_last = all ? last_of_word(begins, ends, row) : 0;
        const unsigned some = BALLOT(all != 0);
        const wide there = SHUFFLE(mine_first, some ? LOWEST_BIT(some) : 0);
        const wide here = SHUFFLE(mine_last, some ? HIGHEST_BIT(some) : 0);

        if (some && *first == ~(wide)0)
            *first = there;
        if (some)
            *last = here;
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
        STORE((wide_cell *)args->last + window, last);
    }
}

/* The greatest number of all lanes before mine, and the least of all lanes after mine. */
DEVICE void scan_lanes(wide *greatest, wide *least)
{
    wide up = *greatest, down = *least;

    UNROLL
    for (int step = 1; step < WARP; step *= 2) {
        const wide before = SHUFFLE(up, (LANE - step) & (WARP - 1));
        const wide after = SHUFFLE(down, (LANE + step) & (WARP - 1));

        if (LANE >= step && before > up)
            up = before;
        if (LANE + step < WARP && after < down)
            down = after;
    }
    up = SHUFFLE(up, (LANE - 1) & (WARP - 1));
    down = SHUFFLE(down, (LANE + 1) & (WARP - 1));
    *greatest = LANE > 0 ? up : 0;
    *least = LANE < WARP - 1 ? down : ~(wide)0;
}

/* The same for the threads of a block. */
DEVICE void scan_threads(struct segment_scan_shared *sm, wide *greatest, wide *least)
{
    const int warps = THREADS / WARP;
    wide warp_greatest = *greatest, warp_least = *least;

    for (int step = WARP / 2; step > 0; step /= 2) {
        const wide other = SHUFFLE_XOR(warp_greatest, step);
        const wide lower = SHUFFLE_XOR(warp_least, step);

        warp_greatest = other > warp_greatest ? other : warp_greatest;
        warp_least = lower < warp_least ? lower : warp_least;
    }
    if (LANE == 0) {
        STORE(&sm->greatest[THREAD / WARP], warp_greatest);
        STORE(&sm->least[THREAD / WARP], warp_least);
    }
    BARRIER();
    warp_greatest = LANE < warps ? LOAD(&sm->greatest[LANE]) : 0;
    warp_least = LANE < warps ? LOAD(&sm->least[LANE]) : ~(wide)0;
    scan_lanes(&warp_greatest, &warp_least);
    warp_greatest = SHUFFLE(warp_greatest, THREAD / WARP);
    warp_least = SHUFFLE(warp_least, THREAD / WARP);
    scan_lanes(greatest, least);
    *greatest = *greatest > warp_greatest ? *greatest : warp_greatest;
    *least = *least < warp_least ? *least : warp_least;
}

/* Each thread carries over neighbouring windows. */
DEVICE void carry_windows(const struct segment_scan_args *args,
                          struct segment_scan_shared *sm)
{
    const wide each = (args->windows + THREADS - 1) / THREADS;
    const wide begin = THREAD * each < args->windows ? THREAD * each : args->windows;
    const wide end = begin + each < args->windows ? begin + each : args->windows;
    wide_cell *const firsts = (wide_cell *)args->first;
    wide_cell *const lasts = (wide_cell *)args->last;
    wide greatest = 0, least = ~(wide)0;

    for (wide i = begin; i < end; i++) {
        const wide first = LOAD(&firsts[i]);
        const wide last = LOAD(&lasts[i]);

        least = first < least ? first : least;
        greatest = last > greatest ? last : greatest;
    }
    scan_threads(sm, &greatest, &least);
    for (wide i = begin; i < end; i++) {
        const wide last = LOAD(&lasts[i]);

        STORE(&lasts[i], greatest);
        greatest = last > greatest ? last : greatest;
    }
    for (wide i = end; i > begin; i--) {
        const wide first = LOAD(&firsts[i - 1]);

        least = first < least ? first : least;
        STORE(&firsts[i - 1], least);
    }
    if (end == args->windows && begin < end) {
        STORE(&lasts[end], greatest);
        STORE(&firsts[end], ~(wide)0);
    }
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
