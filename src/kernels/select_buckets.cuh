/*
 * select_buckets.cuh - for select_count: blocks collect rows in buckets, and sort and write
 * them, all together.
 *
 * The range of the rows is divided into SELECT_BINS buckets of equal width, by codes or, if
 * all rows have one code, by numbers. When all rows are collected, every block adds up the
 * counts of the buckets, and sorts and writes the rows of its share of them. If too many
 * rows fell into one bucket, one block sorts all.
 */

enum { BUCKET_LOADS = 4 }; /* of each thread */

/* How rows are divided. */
struct select_map {
    wide code, row; /* where the first bucket begins */
    unsigned scale;
    int shift;
    int by_row;
};

/* Rows are numbered below `rows`. */
DEVICE struct select_map map_between(const struct select_bound *low,
                                     const struct select_bound *high, wide rows)
{
    enum { DIGIT = 32 - SELECT_DIGIT };
    const wide last = high->row < rows ? high->row : rows - 1;
    struct select_map map = {low->code, low->row, 0, 0, low->code == high->code};
    const wide span = map.by_row ? last - low->row : high->code - low->code;

    map.shift = shift_of(span, DIGIT);
    map.scale = ~0u / ((unsigned)(span >> map.shift) + 1);
    return map;
}

DEVICE unsigned bucket_of(const struct select_map *map, wide code, unsigned row)
{
    const wide place = map->by_row ? row - map->row : code - map->code;

    return (unsigned)(place >> map->shift) * map->scale >> (32 - SELECT_DIGIT);
}

/* The cells of a row in its bucket; a row with a code of 4 bytes has only one. */
DEVICE wide_cell *bucket_cell(const struct select_args *args, unsigned bucket,
                              unsigned place)
{
    return cell_of(args->collected + (bucket * SELECT_BUCKET + place) *
                                         (args->result.code_bytes == 4 ? 1 : 2));
}

DEVICE void post_row(wide_cell *cell, wide code, unsigned row, int is_packed)
{
    POST(CUT, cell, is_packed ? code << 32 | row : code);
    if (!is_packed)
        POST(CUT, cell + 1, (wide)row);
}

/* Put the `count` rows of my block's list in buckets, or in `rest` if these are full. */
DEVICE void put_in_buckets(const struct select_args *args, const struct select_list *list,
                           unsigned count, const struct select_map *map)
{
    NO_UNROLL
    for (unsigned i = (unsigned)THREAD; i < count; i += SELECT_THREADS) {
        const wide code = listed_code(list, i);
        const unsigned row = listed_row(list, i);
        const unsigned bucket = bucket_of(map, code, row);
        const wide place = ADD(CUT, cell_of(args->buckets + bucket), (wide)1);

        if (place < SELECT_BUCKET) {
            post_row(bucket_cell(args, bucket, (unsigned)place), code, row,
                     list->is_packed);
        } else {
            const wide at = ADD(CUT, cell_of(&args->state->collected), (wide)1);

            if (at < SELECT_ROOM)
                post_row(cell_of(args->rest + at * (list->is_packed ? 1u : 2u)), code, row,
                         list->is_packed);
        }
    }
}

/* In shared memory, the rows before each bucket and, one more, all. */
DEVICE unsigned_cell *bucket_begins(struct select_shared *sm)
{
    return &sm->bins[0][0];
}

AGREE(SELECT_BINS == 2 * SELECT_THREADS);

