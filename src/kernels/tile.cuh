/*
 * tile.cuh - merging in a block's shared memory without a bank conflict.
 *
 * A tile is TILE_ROWS rows of ITEMS cells, one row a thread, rows one spare cell
 * apart. Two sorted lists to be merged fill a group of rows from both ends: A
 * ascending from its first place, B descending from its last. The thread that
 * owns row R of the result takes A's keys [a, a') and B's [b, b') with
 * a + b = R * ITEMS and a' + b' = (R + 1) * ITEMS. Counted in rows and columns
 * these are ITEMS keys of which every column holds exactly one: A's part ends
 * in the column where B's begins. So register j takes the key of column j, all
 * lanes of a warp read column j of different rows in one step, and what the
 * registers hold is a rotated bitonic sequence, which clean_registers sorts.
 *
 * Shared memory is addressed in bytes here, by ints: addresses are computed
 * with, and a scaled index would cost an instruction a key.
 */

enum {
    ITEMS = TILE_ITEMS,
    CELL_BYTES = (int)sizeof(item),
    ROW_BYTES = TILE_ROW_BYTES(ITEMS, sizeof(item)),
    TILE = TILE_ROWS * ITEMS
};

AGREE(CELL_BYTES == ITEM_BYTES);
AGREE(ITEMS == 8 || ITEMS == 16 || ITEMS == 32);
AGREE(TILE_ROWS >= TILE_LEAST_ROWS && TILE_ROWS <= TILE_MOST_ROWS &&
      (TILE_ROWS & (TILE_ROWS - 1)) == 0);

/* For when no more is wanted of a cell: nvcc would load no more than that, either. */
DEVICE int upper_half(const wide_cell *cell)
{
    return LOAD((const int_cell *)cell + 1);
}

/* A group of rows in which two lists await merging, as the owner of one row sees it. */
struct group {
    int first;    /* address of its first row */
    int a_count;  /* keys of A */
    int before;   /* keys of the rows before mine, ... */
    int rest;     /* ... and from mine on */
    int distance; /* from A[p] to the key of B that it must not be greater than */
};

/* How much of A comes before a row: the address of A's row, and the column in it. */
struct split {
    int row;
    int column;
};

/* All of A: the split behind a group's last row. */
DEVICE struct split whole_split(const struct group *g)
{
    struct split s;

    s.row = g->first + (int)((unsigned)g->a_count / ITEMS) * ROW_BYTES;
    s.column = (int)((unsigned)g->a_count % ITEMS);
    return s;
}

/* The split behind mine: the next thread's, or all of A for a group's last row. */
DEVICE struct split next_split(const struct group *g, const int_cell *splits)
{
    struct split s = whole_split(g);

    if (g->rest > ITEMS) {
        const unsigned packed = (unsigned)LOAD(&splits[THREAD + 1]);

        s.row = (int)(packed / ITEMS);
        s.column = (int)(packed % ITEMS);
    }
    return s;
}

DEVICE void put_split(int_cell *splits, struct split s)
{
    STORE(&splits[THREAD], s.row * ITEMS + s.column);
}

/* Does the key of A `back` cells before `address` come before its counterpart in B? */
DEVICE int belongs_before(int address, int distance, int back, int near)
{
    const item a = LOAD_AS(SEARCH, SHARED_CELL(item_cell, address) - back);
    const item b = LOAD_AS(SEARCH, SHARED_CELL(item_cell, address + distance) - back);

    return !less_near(b, a, near);
}

/* Go `step` bytes on, but not beyond `end`, if all of A up to there belongs before. */
DEVICE int advance(int at, int end, int step, int distance, int back, int near)
{
    const int next = at + step < end ? at + step : end;

    return belongs_before(next, distance, back, near) ? next : at;
}

/*
 * Find my row's split by merge path: over whole rows first, where all lanes
 * probe the last column, then inside one row. Both keys of a probe lie in the
 * same column. Steps of 16 rows and more are left out if no lane needs them.
 */
