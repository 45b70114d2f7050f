/*
 * tile.cuh - merging two lists in a block's shared memory without bank conflicts.
 *
 * A tile has TILE_ROWS rows of ITEMS cells, one row per thread, with one spare cell
 * after each row. Two sorted lists fill a group of rows from both ends: A ascending from
 * the first cell, B descending from the last. The thread that owns row R of the result
 * needs A's keys [a, a') and B's keys [b, b'), where a + b = R * ITEMS and
 * a' + b' = (R + 1) * ITEMS. Each column of the group holds exactly one of these ITEMS
 * keys, since A's part ends in the column where B's part begins. So register j takes the
 * key of column j. In each step all lanes of a warp read the same column of different
 * rows, which are in different banks. The registers then hold a rotated bitonic
 * sequence, which clean_registers sorts.
 *
 * Shared memory is addressed by ints in bytes: a scaled index would cost one more
 * instruction per key.
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

/* The upper word of a cell. nvcc would load only this word too. */
DEVICE int upper_half(const wide_cell *cell)
{
    return LOAD((const int_cell *)cell + 1);
}

/* A group of rows that holds two lists to be merged, as the owner of one row sees it. */
struct group {
    int first;    /* address of its first row */
    int a_count;  /* keys of A */
    int before;   /* keys of the group's rows before mine, ... */
    int rest;     /* ... and from mine on */
    int distance; /* in bytes, from a key of A to the key of B that merge path compares */
};

/* The end of the part of A before a row of the result: its row's address and column. */
struct split {
    int row;
    int column;
};

/* The split after a group's last row: all of A. */
DEVICE struct split whole_split(const struct group *g)
{
    struct split s;

    s.row = g->first + (int)((unsigned)g->a_count / ITEMS) * ROW_BYTES;
    s.column = (int)((unsigned)g->a_count % ITEMS);
    return s;
}

/* The split of the next row, found by the next thread; after the last row, all of A. */
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

/*
 * Is the key of A, `back` cells before `address`, at most its counterpart in B? With
 * `before` keys before my row and `rest` from it on, merge path compares A[i - 1] with
 * B[before - i]. They lie at places i - 1 and i - 1 + rest. `rest` is whole rows, so both
 * are in one column, `distance` bytes apart. `address` is where A[i] is: `back` is 1, or
 * at the beginning of a row 2, since the spare cell lies between.
 */
DEVICE int belongs_before(int address, int distance, int back, int near)
{
    const item a = LOAD_AS(SEARCH, SHARED_CELL(item_cell, address) - back);
    const item b = LOAD_AS(SEARCH, SHARED_CELL(item_cell, address + distance) - back);

    return !less_near(b, a, near);
}

/* Advance by `step` bytes, at most to `end`, if A's keys up to there belong before. */
DEVICE int advance(int at, int end, int step, int distance, int back, int near)
{
    const int next = at + step < end ? at + step : end;

    return belongs_before(next, distance, back, near) ? next : at;
}

/*
 * Is the program for few keys? Then a block may be alone on its SM, and a sort takes as
 * long as the steps of a block that wait for each other.
 */
enum { FEW_KEYS = !PLACED && (ITEMS == 8 || (ITEMS == 16 && CELL_BYTES == 4)) };

/* The same by up to three steps: three probes at once. */
DEVICE int advance_thrice(int at, int end, int step, int distance, int back, int near)
{
    int furthest = at;

    UNROLL
    for (int i = 1; i < 4; i++) {
        const int next = at + i * step < end ? at + i * step : end;

        furthest = belongs_before(next, distance, back, near) ? next : furthest;
    }
    return furthest;
}

/*
 * Advance by up to 7 steps. Where a block is alone on its SM, two probes one after the
 * other take less time than three, though they load more.
 */
DEVICE int advance_by_7(int at, int end, int step, int distance, int back, int near)
{
    if (ITEMS == 8 && TILE_ROWS <= 256) {
        at = advance_thrice(at, end, 2 * step, distance, back, near);
    } else {
        at = advance(at, end, 4 * step, distance, back, near);
        at = advance(at, end, 2 * step, distance, back, near);
    }
    return advance(at, end, step, distance, back, near);
}

/*
 * The row of a split: the last one from `begin` to `end` that belongs before, where the
 * first does. All lanes probe the last column. Lists that are alike are cut about halfway,
 * at `middle`: two probes at once, on both sides of it, mostly leave 7 rows. In any case
 * they leave less than half.
 */
DEVICE int find_row_near(int begin, int end, int middle, int distance, int near)
{
    enum { ASIDE = 4 * ROW_BYTES };

    if (BALLOT(end - begin > ASIDE) != 0 && begin < end) {
        const int least = begin + ROW_BYTES;
        const int left = middle - ASIDE > least ? middle - ASIDE : least;
        const int right = middle + ASIDE < end ? middle + ASIDE : end;
        const int left_is = belongs_before(left, distance, 2, near);
        const int right_is = belongs_before(right, distance, 2, near);

        end = !left_is ? left - ROW_BYTES : right_is ? end : right - ROW_BYTES;
        begin = !left_is ? begin : right_is ? right : left;
    }
    if (BALLOT(end - begin >= 8 * ROW_BYTES) != 0 && begin < end) {
        UNROLL
        for (int step = TILE_ROWS / 8; step >= 8; step /= 2)
            begin = advance(begin, end, step * ROW_BYTES, distance, 2, near);
    }
    if (begin < end)
        begin = advance_by_7(begin, end, ROW_BYTES, distance, 2, near);
    return begin;
}