/* Find them. Returns the count of the greatest bucket. */
DEVICE unsigned sum_buckets(const struct select_args *args, struct select_shared *sm)
{
    unsigned_cell *const begins = bucket_begins(sm);
    const unsigned a = (unsigned)PEEK(CUT, cell_of(args->buckets + 2 * THREAD));
    const unsigned b = (unsigned)PEEK(CUT, cell_of(args->buckets + 2 * THREAD + 1));
    const unsigned most = GREATEST(a > b ? a : b);
    unsigned before = sum_up_to_lane(a + b);

    if (LANE == WARP - 1) {
        STORE(&sm->sums[THREAD / WARP], before);
        STORE(&sm->ends[THREAD / WARP], (wide)most);
    }
    BARRIER();
    before += SUM(LANE < THREAD / WARP ? LOAD(&sm->sums[LANE]) : 0) - (a + b);
    STORE(&begins[2 * THREAD], before);
    STORE(&begins[2 * THREAD + 1], before + a);
    if (THREAD == SELECT_THREADS - 1)
        STORE(&begins[SELECT_BINS], before + a + b);
    BARRIER();
    return GREATEST((unsigned)LOAD(&sm->ends[LANE]));
}

/* Load the rows of buckets [first, end) into the list. */
DEVICE void get_buckets(const struct select_args *args, struct select_shared *sm,
                        const struct select_list *list, unsigned first, unsigned end)
{
    enum { TEAM = SELECT_BUCKET / BUCKET_LOADS };
    const unsigned_cell *const begins = bucket_begins(sm);
    const unsigned begin = LOAD(&begins[first]);

    NO_UNROLL
    for (unsigned i = (unsigned)THREAD; i < (end - first) * TEAM; i += SELECT_THREADS) {
        const unsigned bucket = first + i / TEAM;
        const unsigned from = LOAD(&begins[bucket]);
        const unsigned count = LOAD(&begins[bucket + 1]) - from;
        wide code[BUCKET_LOADS];
        unsigned row[BUCKET_LOADS];

        UNROLL
        for (unsigned j = 0; j < BUCKET_LOADS; j++) {
            const unsigned place = i % TEAM + j * TEAM;
            const wide_cell *const cell = bucket_cell(args, bucket, place);

            code[j] = place < count ? PEEK(CUT, cell) : 0;
            row[j] = place < count && !list->is_packed ? (unsigned)PEEK(CUT, cell + 1) : 0;
        }
        UNROLL
        for (unsigned j = 0; j < BUCKET_LOADS; j++) {
            const unsigned place = i % TEAM + j * TEAM;

            if (place < count && from - begin + place < list->room) {
                STORE(&list->codes[from - begin + place], code[j]);
                if (!list->is_packed)
                    STORE(&list->rows[from - begin + place], row[j]);
            }
        }
    }
    BARRIER();
}

/* Sort and write the rows of a unit's share of the buckets. */
DEVICE void write_buckets(const struct select_args *args, struct select_shared *sm,
                          const struct select_list *list, const struct select_map *map,
                          unsigned unit, unsigned units)
{
    const unsigned_cell *const begins = bucket_begins(sm);
    const unsigned first = unit * SELECT_BINS / units;
    const unsigned end = (unit + 1) * SELECT_BINS / units;
    const unsigned begin = LOAD(&begins[first]);
    const unsigned all = LOAD(&begins[end]) - begin;
    const unsigned count = all < list->room ? all : list->room;
    const unsigned skip = range_at(sm, 0).rank;

    get_buckets(args, sm, list, first, end);
    NO_UNROLL
    for (unsigned i = (unsigned)THREAD; i < count; i += SELECT_THREADS) {
        const wide code = LOAD(&list->codes[i]);
        const unsigned row = list->is_packed ? 0 : LOAD(&list->rows[i]);
        const unsigned bucket = bucket_of(map, listed_code(list, i), listed_row(list, i));
        const unsigned last = LOAD(&begins[bucket + 1]) - begin;
        unsigned place = LOAD(&begins[bucket]);

        for (unsigned at = place - begin; at < last && at < list->room; at++) {
            const wide other = LOAD(&list->codes[at]);

            place += other < code ||
                     (other == code && !list->is_packed && LOAD(&list->rows[at]) < row);
        }
        if (place - skip < args->last - args->first)
            write_result(&args->result, &args->enter, place - skip, listed_row(list, i), 0,
                         listed_code(list, i));
    }
    BARRIER(); /* the list may be overwritten */
}