DEVICE struct split find_split(const struct group *g, int near)
{
    const int distance = g->distance;
    const int lowest = g->a_count - g->rest;
    const unsigned lo = lowest > 0 ? lowest : 0;
    const unsigned hi = g->before < g->a_count ? g->before : g->a_count;
    const int begin = g->first + (int)(lo / ITEMS) * ROW_BYTES;
    const int end = g->first + (int)(hi / ITEMS) * ROW_BYTES;
    const int far = BALLOT(end - begin >= 16 * ROW_BYTES) != 0;
    int row = begin;

    if (begin < end) {
        if (far) {
            UNROLL
            for (int step = TILE_ROWS / 2; step >= 16; step /= 2)
                row = advance(row, end, step * ROW_BYTES, distance, 2, near);
        }
        UNROLL
        for (int step = 8; step > 0; step /= 2)
            row = advance(row, end, step * ROW_BYTES, distance, 2, near);
    }

    const int last = row + (row == end ? (int)(hi % ITEMS) : ITEMS - 1) * CELL_BYTES;
    int at = row + (row == begin ? (int)(lo % ITEMS) : 0) * CELL_BYTES;
    struct split s;

    if (at < last) {
        UNROLL
        for (int step = ITEMS / 2; step > 0; step /= 2)
            at = advance(at, last, step * CELL_BYTES, distance, 1, near);
    }
    s.row = row;
    s.column = (int)((unsigned)(at - row) / CELL_BYTES);
    return s;
}

/*
 * My keys of the group into registers, by column, given the splits of my row
 * and the next. A's part begins in column s.column of its row and ends before
 * next.column, of the same row or, having gone round, of the next. All other
 * columns are B's: in the row of B that matches A's, or, behind A's end in the
 * same row, in the one before.
 */
DEVICE void gather(const struct group *g, struct split s, struct split next, item *r)
{
    const int down = g->distance;
    const int up = down - ROW_BYTES;
    const int b_row = s.row + down;
    const struct turns at =
        turns_make(next.row == s.row ? b_row + up : b_row, s.column, down, next.column, up);

    UNROLL
    for (int j = 0; j < ITEMS; j++)
        r[j] = LOAD_AS(GATHER, SHARED_CELL(item_cell, turns_at(&at, j)) + j);
}

/* My sorted row to its place: forwards from `address`, or backwards if it will be B's. */
DEVICE void scatter(int address, int backwards, const item *r)
{
    item_cell *const to = SHARED_CELL(item_cell, address);

    if (backwards) {
        UNROLL
        for (int j = 0; j < ITEMS; j++)
            STORE_AS(SCATTER, to - j, r[j]);
    } else {
        UNROLL
        for (int j = 0; j < ITEMS; j++)
            STORE_AS(SCATTER, to + j, r[j]);
    }
}

/* Where a tile goes, and its samples: the array, the tile's first place, its keys. */
struct tile_target {
    key_cell *array;
    key_cell *samples;  /* NULL: nobody will want them */
    place_cell *places; /* where each key stood before; only items with places go there */
    wide first;
    int count;
};

/*
 * Key 32 i of the array is sample i: at most one of each 32 keys, ITEMS of a
 * warp's. They lie in different banks if they are fetched by the first lanes of
 * each part of the warp that is served at once, as many of each. Every other
 * lane would not do: the parts would be served together, and meet.
 */
DEVICE void store_samples(int rows, const struct tile_target *to, int first, bare base)
{
    enum { PART = CELL_BYTES > 4 ? 128 / CELL_BYTES : WARP, MINE = PART * ITEMS / WARP };
    const wide begin = to->first + first;
    const int number = LANE / PART * MINE + LANE % PART;
    const int sample = (int)((0 - begin) % TILE_SAMPLE) + number * TILE_SAMPLE;
    const int cell = sample + (int)((unsigned)sample / ITEMS);

    if (LANE % PART < MINE && first + sample < to->count && to->samples) {
        const item k = LOAD_AS(SAMPLE, SHARED_CELL(item_cell, rows) + cell);

        STORE_AS(SAMPLE, &to->samples[(begin + sample) / TILE_SAMPLE],
                 (key)add_base(key_of(k), base));
    }
}

