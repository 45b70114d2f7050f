/*
 * segment_sort.cu - sort the segments of a window, each block one (launch_segments.h).
 *
 * The rows of a window's tile are the window's, without the end of a short segment that
 * began before it, and with the end of a short segment that begins in it. They are in
 * regions: a segment, or a part of a long one, or a row in no segment. If all regions are
 * tiny, they are sorted in registers. Otherwise all rows are sorted by items whose highest
 * bits are the number of the region.
 */
#include "segment_store.cuh"

#include "segment_tiny.cuh"

#include "segment_map.cuh"

struct segment_sort_shared {
    struct tile_stage stage;
    item_cell cells[TILE_ROWS * (ITEMS + 1)];
    int_cell splits[TILE_ROWS];
    struct segment_map map;
};

AGREE(sizeof(struct segment_sort_shared) == SEGMENT_SORT_SHARED(TILE_ROWS, ITEMS));

enum { segment_sort_blocks = 1024 / TILE_ROWS };

/* The rows of a block's tile. Those before `head` and from `tail` on are parts. */
struct segment_tile {
    unsigned first;
    unsigned last;
    unsigned head;
    unsigned tail;
};

/* Is the segment in no window, but sorted by a block of its own? */
DEVICE int is_alone(const struct segment_span *span, const struct segment_windows *windows)
{
    return span->end - span->begin > windows->most_short && !is_long(span, windows);
}

/* The segments that are open where a window begins and where it ends. */
struct segment_spans {
    struct segment_span before;
    struct segment_span after;
};

/*
 * The marks nearest to a window, which a warp looks for on both sides at once; and its own.
 * The first thread writes those around the window's beginning for rounds, if `tell`.
 */
DEVICE struct segment_spans spans_of_window(const struct segment_sort_args *args,
                                            unsigned window, int tell)
{
    const struct segment_windows *const windows = &args->windows;
    const wide_cell *const lasts = (const wide_cell *)windows->last;
    const wide_cell *const firsts = (const wide_cell *)windows->first;
    const unsigned count = (unsigned)args->sort.count;
    const wide own_last = LOAD(lasts + window + 1), own_first = LOAD(firsts + window);
    wide before = 0, after = ~(wide)0;
    struct segment_spans spans;

    NO_UNROLL
    for (unsigned far = (unsigned)LANE; !before || after == ~(wide)0; far += WARP) {
        const wide last = far <= window ? LOAD(lasts + window - far) : 0;
        const wide first =
            far < windows->count - window ? LOAD(firsts + window + 1 + far) : ~(wide)0;
        const unsigned with_last = BALLOT(last != 0);
        const unsigned with_first = BALLOT(first != ~(wide)0);
        const wide near_last = SHUFFLE(last, with_last ? LOWEST_BIT(with_last) : 0);
        const wide near_first = SHUFFLE(first, with_first ? LOWEST_BIT(with_first) : 0);

        before = before ? before : near_last;
        after = after != ~(wide)0 ? after : near_first;
    }

    const wide from = own_first != ~(wide)0 ? own_first : after;

    if (tell && THREAD == 0) {
        STORE((wide_cell *)windows->open[0] + window, from);
        STORE((wide_cell *)windows->open[1] + window, before);
    }
    spans.before = span_between(before, from, count);
    spans.after = span_between(own_last ? own_last : before, after, count);
    return spans;
}

/* The tile of a window. */
DEVICE struct segment_tile window_tile(const struct segment_sort_args *args,
                                       unsigned window, const struct segment_spans *spans)
{
    const struct segment_windows *const windows = &args->windows;
    const unsigned count = (unsigned)args->sort.count;
    const unsigned begin = window * windows->rows;
    const unsigned end = count - begin > windows->rows ? begin + windows->rows : count;
    const struct segment_span before = spans->before, after = spans->after;
    const unsigned late = after.begin > begin ? after.begin : begin;
    struct segment_tile tile;

    tile.first = tile.head = begin;
    tile.last = tile.tail = end;
    if (before.end > begin && is_long(&before, windows))
        tile.head = before.end < end ? before.end : end;
    else if (before.end > begin)
        tile.first = tile.head = before.end;
    if (after.end > end && is_long(&after, windows))
        tile.tail = late;
    else if (after.end > end)
        tile.last = tile.tail = is_alone(&after, windows) ? late : after.end;
    return tile;
}