/* Get all rows that were collected, wherever they are. Returns their count. */
DEVICE unsigned get_collected(const struct select_args *args, struct select_shared *sm,
                              const struct select_list *list)
{
    const wide rest = PEEK(CUT, cell_of(&args->state->collected));
    const unsigned_cell *const begins = bucket_begins(sm);
    unsigned count;

    if (THREAD == 0)
        STORE(&sm->collected, 0);
    BARRIER();
    NO_UNROLL
    for (unsigned bucket = (unsigned)THREAD; bucket < SELECT_BINS;
         bucket += SELECT_THREADS) {
        const unsigned all = LOAD(&begins[bucket + 1]) - LOAD(&begins[bucket]);
        const unsigned here = all < SELECT_BUCKET ? all : SELECT_BUCKET;
        const unsigned at = here ? ADD(PLAIN, &sm->collected, here) : 0;

        for (unsigned i = 0; i < here && at + i < list->room; i++) {
            const wide_cell *const cell = bucket_cell(args, bucket, i);

            STORE(&list->codes[at + i], PEEK(CUT, cell));
            if (!list->is_packed)
                STORE(&list->rows[at + i], (unsigned)PEEK(CUT, cell + 1));
        }
    }
    BARRIER();
    count = LOAD(&sm->collected);
    for (unsigned i = (unsigned)THREAD; i < rest && count + i < list->room;
         i += SELECT_THREADS) {
        const wide_cell *const cell = cell_of(args->rest + i * (list->is_packed ? 1u : 2u));

        STORE(&list->codes[count + i], PEEK(CUT, cell));
        if (!list->is_packed)
            STORE(&list->rows[count + i], (unsigned)PEEK(CUT, cell + 1));
    }
    BARRIER();
    return rest < list->room - count ? count + (unsigned)rest : list->room;
}

/* Sort and write what all blocks have collected: my units' share, or all. */
DEVICE void write_all(const struct select_args *args, struct select_shared *sm,
                      const struct select_list *list, const struct select_map *map,
                      unsigned units)
{
    const int is_first = LOAD(&sm->owned[0]) & 1;
    const unsigned most = sum_buckets(args, sm);
    const unsigned wanted = (unsigned)(args->last - args->first);
    unsigned found;

    if (most > SELECT_BUCKET) {
        if (is_first)
            write_collected(args, sm, list, get_collected(args, sm, list));
        return;
    }
    found = LOAD(&bucket_begins(sm)[SELECT_BINS]) - range_at(sm, 0).rank;
    NO_UNROLL
    for (unsigned i = next_owned(sm, 0, units); i < units; i = next_owned(sm, i + 1, units))
        write_buckets(args, sm, list, map, i, units);
    if (is_first && args->result.numbers) { /* fewer only if keys change meanwhile */
        for (unsigned i = found + (unsigned)THREAD; i < wanted; i += SELECT_THREADS)
            STORE_AS(BULK, (unsigned_cell *)args->result.numbers + i, GATHER_NONE);
    }
}

/*
 * My list has the rows that were collected of my units, `owned` of them. Put them in
 * buckets, wait for the others, and write.
 */
DEVICE void write_together(const struct select_args *args, struct select_shared *sm,
                           const struct select_list *list, unsigned owned, unsigned units)
{
    wide *const done = &args->state->done[SELECT_PASSES];
    const unsigned all = LOAD(&sm->collected);
    struct select_bound low, high;
    struct select_map map;

    found_bounds(sm, &low, &high);
    map = map_between(&low, &high, args->count);
    put_in_buckets(args, list, all < list->room ? all : list->room, &map);
    FENCE();
    BARRIER();
    if (THREAD == 0) {
        ADD(CUT, cell_of(done), (wide)owned);
        await_units(done, units);
    }
    BARRIER();
    FENCE();
    write_all(args, sm, list, &map, units);
}
