/*
 * select_segments.cu - rows of each segment by rank: see launch_select.h.
 */
#include "select_team.cuh"

enum { select_segments_blocks = 4 };

struct team_shared {
    wide_cell codes[SELECT_MOST];
    wide_cell ends[2 * SELECT_WARPS];
    unsigned_cell rows[SELECT_MOST];
    unsigned_cell bins[SELECT_BINS];
    unsigned_cell sums[SELECT_WARPS];
    unsigned_cell note[4];
    unsigned_cell ticket;
    unsigned_cell unused[3];
};

struct warp_shared {
    wide_cell codes[SELECT_WARP_MOST];
    unsigned_cell rows[SELECT_WARP_MOST];
    unsigned_cell bins[SELECT_WARP_BINS];
    unsigned_cell note[4];
};

AGREE(sizeof(struct team_shared) == SELECT_TEAM_SHARED);
AGREE(sizeof(struct warp_shared) == SELECT_WARP_SHARED);

/* Number `i` of the caller's; a negative one becomes greater than any count. */
DEVICE wide number_of(const struct select_segments_args *args, const void *numbers, wide i)
{
    if (args->segment_bytes == 8)
        return LOAD_AS(BULK, (const wide_cell *)numbers + i);

    const unsigned number = LOAD_AS(BULK, (const unsigned_cell *)numbers + i);

    return args->is_signed ? (wide)(long long)(int)number : number;
}

/* Where a segment begins, and how many rows it has. */
DEVICE unsigned segment_of(const struct select_segments_args *args, wide segment,
                           wide *begin)
{
    const wide end = number_of(args, args->ends, segment);

    *begin = number_of(args, args->begins, segment);
    return *begin < end && end <= args->count ? (unsigned)(end - *begin) : 0;
}

/* How many rows of a segment of `count` rows are wanted. */
DEVICE unsigned wanted_of(const struct select_segments_args *args, unsigned count)
{
    const wide last = count < args->last ? count : args->last;

    return last > args->first ? (unsigned)(last - args->first) : 0;
}

/* Write row `i` of the result of a segment. */
DEVICE void write_row(const struct select_segments_args *args, wide segment, wide i,
                      wide begin, unsigned row, wide code)
{
    const wide at = segment * (args->last - args->first) + i;

    if (args->numbers)
        STORE_AS(BULK, (unsigned_cell *)args->numbers + at, row);
    if (args->position_bytes == 4)
        STORE_AS(BULK, (unsigned_cell *)args->positions + at, row - (unsigned)begin);
    if (args->position_bytes == 8)
        STORE_AS(BULK, (wide_cell *)args->positions + at, row - begin);
    if (!args->keys)
        return;
    if (args->code_bytes == 4)
        STORE_AS(BULK, (unsigned_cell *)args->keys + at,
                 unsigned_leave((unsigned)code, &args->enter));
    else
        STORE_AS(BULK, (wide_cell *)args->keys + at, wide_leave(code, &args->enter));
}

/* There are no rows from `i` on, by steps of `step`. */
DEVICE void write_none(const struct select_segments_args *args, wide segment, wide i,
                       wide step)
{
    const wide wanted = args->last - args->first;

    for (; args->numbers && i < wanted; i += step)
        STORE_AS(BULK, (unsigned_cell *)args->numbers + segment * wanted + i, GATHER_NONE);
}

/* Select from a segment and write the result. */
DEVICE void select_segment(const struct select_segments_args *args,
                           const struct select_team *team, const struct select_items *items,
                           wide segment, wide begin, unsigned count)
{
    const unsigned wanted = wanted_of(args, count);
    const unsigned step = team_threads(team);

    collect_ranks(team, items, (unsigned)args->first, (unsigned)args->first + wanted);
    order_team(team, wanted);
    for (unsigned i = team_thread(team); i < wanted; i += step)
        write_row(args, segment, i, begin, LOAD(&team->rows[i]), LOAD(&team->codes[i]));
    write_none(args, segment, wanted + team_thread(team), step);
    meet(team);
}