/*
 * The bit of the rounds that merge the long segment which comes into a window from before:
 * the first round alone, if it merges all of the segment.
 */
DEVICE wide crossed_bit(const struct segment_windows *windows,
                        const struct segment_span *span, unsigned window)
{
    return runs_of(span, windows->rows) <= windows->at_once ? 1 : window & (0 - window);
}

/* The tile of the segment that begins in a window, and is alone; or nothing. */
DEVICE struct segment_tile lone_tile(const struct segment_windows *windows,
                                     const struct segment_span *span, unsigned window)
{
    struct segment_tile tile = {0, 0, 0, 0};

    if (is_alone(span, windows) && span->begin >= window * windows->rows) {
        tile.first = tile.head = span->begin;
        tile.last = tile.tail = span->end;
    }
    return tile;
}

/* After rows were sorted by codes alone: sort them by their regions, too. */
DEVICE void sort_by_region(const struct segment_map *map, const struct carry_order *order,
                           const struct carry_rows *mine)
{
    const struct key_code no_code = {0, 0, 0};
    unsigned old[ITEMS / 2];
    item r[ITEMS];

    UNROLL
    for (int i = 0; i < ITEMS; i++) {
        const int at = mine->at + WARP * i;
        int place = 0;

        r[i] = filler();
        if (WARP * i < mine->left) {
            place = order_place(order, at);
            r[i] = item_of((bare)region_of(map, place), at);
        }
        old[i / 2] = i % 2 ? old[i / 2] | (unsigned)place << 16 : (unsigned)place;
    }
    BARRIER(); /* all have read the cells */
    sort_tile(order->cells, order->ties, &no_code, r);
    put_order(order, mine, old);
    BARRIER();
}

enum { LOADS_EARLY = KEY_BITS == 32 }; /* longer keys leave no registers for the map */

/* Load the keys of a tile without bounds checks: places after the last key load that again.
 */
DEVICE void load_dense(const struct tile_sort_args *args, const struct tile_target *to,
                       bare *k)
{
    const key_cell *const from = OPAQUE(key_of_row(&args->carry.source, to->first));
    const int last = to->count - 1;

    UNROLL
    for (int j = 0; j < ITEMS; j++) {
        const int at = TILE_ROWS * j + THREAD;

        k[j] = LOAD_AS(BULK, from + (at < last ? at : last));
    }
}

/* Make them codes, and stage these, also those after the last. */
DEVICE void stage_dense(const struct tile_sort_args *args, int area, bare *k)
{
    key_cell *const mine = SHARED_CELL(key_cell, area) + THREAD;

    enter_all(k, ITEMS, &args->enter);
    UNROLL
    for (int j = 0; j < ITEMS; j++)
        STORE_AS(VALUE, mine + TILE_ROWS * j, (key)k[j]);
}

/* Codes of rows after the last, which are not staged: those of the first row. */
DEVICE void fill_codes(const struct carry_order *order, bare *k)
{
    const key first = code_at(order, 0);

    UNROLL
    for (int j = 0; j < ITEMS; j++)
        k[j] = TILE_ROWS * j + THREAD < order->count ? k[j] : first;
}

/* Order the rows of any regions, whose codes are `k`. */
DEVICE void sort_regions(const struct segment_sort_args *args,
                         const struct segment_map *map, const struct tile_target *to,
                         const struct carry_order *order, const struct carry_rows *mine,
                         const bare *k)
{
    const struct code_range range =
        range_of_codes(k, TILE, SHARED_CELL(wide_cell, order->cells));
    const int left = to->count - THREAD;
    const int most = LOAD(&map->regions) - 1; /* the greatest number */
    const int prefix = PREFIX_BITS - (most ? 1 + HIGHEST_BIT((unsigned)most) : 0);
    const struct tile_base b = base_within(range.least, range.most, prefix);
    item r[ITEMS];

    UNROLL
    for (int j = 0; j < ITEMS; j++) {
        const int place = TILE_ROWS * j + THREAD;

        r[j] = filler();
        if (TILE_ROWS * j < left)
            r[j] = item_of((bare)region_of(map, place) << prefix |
                               (k[j] - b.base) >> b.rest_bits,
                           place);
    }
    sort_tile(order->cells, order->ties, &args->sort.enter, r);
    BARRIER(); /* the rows of all warps are there */
    if (b.rest_bits && mend_order(order, mine, find_ties(r)))
        sort_by_region(map, order, mine);
}