/* find_split() with few keys. */
DEVICE struct split find_split_near(const struct group *g, int near)
{
    const int distance = g->distance;
    const int lowest = g->a_count - g->rest;
    const unsigned lo = lowest > 0 ? lowest : 0;
    const unsigned hi = g->before < g->a_count ? g->before : g->a_count;
    const int begin = g->first + (int)(lo / ITEMS) * ROW_BYTES;
    const int end = g->first + (int)(hi / ITEMS) * ROW_BYTES;
    const int middle = g->first + (int)((lo + hi) / (2 * ITEMS)) * ROW_BYTES;
    const int row = find_row_near(begin, end, middle, distance, near);
    const int last = row + (row == end ? (int)(hi % ITEMS) : ITEMS - 1) * CELL_BYTES;
    int at = row + (row == begin ? (int)(lo % ITEMS) : 0) * CELL_BYTES;
    struct split s;

    if (at < last && ITEMS == 8) {
        at = advance_by_7(at, last, CELL_BYTES, distance, 1, near);
    } else if (at < last) {
        UNROLL
        for (int step = ITEMS / 2; step > 0; step /= 2)
            at = advance(at, last, step * CELL_BYTES, distance, 1, near);
    }
    s.row = row;
    s.column = (int)((unsigned)(at - row) / CELL_BYTES);
    return s;
}

/*
 * Find my row's split by merge path: first over whole rows, where all lanes probe the
 * last column, then inside one row. Both keys of a probe are in the same column. Steps
 * of 16 or more rows are skipped if no lane of the warp needs them.
 */
DEVICE struct split find_split(const struct group *g, int near)
{
    if (FEW_KEYS)
        return find_split_near(g, near);

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
 * Load my row of the result into registers, column by column, in no order yet. `s` and
 * `next` are the splits of my row and of the next. A's part begins in column s.column of
 * row s.row and ends before next.column, in the same row or in the next one. All other
 * columns are B's. They are in the row of B that matches A's row or, after A's end if A
 * ends in the same row, in the row before that.
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

/* Store my sorted row: forwards from `address`, or backwards if it becomes part of a B. */
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

/* How the keys of a tile become items. */
struct tile_base {
    bare base;     /* subtracted from the tile's keys */
    item fill;     /* the filler: no key less the base sorts after it */
    int near;      /* all items are near (pipes.cuh) */
    int rest_bits; /* TILE_PLACES: low bits of the keys that the items lack, ... */
    int shift;     /* ... and how far to the left the others are shifted, ... */
    int is_narrow; /* ... of the lower word alone, if it has them all */
};

#ifndef TILE_PLACES

DEVICE item item_made(bare k, const struct tile_base *b, int place)
{
    (void)place;
    return take_base(k, b->base);
}

#else

/*
 * The base of keys from `least` to `most`. An item has `prefix` bits of a key, the highest
 * in which the tile's keys differ.
 */
DEVICE struct tile_base base_within(key least, key most, int prefix)
{
    const wide range = most - least;
    const unsigned upper = (unsigned)(range >> 32);
    const int bits = upper ? 33 + HIGHEST_BIT(upper) : 1 + HIGHEST_BIT((unsigned)range | 1);
    struct tile_base b;

    b.base = least;
    b.fill = filler();
    b.near = 0;
    b.rest_bits = bits > prefix ? bits - prefix : 0;
    b.is_narrow = KEY_BITS == 64 && bits <= 32;
    b.shift = (KEY_BITS == 32 || b.is_narrow ? 32 : 64) - (bits > prefix ? bits : prefix);
    return b;
}

DEVICE struct tile_base base_between(key least, key most)
{
    return base_within(least, most, PREFIX_BITS);
}

/*
 * The item of a key. `narrow` is b->is_narrow, perhaps as a constant. The bits of the
 * prefix are moved to the top of a word.
 */
DEVICE item item_from(bare k, const struct tile_base *b, int place, const int narrow)
{
    const wide above = (wide)(k - b->base);
    const wide word = KEY_BITS == 32 || narrow ? above << 32 : above;
    const unsigned top = (unsigned)(word << (b->shift & 31) >> 32);

    return (top & ~(item)((1u << PLACE_BITS) - 1)) | (unsigned)place;
}

DEVICE item item_made(bare k, const struct tile_base *b, int place)
{
    return item_from(k, b, place, b->is_narrow);
}

#endif

/* Where a tile is written. */
struct tile_target {
    key_cell *array;
    key_cell *samples; /* NULL: no later pass needs them */
    wide first;        /* position of the tile in the array */
    int count;         /* keys of the tile */
};

/*
 * Store my warp's samples, at most ITEMS of them: sample i is key 32 i of the array. Wide
 * cells are served to one half or quarter of the warp at a time. The first MINE lanes of
 * each part load samples, which then are in different banks. If every other lane loaded,
 * the hardware would join the parts, and they would conflict.
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
 * Store my keys, 32 positions apart, from `to` on; the warp has `left` keys. A `late`
 * lane (see store_rows) stores each key one request later than the others.
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
 * Store my warp's 32 rows, 32 keys per request. The tile begins `off` keys after a
 * multiple of 32, and requests are aligned to multiples of 32, as in load_whole(): lanes
 * whose key lies past the next multiple store it one request later.
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