DEVICE struct select_items items_of(const struct select_segments_args *args)
{
    struct select_items items;

    items.view = view_rows(&args->source, &args->enter, args->count, args->code_bytes);
    items.view.parts = 0;
    items.numbers = 0;
    items.begin = 0;
    items.count = 0;
    items.code_bytes = args->code_bytes;
    return items;
}

/* A segment of at most a row for each lane: every lane counts those before its row. */
DEVICE void select_tiny(const struct select_segments_args *args,
                        const struct select_items *items, wide segment)
{
    const unsigned row = (unsigned)items->begin + (unsigned)LANE;
    const int is_mine = (unsigned)LANE < items->count;
    const wide code = is_mine ? item_code(items, row) : 0;
    unsigned rank = 0;

    NO_UNROLL
    for (int i = 0; i < (int)items->count; i++) {
        const wide other = SHUFFLE(code, i);

        rank += other < code || (other == code && i < LANE);
    }
    if (is_mine && rank >= args->first && rank < args->last)
        write_row(args, segment, rank - args->first, items->begin, row, code);
    write_none(args, segment, wanted_of(args, items->count) + (wide)LANE, WARP);
}

/* List a segment for the blocks: as a whole or, a long one, in parts. One warp. */
DEVICE void list_segment(const struct select_segments_args *args, wide segment,
                         unsigned count)
{
    const unsigned parts = (count + args->part - 1) / args->part;
    wide place = 0, part = 0;
    int is_long = parts > 2 && args->last <= SELECT_MOST;

    if (is_long) {
        if (LANE == 0) {
            place = ADD(CUT, cell_of(&args->lists->longs), (wide)1);
            part = ADD(CUT, cell_of(&args->lists->parts), (wide)parts);
        }
        place = SHUFFLE(place, 0);
        part = SHUFFLE(part, 0);
        is_long = place < args->most_longs && part + parts <= args->most_parts;
        if (LANE == 0 && place < args->most_longs) {
            const struct select_long made = {is_long ? (unsigned)segment : GATHER_NONE,
                                             (unsigned)part};

            STORE((unsigned_cell *)&args->longs[place].segment, made.segment);
            STORE((unsigned_cell *)&args->longs[place].part, made.part);
        }
        for (wide i = (wide)LANE; i < parts && part + i < args->most_parts; i += WARP) {
            STORE((unsigned_cell *)&args->parts[part + i].segment,
                  is_long ? (unsigned)segment : GATHER_NONE);
            STORE((unsigned_cell *)&args->parts[part + i].number, (unsigned)i);
        }
    }
    if (LANE == 0 && !is_long) {
        place = ADD(CUT, cell_of(&args->lists->wholes), (wide)1);
        STORE((unsigned_cell *)args->wholes + place, (unsigned)segment);
    }
}

DEVICE void select_by_warps(const struct select_segments_args *args,
                            struct warp_shared *shared)
{
    struct warp_shared *const sm = shared + THREAD / WARP;
    const struct select_team team = {sm->bins, sm->codes, sm->rows,          sm->note,
                                     0,        0,         SELECT_WARP_DIGIT, 0};
    struct select_items items = items_of(args);

    for (wide from = ((wide)BLOCK * SELECT_WARPS + THREAD / WARP) * args->group;
         from < args->segments; from += (wide)BLOCKS * SELECT_WARPS * args->group) {
        const int is_mine = (unsigned)LANE < args->group && from + LANE < args->segments;
        wide begin = 0;
        const unsigned count = is_mine ? segment_of(args, from + LANE, &begin) : 0;

        NO_UNROLL
        for (int i = 0; i < (int)args->group && from + i < args->segments; i++) {
            unsigned wanted;

            items.begin = SHUFFLE(begin, i);
            items.count = SHUFFLE(count, i);
            wanted = wanted_of(args, items.count);
            if (wanted == 0)
                write_none(args, from + i, LANE, WARP);
            else if (items.count <= WARP)
                select_tiny(args, &items, from + i);
            else if (items.count <= SELECT_SHORT && wanted <= SELECT_WARP_MOST)
                select_segment(args, &team, &items, from + i, items.begin, items.count);
            else
                list_segment(args, from + i, items.count);
        }
    }
}

