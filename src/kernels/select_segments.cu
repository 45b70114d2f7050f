/*
 * select_segments.cu - rows of each segment by rank: see launch_select.h.
 */
#include "select_segment.cuh"
#include "select_warp.cuh"

#include "select_tiny.cuh"

enum { select_segments_blocks = 4 };

/* The first rows of a view; a constant width is shorter code. */
DEVICE struct warp_top select_first(const struct select_segments_args *args,
                                    struct warp_shared *sm, const struct select_view *view,
                                    unsigned last)
{
    return args->result.code_bytes == 4 ? select_in_warp(sm, view, 4, last, 0, 0)
                                        : select_in_warp(sm, view, 8, last, 0, 0);
}

/* A segment by a warp. Its begin is loaded again in the end, which saves registers. */
DEVICE void select_short(const struct select_segments_args *args, struct warp_shared *sm,
                         unsigned segment, wide begin, unsigned rows)
{
    const struct select_view view = view_part(args, begin, rows);
    const struct warp_top top =
        select_first(args, sm, &view, rows < args->last ? rows : (unsigned)args->last);

    sort_top(&top);
    rows = segment_of(args, segment, &begin);
    write_list(args, &top.list, segment, begin, wanted_of(args, rows),
               (unsigned)args->first, top.count, (unsigned)LANE, WARP);
}

/* The parts of a segment of `count` rows, at least 1 and perhaps nearly 2^32. */
DEVICE unsigned parts_of(const struct select_segments_args *args, unsigned count)
{
    return (count - 1) / args->part + 1;
}

/* List a long segment, in parts. One warp. 0 if there is no room. */
DEVICE int list_parts(const struct select_segments_args *args, wide segment, unsigned count)
{
    const unsigned parts = parts_of(args, count);
    wide place = 0, part = 0;
    int is_listed;

    if (LANE == 0) {
        place = ADD(CUT, cell_of(&args->lists->longs), (wide)1);
        part = ADD(CUT, cell_of(&args->lists->parts), (wide)parts);
    }
    place = SHUFFLE(place, 0);
    part = SHUFFLE(part, 0);
    is_listed = place < args->most_longs && part + parts <= args->most_parts;
    if (LANE == 0 && place < args->most_longs) {
        STORE((unsigned_cell *)&args->longs[place].segment,
              is_listed ? (unsigned)segment : GATHER_NONE);
        STORE((unsigned_cell *)&args->longs[place].part, (unsigned)part);
    }
    for (wide i = (wide)LANE; i < parts && part + i < args->most_parts; i += WARP) {
        STORE((unsigned_cell *)&args->parts[part + i].segment,
              is_listed ? (unsigned)segment : GATHER_NONE);
        STORE((unsigned_cell *)&args->parts[part + i].number, (unsigned)i);
    }
    return is_listed;
}

/* List a segment as a whole, for a block. */
DEVICE void list_whole(const struct select_segments_args *args, wide segment)
{
    if (LANE == 0) {
        const wide place = ADD(CUT, cell_of(&args->lists->wholes), (wide)1);

        STORE((unsigned_cell *)args->wholes + place, (unsigned)segment);
    }
}

/* A segment of more than a row for each lane. */
DEVICE void select_other(const struct select_segments_args *args, struct warp_shared *sm,
                         unsigned segment)
{
    wide begin;
    const unsigned rows = segment_of(args, segment, &begin);

    if (wanted_of(args, rows) == 0)
        write_none(args, segment, LANE, WARP);
    else if (rows > 2 * args->part && args->last <= SELECT_TEAM_MOST &&
             list_parts(args, segment, rows))
        return;
    else if (args->by_warps)
        select_short(args, sm, segment, begin, rows);
    else
        list_whole(args, segment);
}

DEVICE void select_by_warps(const struct select_segments_args *args,
                            struct warp_shared *shared)
{
    struct warp_shared *const sm = shared + THREAD / WARP;

    const unsigned mine = (unsigned)(BLOCK * SELECT_TEAM_WARPS + THREAD / WARP);

    for (unsigned i = mine; args->segments > (wide)i * args->group;
         i += (unsigned)(BLOCKS * SELECT_TEAM_WARPS)) {
        const unsigned from = i * args->group; /* there are fewer than 2^32 segments */
        unsigned others = select_tiny_of(args, from);

        NO_UNROLL
        for (; others; others &= others - 1)
            select_other(args, sm, from + (unsigned)LOWEST_BIT(others));
    }
}