/* Where the rows go that I store. */
DEVICE struct segment_rows sorted_rows(const struct segment_map *map,
                                       const struct segment_tile *tile,
                                       const struct carry_rows *mine)
{
    const unsigned covered =
        LOAD(&map->is_covered) ? rows_there(mine) : bits_of_rows(map->covered, mine);
    const unsigned head = tile->head - tile->first, tail = tile->tail - tile->first;
    unsigned parts = 0;
    struct segment_rows rows = {covered, 0};

    if (head == 0 && tile->tail == tile->last)
        return rows;
    UNROLL
    for (int i = 0; i < ITEMS; i++) {
        const unsigned at = (unsigned)(mine->at + WARP * i);

        parts |= (unsigned)(at < head || at >= tail) << i;
    }
    rows.out = covered & ~parts;
    rows.temp = covered & parts;
    return rows;
}

/* Order the rows of the tile, whose codes are `k`. */
DEVICE void order_tile(const struct segment_sort_args *args, const struct segment_map *map,
                       const struct tile_target *to, const struct carry_order *order,
                       const struct carry_rows *mine, const bare *k)
{
    if (!LOAD(&map->is_tiny))
        sort_regions(args, map, to, order, mine, k);
    else if (any_thread(order->votes, order_tiny(map, order)))
        rank_tiny(map, order, mine); /* prefixes were not enough */
}

/* Each block sorts the segments of one window, or a segment that is alone. */
KERNEL(segment_sort, struct segment_sort_args)
{
    SHARED(struct segment_sort_shared, sm);
    const struct tile_carry *const carry = &args.sort.carry;
    const int is_window = (unsigned)BLOCK < args.windows.count;
    const unsigned number = (unsigned)BLOCK - (is_window ? 0 : args.windows.count);
    const struct segment_spans spans = spans_of_window(&args, number, is_window);
    const struct segment_tile tile = is_window
                                         ? window_tile(&args, number, &spans)
                                         : lone_tile(&args.windows, &spans.after, number);
    struct tile_target to;
    bare k[ITEMS];

    if (tile.first >= tile.last)
        return;
    if (THREAD == 0 && tile.head > tile.first) /* a long segment came from before */
        POST_BITS(CUT, (wide_cell *)args.windows.crossed,
                  crossed_bit(&args.windows, &spans.before, number));
    to.array = (key_cell *)args.sort.out;
    to.samples = 0;
    to.first = tile.first;
    to.count = (int)(tile.last - tile.first);

    const int dense = is_dense(&carry->source);

    if (LOADS_EARLY && dense)
        load_dense(&args.sort, &to, k);

    struct tile_list list = whole_list(&to);

    if (!carry->piece_count)
        list.end_chunk = 0; /* then nobody needs the chunks */

    const struct tile_staging stage = begin_staging(&sm->stage, &list, &carry->source);
    const int staged = stage_pieces(&stage, carry, 0, (int)sizeof(key));
    const struct carry_rows mine = my_rows(&to);
    const struct carry_order order = {
        SHARED_ADDRESS(sm->cells), stage.area,      sm->splits,
        sm->stage.wrong,           sm->stage.votes, to.count};

    if (THREAD < WARP) /* while keys are on their way */
        map_tile(&args.marks, tile.first, to.count, tile.head > tile.first, &sm->map);
    if (!LOADS_EARLY && dense)
        load_dense(&args.sort, &to, k);
    if (dense)
        stage_dense(&args.sort, stage.area, k);
    else
        load_codes(&args.sort, &to, stage.area, k);
    BARRIER(); /* the codes and the map are there */
    if (!dense)
        fill_codes(&order, k);
    order_tile(&args, &sm->map, &to, &order, &mine, k);

    const struct segment_rows rows = sorted_rows(&sm->map, &tile, &mine);
    const struct segment_homes homes = {&sm->map, tile.first};
    const int side = side_of_warp(carry, &rows, &args.sort.leave);

    store_segment_codes(carry, to.array, &args.temp, &order, &mine, &rows, &args.sort.leave,
                        side);
    if (!carry->piece_count)
        return;
    COPIES_WAIT();
    BARRIER(); /* the values of all warps are there */
    store_segment_pieces(carry, &args.temp, &stage, staged, &order, &mine, &rows, &homes,
                         side);
}