/* Stage the first rows of a part. */
DEVICE void select_part(const struct select_segments_args *args,
                        const struct select_team *team, struct select_items *items,
                        wide place)
{
    const unsigned segment = LOAD((const unsigned_cell *)&args->parts[place].segment);
    const unsigned number = LOAD((const unsigned_cell *)&args->parts[place].number);
    wide begin;
    unsigned count, wanted;

    if (segment == GATHER_NONE)
        return;
    count = segment_of(args, segment, &begin) - number * args->part;
    items->begin = begin + (wide)number * args->part;
    items->count = count < args->part ? count : args->part;
    wanted = items->count < args->last ? items->count : (unsigned)args->last;
    collect_ranks(team, items, 0, wanted);
    order_team(team, wanted);
    for (unsigned i = team_thread(team); i < wanted; i += team_threads(team))
        STORE_AS(BULK, (unsigned_cell *)args->staged + place * args->last + i,
                 LOAD(&team->rows[i]));
}

/* Select from what was staged of a long segment. */
DEVICE void join_parts(const struct select_segments_args *args,
                       const struct select_team *team, struct select_items *items,
                       wide place)
{
    const unsigned segment = LOAD((const unsigned_cell *)&args->longs[place].segment);
    const unsigned part = LOAD((const unsigned_cell *)&args->longs[place].part);
    wide begin;
    unsigned count, parts, rest;

    if (segment == GATHER_NONE)
        return;
    count = segment_of(args, segment, &begin);
    parts = (count + args->part - 1) / args->part;
    rest = count - (parts - 1) * args->part;
    items->numbers = args->staged + part * args->last;
    items->count = (parts - 1) * (unsigned)args->last +
                   (rest < args->last ? rest : (unsigned)args->last);
    select_segment(args, team, items, segment, begin, count);
}

DEVICE wide least_of(wide a, wide b)
{
    return a < b ? a : b;
}

/* Listed segments and parts, or long segments, one after the other. */
DEVICE void select_by_blocks(const struct select_segments_args *args,
                             struct team_shared *sm)
{
    const struct select_team team = {sm->bins, sm->codes, sm->rows,     sm->note,
                                     sm->sums, sm->ends,  SELECT_DIGIT, 1};
    const int joins = args->step == SELECT_JOIN_STEP;
    const wide wholes = joins ? 0 : LOAD(cell_of(&args->lists->wholes));
    const wide others =
        joins ? least_of(LOAD(cell_of(&args->lists->longs)), args->most_longs)
              : least_of(LOAD(cell_of(&args->lists->parts)), args->most_parts);
    struct select_items items = items_of(args);

    for (;;) {
        wide place;

        BARRIER(); /* shared memory may be overwritten */
        if (THREAD == 0)
            STORE(&sm->ticket,
                  (unsigned)ADD(CUT, cell_of(&args->lists->tickets[joins]), (wide)1));
        BARRIER();
        place = LOAD(&sm->ticket);
        if (place >= wholes + others)
            return;
        if (place < wholes) {
            const unsigned segment = LOAD((const unsigned_cell *)args->wholes + place);

            items.count = segment_of(args, segment, &items.begin);
            select_segment(args, &team, &items, segment, items.begin, items.count);
        } else if (joins) {
            join_parts(args, &team, &items, place);
        } else {
            select_part(args, &team, &items, place - wholes);
        }
    }
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

        if (args->code_bytes == 4)
            STORE_AS(BULK, (unsigned_cell *)args->codes + i, (unsigned)code);
        else
            STORE_AS(BULK, (wide_cell *)args->codes + i, code);
    }
}

KERNEL(select_segments, struct select_segments_args)
{
    SHARED(struct team_shared, sm);

    if (args.step == SELECT_CLEAR_STEP) {
        if (THREAD < (int)(sizeof(struct select_lists) / sizeof(wide)))
            STORE(cell_of(&args.lists->wholes) + THREAD, 0);
    } else if (args.step == SELECT_WARPS_STEP)
        select_by_warps(&args, (struct warp_shared *)sm);
    else if (args.step == SELECT_CODES_STEP)
        make_codes(&args);
    else if (args.step == SELECT_TAKE_STEP)
        take_sorted(&args);
    else
        select_by_blocks(&args, sm);
}
