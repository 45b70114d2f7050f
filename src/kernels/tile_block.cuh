/*
 * tile_block.cuh - sort the items of a block: in registers, across lanes, then in shared
 * memory.
 *
 * Each thread sorts ITEMS items in registers. Lanes merge their lists bitonically over
 * shuffles until SPAN lanes hold one list. From there on lists are merged in shared
 * memory (tile.cuh), under warp barriers while a group of rows fits a warp.
 */

/*
 * Lanes that hold one list when merging moves to shared memory. With few keys a warp's
 * exchanges take less time than the steps of a search.
 */
enum { SPAN = FEW_KEYS ? WARP : CELL_BYTES > 4 ? 8 : 4 };

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
        clean_registers(r, ITEMS, 0);
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
    s = find_split(&g, 0);
    put_split(splits, s);
    meet(rows);
    gather(&g, s, next_split(&g, splits), r);
    meet(rows); /* all threads have gathered: the rows may be overwritten */
    clean_registers(r, ITEMS, 0);
    put_row_for(cells, rows, r);
}

/*
 * Sort the items of all threads, in any order, to the rows of the tile. `code` is that of
 * their keys, which mend_sorted() completes.
 */
DEVICE void sort_tile(int cells, int_cell *splits, const struct key_code *code, item *r)
{
    sort_registers(r, ITEMS);
    mend_sorted(r, ITEMS, code);
    merge_lanes(r);
    put_row_for(cells, SPAN, r);
    for (int rows = 2 * SPAN; rows <= TILE_ROWS; rows *= 2)
        merge_rows(cells, splits, rows, r);
    WARP_BARRIER();
}