/*
 * My keys to the output, 32 places apart, from `to` on; `left` counts those of the
 * warp. A `late` lane, see store_rows(), writes each one request later than others.
 */
DEVICE void store_keys(key_cell *to, int left, int late, const bare *k)
{
    key_cell *const out = to - (late ? WARP : 0);
    const int end = left - LANE + (late ? WARP : 0);

    if (!late)
        STORE_EVICT(BULK, &out[0], (key)k[0]);
    if (left >= WARP * ITEMS) {
        UNROLL
        for (int i = 1; i < ITEMS; i++)
            STORE_EVICT(BULK, &out[WARP * i], (key)(late ? k[i - 1] : k[i]));
    } else {
        UNROLL
        for (int i = 1; i < ITEMS; i++) {
            if (WARP * i < end)
                STORE_EVICT(BULK, &out[WARP * i], (key)(late ? k[i - 1] : k[i]));
        }
    }
    if (late && WARP * ITEMS < end)
        STORE_EVICT(BULK, &out[WARP * ITEMS], (key)k[ITEMS - 1]);
}

/*
 * My warp's 32 rows to the output, 32 keys at a time. A tile begins `off` keys
 * behind a multiple of 32, and requests are aligned like those of load_whole():
 * lanes whose keys lie in the line after the others' write one request later.
 */
DEVICE void store_rows(int cells, const struct tile_target *to, int off, bare base,
                       const struct key_code *code)
{
    enum { ROWS_A_STEP = WARP / ITEMS, STEP = ROWS_A_STEP * ROW_BYTES / CELL_BYTES };
    const int warp = THREAD / WARP;
    const int first = warp * WARP * ITEMS;
    const int rows = cells + warp * WARP * ROW_BYTES;
    const item_cell *const from =
        SHARED_CELL(item_cell, rows + LANE / ITEMS * ROW_BYTES) + LANE % ITEMS;
    const int left = to->count - first;
    bare k[ITEMS];

    store_samples(rows, to, first, base);
    if (LANE >= left)
        return;
    k[0] = key_of(LOAD(&from[0]));
    if (left >= WARP * ITEMS) {
        UNROLL
        for (int i = 1; i < ITEMS; i++)
            k[i] = key_of(LOAD(&from[STEP * i]));
    } else {
        UNROLL
        for (int i = 1; i < ITEMS; i++) {
            k[i] = k[i - 1];
            if (WARP * i < left - LANE)
                k[i] = key_of(LOAD(&from[STEP * i]));
        }
    }
    leave_all(k, ITEMS, base, code);
    store_keys(to->array + to->first + first + LANE, left, off + LANE >= WARP, k);
}

/*
 * The places of my warp's 32 rows, likewise. Whatever goes with a key can follow
 * it in the same way, from where it stood before.
 */
DEVICE void store_places(int cells, const struct tile_target *to)
{
    enum { STEP = WARP / ITEMS * ROW_BYTES / CELL_BYTES };
    const int first = THREAD / WARP * WARP * ITEMS;
    const int row = THREAD / WARP * WARP + LANE / ITEMS;
    const item_cell *const from =
        SHARED_CELL(item_cell, cells + row * ROW_BYTES) + LANE % ITEMS;
    place_cell *const out = to->places + to->first + first + LANE;
    const int left = to->count - first - LANE;

    UNROLL
    for (int i = 0; i < ITEMS; i++) {
        if (WARP * i < left)
            STORE_EVICT(BULK, &out[WARP * i], place_of(LOAD(&from[STEP * i])));
    }
}
