/*
 * tile_sort.cu - sort tiles: the first pass of engine tile.
 *
 * Each thread sorts ITEMS keys in registers. Lanes merge their lists bitonically over
 * shuffles until SPAN lanes hold one list. From there on lists are merged in shared
 * memory (tile.cuh), under warp barriers while a group of rows fits a warp.
 */

/* Lanes that hold one list when merging moves to shared memory. */
enum { SPAN = KEY_BITS == 64 ? 8 : 4 };

/*
 * Merge the lists of neighbouring lanes, then of neighbouring pairs, until SPAN lanes
 * hold one list. The outer loop is not unrolled: the kernel must fit into the
 * instruction cache.
 */
DEVICE void merge_lanes(item *r)
{
    for (int span = 1; span < SPAN; span *= 2) {
        const int upper = (LANE & span) != 0;

        UNROLL
        for (int j = 0; j < ITEMS / 2; j++) {
            const item right = SHUFFLE_ITEM(r[ITEMS - 1 - j], 2 * span - 1);
            const item left = SHUFFLE_ITEM(r[j], 2 * span - 1);

            r[j] = keep(r[j], right, upper);
            r[ITEMS - 1 - j] = keep(r[ITEMS - 1 - j], left, upper);
        }
        for (int step = span / 2; step > 0; step /= 2) {
            UNROLL
            for (int j = 0; j < ITEMS; j++) {
                const item other = SHUFFLE_ITEM(r[j], step);

                r[j] = keep(r[j], other, (LANE & step) != 0);
            }
        }
        clean_registers(r, ITEMS, ITEMS_NEAR);
    }
}

/* Store my row for the next round: lists have `rows` rows, every other one is a B. */
DEVICE void put_row_for(int cells, int rows, const item *r)
{
    const int backwards = rows < TILE_ROWS && (THREAD & rows) != 0;

    if (backwards)
        scatter(cells + (THREAD ^ (rows - 1)) * ROW_BYTES + (ITEMS - 1) * CELL_BYTES, 1, r);
    else
        scatter(cells + THREAD * ROW_BYTES, 0, r);
}

/* A barrier for the threads that merge a group of `rows` rows: my warp or the block. */
DEVICE void meet(int rows)
{
    if (rows <= WARP)
        WARP_BARRIER();
    else
        BARRIER();
}

/* Merge pairs of lists into lists of `rows` rows. */
DEVICE void merge_rows(int cells, int_cell *splits, int rows, item *r)
{
    const int row = THREAD & (rows - 1);
    struct group g;
    struct split s;

    g.first = cells + (THREAD - row) * ROW_BYTES;
    g.a_count = rows / 2 * ITEMS;
    g.before = row * ITEMS;
    g.rest = (rows - row) * ITEMS;
    g.distance = (rows - row) * ROW_BYTES;
    meet(rows);
    s = find_split(&g, ITEMS_NEAR);
    put_split(splits, s);
    meet(rows);
    gather(&g, s, next_split(&g, splits), r);
    meet(rows); /* all threads have gathered: the rows may be overwritten */
    clean_registers(r, ITEMS, ITEMS_NEAR);
    put_row_for(cells, rows, r);
}

/*
 * Load coalesced: any assignment of keys to threads will do. A short tile is filled up
 * with the bits whose code is the greatest.
 */
DEVICE void load_tile(const key_cell *in, int count, const struct key_code *code, item *r)
{
    bare k[ITEMS];

    if (count == TILE) {
        UNROLL
        for (int j = 0; j < ITEMS; j++)
            k[j] = LOAD_AS(BULK, &in[TILE_ROWS * j + THREAD]);
    } else {
        const bare last = leave((key) ~(key)0, code);

        UNROLL
        for (int j = 0; j < ITEMS; j++) {
            const int there = TILE_ROWS * j + THREAD < count;

            k[j] = there ? LOAD_AS(BULK, &in[TILE_ROWS * j + THREAD]) : last;
        }
    }
    enter_all(k, ITEMS, code);
    UNROLL
    for (int j = 0; j < ITEMS; j++) {
        const int place = TILE_ROWS * j + THREAD;

        r[j] = PLACED && place >= count ? filler() : item_of(k[j], place);
    }
}

struct tile_sort_shared {
    item_cell cells[TILE_ROWS * (ITEMS + 1)];
    int_cell splits[TILE_ROWS];
};

AGREE(sizeof(struct tile_sort_shared) == TILE_SORT_SHARED(TILE_ROWS, ITEMS, sizeof(item)));

enum {
    tile_sort_blocks =
        TILE_SORT_BLOCKS ? TILE_SORT_BLOCKS : TILE_BLOCKS(TILE_ROWS, ITEMS, ITEM_BYTES)
};

/* Clear the cells of later rounds' cuts, so that none looks posted. */
DEVICE void clear_cuts(const struct tile_sort_args *args)
{
    const unsigned step = (unsigned)BLOCKS * TILE_ROWS;

    for (unsigned i = (unsigned)BLOCK * TILE_ROWS + THREAD; i < args->cells; i += step)
        STORE((wide_cell *)args->cuts + i, 0);
}

/* Each block sorts one tile; the last tile may be short. */
KERNEL(tile_sort, struct tile_sort_args)
{
    SHARED(struct tile_sort_shared, sm);
    const int cells = SHARED_ADDRESS(sm->cells);
    const wide left = args.count - (wide)BLOCK * TILE;
    struct tile_target to;
    item r[ITEMS];

    to.array = (key_cell *)args.out;
    to.samples = (key_cell *)args.samples;
    to.places = (place_cell *)args.places;
    to.first = (wide)BLOCK * TILE;
    to.count = (int)(left < TILE ? left : TILE);
    load_tile((const key_cell *)args.in + to.first, to.count, &args.enter, r);
    sort_registers(r, ITEMS);
    mend_sorted(r, ITEMS, &args.enter);
    merge_lanes(r);
    put_row_for(cells, SPAN, r);
    for (int rows = 2 * SPAN; rows <= TILE_ROWS; rows *= 2)
        merge_rows(cells, sm->splits, rows, r);
    WARP_BARRIER();
    store_rows(cells, &to, 0, 0, &args.leave);
    if (PLACED)
        store_places(cells, &to);
    clear_cuts(&args);
}
