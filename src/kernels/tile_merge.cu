/*
 * tile_merge.cu - merge K runs: one block writes one tile of the result.
 *
 * The cuts (tile_cut.cu) say which keys of each run make up the tile. They are
 * loaded in pairs of lists, A ascending and B descending into one group of rows
 * (tile.cuh), and merged in log2 K rounds. A pair's rows are filled up behind
 * B's last key, so that every later list is whole rows.
 */

enum {
    CHUNK_STEPS = 16,
    CHUNK = CHUNK_STEPS * WARP, /* keys of one list that a warp loads at once */
    SHIFTS = TILE_BANK_CELLS(sizeof(key)),
    SPARE = TILE_SPARE_ROWS(ITEMS, sizeof(key)) /* rows behind each pair of lists */
};

/* One lane's list: its part of the tile, and where that goes. */
struct tile_list {
    wide from;       /* where it begins in the input */
    int count;       /* keys */
    int place;       /* address of its first key's cell */
    int first_chunk; /* chunks of the lists before it, ... */
    int end_chunk;   /* ... and with it */
    int end_row;     /* rows of the pairs up to its own */
};

/*
 * How far B of a group that ends at row `end` is moved: so far that a warp
 * which reads rows of A and rows of B at one column meets different banks: by
 * `end` rows back, modulo the banks. SPARE rows a pair make room for it.
 */
DEVICE int group_shift(int end)
{
    return (-end * (ITEMS + 1) & (SHIFTS - 1)) * CELL_BYTES;
}

DEVICE int sum_up_to_lane(int sum)
{
    UNROLL
    for (int step = 1; step < WARP; step *= 2) {
        const int other = SHUFFLE(sum, (LANE - step) & (WARP - 1));

        sum += LANE >= step ? other : 0;
    }
    return sum;
}

/* Every warp finds this out for itself: cheaper than to wait for one of them. */
DEVICE struct tile_list my_list(const struct tile_round *round, int cells)
{
    const unsigned group = (unsigned)BLOCK / round->pieces;
    const wide_cell *const cuts =
        (const wide_cell *)round->cuts + ((wide)BLOCK + group) * round->ways;
    const int is_b = LANE % 2;
    struct tile_list list;
    wide start = 0;

    list.count = 0;
    if (LANE < round->ways) {
        start = LOAD(&cuts[LANE]);
        list.count = (int)(LOAD(&cuts[round->ways + LANE]) - start);
    }
    list.from = ((wide)group * round->ways + LANE) * round->run + start;

    const int partner = SHUFFLE_XOR(list.count, 1);
    const int rows = (int)((unsigned)(list.count + partner + ITEMS - 1) / ITEMS);
    const int chunks = (int)((unsigned)(list.count + CHUNK - 1) / CHUNK);
    const int sums = sum_up_to_lane((is_b ? 0 : rows) | chunks << 16);

    list.end_row = sums & 0xffff;
    list.end_chunk = sums >> 16;
    list.first_chunk = list.end_chunk - chunks;
    list.place = cells + (LANE / 2 * SPARE + list.end_row - (is_b ? 1 : rows)) * ROW_BYTES;
    if (is_b)
        list.place += (ITEMS - 1) * CELL_BYTES + group_shift(list.end_row);
    return list;
}

/* My keys of a chunk to shared memory: 32 places apart, upwards for A, downwards for B. */
DEVICE void put_chunk(int place, int is_b, const item *r, int left)
{
    enum { STEP = WARP / ITEMS * ROW_BYTES / CELL_BYTES };
    item_cell *const to = SHARED_CELL(item_cell, place);

    if (is_b) {
        UNROLL
        for (int i = 0; i < CHUNK_STEPS; i++) {
            if (WARP * i < left)
                STORE(to - STEP * i, r[i]);
        }
    } else {
        UNROLL
        for (int i = 0; i < CHUNK_STEPS; i++) {
            if (WARP * i < left)
                STORE(to + STEP * i, r[i]);
        }
    }
}

/* Load the lists in chunks, shared out among all warps whatever the lists' lengths. */
DEVICE void load_lists(const struct tile_list *mine, const key_cell *in)
{
    const int chunks = SHUFFLE(mine->end_chunk, WARP - 1);
    const int my_place = (LANE + LANE / ITEMS) * CELL_BYTES;

    for (int chunk = THREAD / WARP; chunk < chunks; chunk += TILE_ROWS / WARP) {
        const int list = HIGHEST_BIT(BALLOT(mine->first_chunk <= chunk));
        const int done = (chunk - SHUFFLE(mine->first_chunk, list)) * CHUNK;
        const int left = SHUFFLE(mine->count, list) - done - LANE;
        const key_cell *const from = in + SHUFFLE(mine->from, list) + done + LANE;
        const int ahead = done / ITEMS * ROW_BYTES + my_place;
        const int place = SHUFFLE(mine->place, list) + (list % 2 ? -ahead : ahead);
        item r[CHUNK_STEPS];

        if (left + LANE >= CHUNK) {
            UNROLL
            for (int i = 0; i < CHUNK_STEPS; i++)
                r[i] = LOAD_BULK(&from[WARP * i]);
            put_chunk(place, list % 2, r, CHUNK);
        } else {
            UNROLL
            for (int i = 0; i < CHUNK_STEPS; i++) {
                r[i] = 0;
                if (WARP * i < left)
                    r[i] = LOAD_BULK(&from[WARP * i]);
            }
            put_chunk(place, list % 2, r, left);
        }
    }
}

