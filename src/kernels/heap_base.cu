/*
 * heap_base.cu - the base case (P6, P7): each warp sorts a run of 1024 keys by
 * shearsort, then the warps of a block merge their runs bitonically.
 *
 * Shearsort treats 1024 keys as a grid of 32 rows, one row in the registers of each
 * lane. It sorts rows in snake order (every other row descending), then columns, five
 * times. Each time half of the remaining rows reach their final place. A descending
 * row costs nothing: it is sorted ascending, and the next transposition reads it
 * backwards.
 *
 * Transposition goes through shared memory. The pitch of a row is 32 keys and one spare
 * word, so lanes that store their rows are in different banks at each step, and so are
 * lanes that load their columns. Every address is the lane's own plus a constant.
 */
enum { PITCH = HEAP_PITCH(sizeof(key)), GRID_CELLS = HEAP_GRID_CELLS(sizeof(key)) };

/*
 * nvcc combines the accesses to narrow keys that share a 32-bit word. The source does
 * the same, so that the ledger counts what a GPU does.
 */
#if KEY_BITS < 32

enum { WORD_KEYS = 4 / sizeof(key) };
typedef unsigned row_word;
CELL(row_cell, row_word);

/* The keys r[0] and following, as a word. */
DEVICE row_word pack(const item *r)
{
    row_word word = 0;

    UNROLL
    for (int i = 0; i < WORD_KEYS; i++)
        word |= r[i] << KEY_BITS * i;
    return word;
}

DEVICE item unpack(row_word word, int i)
{
    return (key)(word >> KEY_BITS * i);
}

#else

enum { WORD_KEYS = 1 };
typedef item row_word;
typedef key_cell row_cell;

DEVICE row_word pack(const item *r)
{
    return r[0];
}

DEVICE item unpack(row_word word, int i)
{
    (void)i;
    return word;
}

#endif

enum { ROW_WORDS = WARP / WORD_KEYS };

DEVICE void put_row(key_cell *grid, const item *r)
{
    row_cell *const row = (row_cell *)(grid + PITCH * LANE);

    UNROLL
    for (int j = 0; j < ROW_WORDS; j++)
        STORE(&row[j], pack(&r[WORD_KEYS * j]));
}

/* Load my column of the grid; with `snake`, every other row is mirrored. */
DEVICE void get_column(const key_cell *grid, item *r, int snake)
{
    const key_cell *const even = grid + LANE;
    const key_cell *const odd = snake ? grid + (WARP - 1 - LANE) : even;

    UNROLL
    for (int j = 0; j < WARP; j += 2) {
        r[j] = LOAD(&even[PITCH * j]);
        r[j + 1] = LOAD(&odd[PITCH * (j + 1)]);
    }
}

DEVICE void transpose(key_cell *grid, item *r, int snake)
{
    WARP_BARRIER(); /* all lanes have read the previous contents of the grid */
    put_row(grid, r);
    WARP_BARRIER();
    get_column(grid, r, snake);
}

/*
 * Compare-exchange my row with the row of lane `partner`, column by column in snake
 * order; the upper row keeps the greater keys. Without a partner nothing changes.
 */
DEVICE void exchange_rows(item *r, int partner, int upper)
{
    const int alone = partner < 0 || partner >= WARP;
    const int from = alone ? LANE : partner;

    UNROLL
    for (int j = 0; j < WARP / 2; j++) {
        const item left = SHUFFLE(r[WARP - 1 - j], from);
        const item right = SHUFFLE(r[j], from);

        r[j] = alone ? r[j] : keep(r[j], left, upper);
        r[WARP - 1 - j] = alone ? r[WARP - 1 - j] : keep(r[WARP - 1 - j], right, upper);
    }
}

/*
 * Sort the 1024 keys in the warp's registers; lane i ends with ranks 32 i to 32 i + 31.
 * After four rounds at most two neighbouring rows are unsorted, so the last column sort
 * is one exchange between neighbouring lanes, by shuffles instead of two
 * transpositions. All ten steps share one copy of the sorting network.
 */
DEVICE void shearsort(key_cell *grid, item *r)
{
    const int odd = LANE % 2;

    for (int step = 0; step < 10; step++) {
        sort_registers(r, WARP);
        if (step < 8) {
            transpose(grid, r, step % 2 == 0);
        } else if (step == 8) {
            exchange_rows(r, LANE ^ 1, odd);
            exchange_rows(r, odd ? LANE + 1 : LANE - 1, !odd);
        }
    }
}

/*
 * Compare-exchange with another warp of the block through shared memory: keep the
 * lesser or the greater of my keys and its keys at the same, or mirrored, positions.
 */
