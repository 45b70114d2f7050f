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

/* The tile of a window. */
DEVICE struct segment_tile window_tile(const struct segment_sort_args *args,
                                       unsigned window)
{
    const struct segment_windows *const windows = &args->windows;
    const unsigned count = (unsigned)args->sort.count;
    const unsigned begin = window * windows->rows;
    const unsigned end = count - begin > windows->rows ? begin + windows->rows : count;
    const struct segment_span before = open_segment(windows, window, count);
    const struct segment_span after = open_segment(windows, window + 1, count);
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
DEVICE wide crossed_bit(const struct segment_sort_args *args, unsigned window)
{
    const struct segment_windows *const windows = &args->windows;
    const struct segment_span span =
        open_segment(windows, window, (unsigned)args->sort.count);

    return runs_of(&span, windows->rows) <= windows->at_once ? 1 : window & (0 - window);
}

/* The tile of the segment that begins in a window, and is alone; or nothing. */
DEVICE struct segment_tile lone_tile(const struct segment_sort_args *args, unsigned window)
{
    const struct segment_windows *const windows = &args->windows;
    const struct segment_span span =
        open_segment(windows, window + 1, (unsigned)args->sort.count);
    struct segment_tile tile = {0, 0, 0, 0};

    if (is_alone(&span, windows) && span.begin >= window * windows->rows) {
        tile.first = tile.head = span.begin;
        tile.last = tile.tail = span.end;
    }
    return tile;
}

/* The marks of rows from `row` on, as a word. */
DEVICE wide marks_from(const wide *marks, wide row, wide count)
{
    const wide_cell *const words = (const wide_cell *)marks + row / SEGMENT_WORD;
    const int shift = (int)(row % SEGMENT_WORD);
    wide word = LOAD_AS(BULK, words) >> shift;

    if (shift && row - shift + SEGMENT_WORD < count)
        word |= LOAD_AS(BULK, words + 1) << (SEGMENT_WORD - shift);
    return word;
}

/* The rows of a word that are in a segment; `inside`: so is the row before. */
DEVICE wide covered_rows(wide begins, wide ends, int inside)
{
    wide known = begins | ends;
    wide rows = begins;

    UNROLL
    for (int step = 1; step < SEGMENT_WORD; step *= 2) {
        rows |= rows << step & ~known;
        known |= known << step;
    }
    return inside ? rows | ~known : rows;
}

/* Make the map of a tile of `count` rows from `first` on, in one warp. */
DEVICE void map_tile(const struct segment_marks *marks, wide first, int count, int inside,
                     struct segment_map *map)
{
    const unsigned below = (1u << LANE) - 1;
    int regions = 0, last = 0, holes = 0;

    for (int base = 0; base * SEGMENT_WORD < count; base += WARP) {
        const int word = base + LANE;
        const int left = count - word * SEGMENT_WORD;
        const wide row = first + word * (wide)SEGMENT_WORD;
        const wide mask = left <= 0              ? 0
                          : left >= SEGMENT_WORD ? ~(wide)0
                                                 : ((wide)1 << left) - 1;
        const wide begins =
            left > 0 ? marks_from(marks->begins, row, marks->count) & mask : 0;
        const wide ends = left > 0 ? marks_from(marks->ends, row, marks->count) & mask : 0;
        const wide all = begins | ends;
        const unsigned some = BALLOT(all != 0);
        const unsigned opens = BALLOT(all && begins >> highest_mark(all) & 1);
        const int was =
            some & below ? (int)(opens >> HIGHEST_BIT(some & below) & 1) : inside;
        const wide covered = covered_rows(begins, ends, was) & mask;
        const wide bounds = (all | ~covered | (word == 0)) & mask;
        const int here = count_marks(bounds);
        const int sum = (int)sum_up_to_lane((unsigned)here);
        const unsigned bounded = BALLOT(bounds != 0);
        const int mine = bounds ? word * SEGMENT_WORD + highest_mark(bounds) : 0;
        const int earlier =
            SHUFFLE(mine, bounded & below ? HIGHEST_BIT(bounded & below) : 0);
        const int latest = SHUFFLE(mine, bounded ? HIGHEST_BIT(bounded) : 0);
        const int begun = bounded & below ? earlier : last;

        if (word < SEGMENT_TILE_WORDS(TILE)) {
            STORE(&map->bounds[word], bounds);
            STORE(&map->covered[word], covered);
            STORE(&map->before[word], regions + sum - here);
            STORE(&map->last[word], begun);
        }
        holes |= BALLOT(covered != mask) != 0;
        regions += SHUFFLE(sum, WARP - 1);
        last = bounded ? latest : last;
        inside = some ? (int)(opens >> HIGHEST_BIT(some) & 1) : inside;
    }
    WARP_BARRIER();

    const int tiny = is_tiny(map, count), crossed = is_crossed(map, count);

    if (LANE == 0) {
        STORE(&map->regions, regions);
        STORE(&map->is_tiny, tiny);
        STORE(&map->is_crossed, crossed);
        STORE(&map->is_covered, !holes);
    }
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

/*
 * Load the codes of a tile, stage them, and return their range. Contiguous keys are loaded
 * without bounds checks: places after the last key load that key again.
 */
DEVICE struct code_range load_range(const struct tile_sort_args *args,
                                    const struct tile_target *to, int area,
                                    wide_cell *votes, bare *k)
{
    const struct tile_source *const source = &args->carry.source;
    const int left = to->count - THREAD;

    if (source->part_count || source->pitch != sizeof(key)) {
        load_codes(args, to, area, k);
        return range_of_codes(k, left, votes);
    }

    const key_cell *const from = OPAQUE(key_of_row(source, to->first));
    key_cell *const mine = SHARED_CELL(key_cell, area) + THREAD;
    const int last = to->count - 1;

    UNROLL
    for (int j = 0; j < ITEMS; j++) {
        const int at = TILE_ROWS * j + THREAD;

        k[j] = LOAD_AS(BULK, from + (at < last ? at : last));
    }
    enter_all(k, ITEMS, &args->enter);
    UNROLL
    for (int j = 0; j < ITEMS; j++) {
        if (TILE_ROWS * j < left)
            STORE_AS(VALUE, mine + TILE_ROWS * j, (key)k[j]);
    }
    return range_of_codes(k, TILE, votes);
}

/* Order the rows of any regions, whose codes are `k`. */
DEVICE void sort_regions(const struct segment_sort_args *args,
                         const struct segment_map *map, const struct tile_target *to,
                         const struct carry_order *order, const struct carry_rows *mine,
                         const struct code_range *range, const bare *k)
{
    const int left = to->count - THREAD;
    const int most = LOAD(&map->regions) - 1; /* the greatest number */
    const int prefix = PREFIX_BITS - (most ? 1 + HIGHEST_BIT((unsigned)most) : 0);
    const struct tile_base b = base_within(range->least, range->most, prefix);
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
                       const struct carry_rows *mine, const struct code_range *range,
                       const bare *k)
{
    if (LOAD(&map->is_tiny)) {
        const struct tile_base b = base_within(range->least, range->most, TINY_PREFIX);
        const int wrong = order_tiny(map, order, &b);

        if (b.rest_bits && any_thread(order->votes, wrong)) /* prefixes were not enough */
            rank_tiny(map, order, mine);
    } else {
        sort_regions(args, map, to, order, mine, range, k);
    }
}

/* Each block sorts the segments of one window, or a segment that is alone. */
KERNEL(segment_sort, struct segment_sort_args)
{
    SHARED(struct segment_sort_shared, sm);
    const struct tile_carry *const carry = &args.sort.carry;
    const unsigned number = (unsigned)BLOCK;
    const struct segment_tile tile = number < args.windows.count
                                         ? window_tile(&args, number)
                                         : lone_tile(&args, number - args.windows.count);
    struct tile_target to;
    bare k[ITEMS];

    if (tile.first >= tile.last)
        return;
    if (THREAD == 0 && tile.head > tile.first) /* a long segment came from before */
        POST_BITS(CUT, (wide_cell *)args.windows.crossed, crossed_bit(&args, number));
    to.array = (key_cell *)args.sort.out;
    to.samples = 0;
    to.first = tile.first;
    to.count = (int)(tile.last - tile.first);
    if (THREAD < WARP)
        map_tile(&args.marks, tile.first, to.count, tile.head > tile.first, &sm->map);

    const struct tile_list list = whole_list(&to);
    const struct tile_staging stage = begin_staging(&sm->stage, &list, &carry->source);
    const int staged = stage_pieces(&stage, carry, 0, (int)sizeof(key));
    const struct carry_rows mine = my_rows(&to);
    const struct carry_order order = {
        SHARED_ADDRESS(sm->cells), stage.area,      sm->splits,
        sm->stage.wrong,           sm->stage.votes, to.count};

    const struct code_range range = /* after its barriers the map is there */
        load_range(&args.sort, &to, stage.area, (wide_cell *)sm->cells, k);

    order_tile(&args, &sm->map, &to, &order, &mine, &range, k);

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