/* Where a part begins, and its rows; 0: there is none. */
DEVICE unsigned part_of(const struct select_segments_args *args, wide place, wide *begin)
{
    const unsigned segment = LOAD((const unsigned_cell *)&args->parts[place].segment);
    const unsigned number = LOAD((const unsigned_cell *)&args->parts[place].number);
    unsigned count;

    if (segment == GATHER_NONE)
        return 0;
    count = segment_of(args, segment, begin) - number * args->part;
    *begin += (wide)number * args->part;
    return count < args->part ? count : args->part;
}

/*
 * Stage the first rows of a list of `count`, those of a part. If a bound left fewer than
 * are wanted, the codes of the others are all ones, which that bound excludes.
 */
DEVICE void stage_part(const struct select_segments_args *args,
                       const struct select_list *list, unsigned count, wide place,
                       unsigned wanted, unsigned thread, unsigned threads)
{
    for (unsigned i = thread; i < wanted; i += threads) {
        const wide at = place * args->last + i;
        const wide code = i < count ? listed_code(list, i) : ~(wide)0;

        if (i < count)
            STORE_AS(BULK, (unsigned_cell *)args->staged + at, listed_row(list, i));
        if (args->result.code_bytes == 4)
            STORE_AS(BULK, (unsigned_cell *)args->staged_codes + at, (unsigned)code);
        else
            STORE_AS(BULK, (wide_cell *)args->staged_codes + at, code);
    }
}

/* What was staged of a long segment. Returns the segment's rows; 0: there is none. */
DEVICE unsigned view_staged(const struct select_segments_args *args, wide place,
                            unsigned *segment, wide *begin, struct select_view *view)
{
    const wide first = LOAD((const unsigned_cell *)&args->longs[place].part) * args->last;
    const int bytes = args->result.code_bytes;
    unsigned count, parts, rest;

    *segment = LOAD((const unsigned_cell *)&args->longs[place].segment);
    if (*segment == GATHER_NONE)
        return 0;
    count = segment_of(args, *segment, begin);
    parts = parts_of(args, count);
    rest = count - (parts - 1) * args->part;
    rest = rest < args->last ? rest : (unsigned)args->last;
    *view = view_codes((const char *)args->staged_codes + first * (wide)bytes,
                       args->staged + first, (parts - 1) * args->last + rest, bytes);
    return count;
}

DEVICE wide least_of(wide a, wide b)
{
    return a < b ? a : b;
}

/* Each thread takes rows from positions that are sorted in their segments. */
DEVICE void take_sorted(const struct select_segments_args *args)
{
    const wide wanted = args->last - args->first;

    for (wide i = (wide)BLOCK * THREADS + THREAD; i < args->segments * wanted;
         i += (wide)BLOCKS * THREADS) {
        const wide segment = i / wanted;
        const wide rank = args->first + i % wanted;
        wide begin;
        const unsigned count = segment_of(args, segment, &begin);
        const unsigned at =
            rank < count ? LOAD((const unsigned_cell *)args->sorted + begin + rank) : count;

        if (at < count)
            write_row(args, segment, i % wanted, begin, (unsigned)begin + at, 0);
        else
            write_none(args, segment, i % wanted, wanted);
    }
}

/* Each thread makes codes of rows. */
DEVICE void make_codes(const struct select_segments_args *args)
{
    for (wide i = (wide)BLOCK * THREADS + THREAD; i < args->count;
         i += (wide)BLOCKS * THREADS) {
        const wide code = bits_of_parts(&args->source, i);

        if (args->result.code_bytes == 4)
            STORE_AS(BULK, (unsigned_cell *)args->codes + i, (unsigned)code);
        else
            STORE_AS(BULK, (wide_cell *)args->codes + i, code);
    }
}

/* By the first block. */
DEVICE void clear_lists(const struct select_segments_args *args)
{
    if (BLOCK == 0 && THREAD < (int)(sizeof(struct select_lists) / sizeof(wide)))
        STORE(cell_of(&args->lists->wholes) + THREAD, 0);
}

KERNEL(select_segments, struct select_segments_args)
{
    SHARED(struct warp_shared, sm);

    if (args.step == SELECT_CLEAR_STEP)
        clear_lists(&args);
    else if (args.step == SELECT_WARPS_STEP)
        select_by_warps(&args, sm);
    else if (args.step == SELECT_CODES_STEP)
        make_codes(&args);
    else
        take_sorted(&args);
}