DEVICE void exchange_warps(key_cell *cells, item *r, int partner, int mirror, int upper)
{
    const key_cell *const grid = cells + GRID_CELLS * partner;
    const row_cell *const row =
        (const row_cell *)(grid + PITCH * (mirror ? WARP - 1 - LANE : LANE));

    put_row(cells + GRID_CELLS * (THREAD / WARP), r);
    BARRIER();
    UNROLL
    for (int j = 0; j < ROW_WORDS; j++) {
        const row_word others = LOAD(&row[mirror ? ROW_WORDS - 1 - j : j]);
        item *const mine = &r[WORD_KEYS * j];

        UNROLL
        for (int i = 0; i < WORD_KEYS; i++)
            mine[i] = keep(mine[i], unpack(others, mirror ? WORD_KEYS - 1 - i : i), upper);
    }
    BARRIER();
}

/* Merge pairs of sorted runs of 1024 keys until one run fills the block. */
DEVICE void grow(key_cell *cells, item *r)
{
    const int warp = THREAD / WARP;
    key_cell *const grid = cells + GRID_CELLS * warp;

    for (int run = 1; run < THREADS / WARP; run *= 2) {
        BARRIER(); /* the grids are free again */
        exchange_warps(cells, r, warp ^ (2 * run - 1), 1, (warp & run) != 0);
        for (int step = run / 2; step > 0; step /= 2)
            exchange_warps(cells, r, warp ^ step, 0, (warp & step) != 0);
        transpose(grid, r, 0); /* rows become registers: clean across rows, ... */
        clean_registers(r, WARP, 0);
        transpose(grid, r, 0);
        clean_registers(r, WARP, 0); /* ... then inside each row */
    }
}

/*
 * The greatest of the block's `count` keys. It fills up a short block: no key sorts
 * after it, so the first `count` sorted keys are the real ones, whatever their values.
 */
DEVICE item greatest_of_block(const struct heap_base_args *args, wide first, int count,
                              key_cell *cells)
{
    const key_cell *const in = (const key_cell *)args->in + first;
    item greatest = enter(LOAD(&in[0]), &args->enter);

    for (int i = THREAD; i < count; i += THREADS) {
        const item k = enter(LOAD(&in[i]), &args->enter);

        greatest = less(greatest, k) ? k : greatest;
    }
    for (int step = WARP / 2; step > 0; step /= 2) {
        const item other = SHUFFLE_XOR(greatest, step);

        greatest = less(greatest, other) ? other : greatest;
    }
    if (LANE == 0)
        STORE(&cells[THREAD / WARP], greatest);
    BARRIER();
    for (int i = 0; i < THREADS / WARP; i++) {
        const item other = LOAD(&cells[i]);

        greatest = less(greatest, other) ? other : greatest;
    }
    BARRIER();
    return greatest;
}

/* Load coalesced: any assignment of keys to lanes will do. */
DEVICE void load_block(const struct heap_base_args *args, wide first, int count,
                       key_cell *cells, item *r)
{
    const key_cell *const in = (const key_cell *)args->in + first;
    const int mine = HEAP_GRID * (THREAD / WARP) + LANE;

    if (count == (int)args->base) {
        UNROLL
        for (int j = 0; j < WARP; j++)
            r[j] = enter(LOAD_AS(BULK, &in[mine + WARP * j]), &args->enter);
        return;
    }

    const item fill = greatest_of_block(args, first, count, cells);

    UNROLL
    for (int j = 0; j < WARP; j++) {
        r[j] = fill;
        if (mine + WARP * j < count)
            r[j] = enter(LOAD_AS(BULK, &in[mine + WARP * j]), &args->enter);
    }
}

DEVICE void store_block(const struct heap_base_args *args, wide first, int count,
                        key_cell *cells, item *r)
{
    key_cell *const out = (key_cell *)args->out + first;
    const int mine = HEAP_GRID * (THREAD / WARP) + LANE;

    transpose(cells + GRID_CELLS * (THREAD / WARP), r, 0);
    UNROLL
    for (int j = 0; j < WARP; j++) {
        const key k = leave((key)r[j], &args->leave);

        if (mine + WARP * j < count)
            STORE_AS(BULK, &out[mine + WARP * j], k);
    }
}

/* 32 keys per thread: two blocks of 512 threads fit if a key takes one register. */
enum { heap_base_blocks = KEY_BITS == 32 ? 2 : 1 };

/* Each block sorts one run of args.base keys; the last run may be short. */
KERNEL(heap_base, struct heap_base_args)
{
    SHARED(key_cell, cells);
    const wide first = (wide)BLOCK * args.base;
    const wide left = args.count - first;
    const int count = (int)(left < args.base ? left : args.base);
    item r[WARP];

    load_block(&args, first, count, cells, r);
    shearsort(cells + GRID_CELLS * (THREAD / WARP), r);
    grow(cells, r);
    store_block(&args, first, count, cells, r);
}