/* Fill each pair's rows up behind the last key of B; fewer than ITEMS places. */
DEVICE void fill_pairs(const struct tile_list *mine, int ways)
{
    for (int pair = THREAD / WARP; pair < ways / 2; pair += TILE_ROWS / WARP) {
        const int place = SHUFFLE(mine->place, 2 * pair);
        const int end = SHUFFLE(mine->end_row, 2 * pair);
        const int a_count = SHUFFLE(mine->count, 2 * pair);
        const int b_count = SHUFFLE(mine->count, 2 * pair + 1);
        const int rows = (int)((unsigned)(a_count + b_count + ITEMS - 1) / ITEMS);
        const int at = a_count + LANE;
        const int cell = at + (int)((unsigned)at / ITEMS);

        if (at < rows * ITEMS - b_count)
            STORE(SHARED_CELL(item_cell, place + group_shift(end)) + cell, filler());
    }
}

/* What the rounds need to know of the lists. */
struct tile_lists {
    int_cell count[TILE_MOST_WAYS];            /* keys of each list */
    int_cell pair_row[TILE_MOST_WAYS / 2 + 1]; /* first row of each pair; the end */
    int_cell unused;                           /* keeps the struct's size simple */
};

DEVICE void note_lists(struct tile_lists *lists, const struct tile_list *mine)
{
    STORE(&lists->count[LANE], mine->count);
    if (LANE % 2)
        STORE(&lists->pair_row[LANE / 2 + 1], mine->end_row);
    if (LANE == 0)
        STORE(&lists->pair_row[0], 0);
}

/* The pair of lists whose rows hold mine. */
DEVICE int pair_of_row(const struct tile_lists *lists, int ways)
{
    int pair = 0;

    for (int step = ways / 4; step > 0; step /= 2) {
        if (LOAD(&lists->pair_row[pair + step]) <= THREAD)
            pair += step;
    }
    return pair;
}

/* The group that my row lies in when lists of 2^level pairs are to be made. */
DEVICE struct group my_group(const struct tile_lists *lists, int cells, int pair, int level)
{
    const int index = pair >> level;
    const int head = index << level;
    const int begin = LOAD(&lists->pair_row[head]);
    const int end = LOAD(&lists->pair_row[head + (1 << level)]);
    struct group g;

    if (level == 0)
        g.a_count = LOAD(&lists->count[2 * pair]);
    else
        g.a_count = (LOAD(&lists->pair_row[head + (1 << level) / 2]) - begin) * ITEMS;
    g.first = cells + (begin + index * SPARE) * ROW_BYTES;
    g.rows = end - begin;
    g.row = THREAD - begin;
    g.shift = group_shift(end);
    return g;
}

/* Put my row of a merged group where the next round wants it. */
DEVICE void put_merged_row(const struct tile_lists *lists, int cells, int pair, int level,
                           int ways, const item *r)
{
    const int index = pair >> level;

    if (index % 2 && 2 << level < ways) {
        const int begin = LOAD(&lists->pair_row[index << level]);
        const int end = LOAD(&lists->pair_row[(index + 1) << level]);
        const int row = begin + end - 1 - THREAD + index / 2 * SPARE;

        scatter(cells + row * ROW_BYTES + (ITEMS - 1) * CELL_BYTES + group_shift(end), 1,
                r);
    } else {
        scatter(cells + (THREAD + index / 2 * SPARE) * ROW_BYTES, 0, r);
    }
}

/* Merge pairs of lists, then pairs of pairs, until one is left. */
DEVICE void merge_rounds(const struct tile_lists *lists, int cells, int_cell *splits,
                         int ways)
{
    const int live = THREAD < LOAD(&lists->pair_row[TILE_MOST_WAYS / 2]);
    const int pair = pair_of_row(lists, ways);

    for (int level = 0; 1 << level < ways; level++) {
        struct group g = my_group(lists, cells, pair, level);
        struct split s;
        item r[ITEMS];

        if (!live)
            g.rows = g.row = g.a_count = 0;
        s = find_split(&g);
        put_split(splits, s);
        BARRIER();
        if (live)
            gather(&g, s, next_split(&g, splits), r);
        BARRIER(); /* everyone has his keys: the rows may be overwritten */
        if (live) {
            clean_registers(r, ITEMS);
            put_merged_row(lists, cells, pair, level, ways, r);
        }
        if (2 << level < ways)
            BARRIER();
    }
}

struct tile_merge_shared {
    item_cell cells[(TILE_ROWS + TILE_MOST_WAYS / 2 * SPARE) * (ITEMS + 1)];
    int_cell splits[TILE_ROWS];
    struct tile_lists lists;
};

AGREE(sizeof(struct tile_merge_shared) == TILE_MERGE_SHARED(TILE_ROWS, ITEMS, sizeof(key)));

enum {
    tile_merge_blocks = TILE_MERGE_BLOCKS ? TILE_MERGE_BLOCKS
                                          : TILE_BLOCKS(TILE_ROWS, ITEMS, (int)sizeof(key))
};

/* Each block merges and writes one tile. */
KERNEL(tile_merge, struct tile_merge_args)
{
    SHARED(struct tile_merge_shared, sm);
    const int cells = SHARED_ADDRESS(sm->cells);
    const struct tile_list list = my_list(&args.round, cells);

    if (THREAD < WARP)
        note_lists(&sm->lists, &list);
    load_lists(&list, (const key_cell *)args.round.in);
    fill_pairs(&list, args.round.ways);
    BARRIER();
    merge_rounds(&sm->lists, cells, sm->splits, args.round.ways);
    WARP_BARRIER();

    const wide_cell *const starts =
        (const wide_cell *)args.round.starts + BLOCK + (unsigned)BLOCK / args.round.pieces;
    struct tile_target to;

    to.array = (key_cell *)args.round.out;
    to.samples = (key_cell *)args.round.samples;
    to.first = LOAD(&starts[0]);
    to.count = (int)(LOAD(&starts[1]) - to.first);
    store_rows(cells, &to, &args.leave);
}
