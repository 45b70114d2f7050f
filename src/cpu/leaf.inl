/*
 * leaf.inl - the leaves of a quicksort: pieces of at most LEAF_MOST ranks are sorted in
 * registers, up to four blocks (block.inl), which are merged, and written as keys.
 */

enum {
    PAIR_MOST = 2 * BLOCK_MOST, /* ranks of two blocks */
    LEAF_MOST = 2 * PAIR_MOST   /* of a piece that is not partitioned */
};

struct quick {
    enum coding coding; /* how ranks become keys */
    key flip;
    uint64_t chance; /* random numbers that place samples */
};

/* ---- Writing keys ------------------------------------------------------------------- */

/* The keys of ranks from which `base` was subtracted. */
INLINED wide wide_leave_from(wide ranks, key base, enum coding coding, key flip)
{
    return wide_leave(NEAR_RANKS ? (wide)((wide_keys)ranks + base) : ranks, coding, flip);
}

/* Write ranks as keys; `from` can be read up to a whole register. */
INLINED void write_coded(rank *to, const rank *from, size_t count, key base,
                         enum coding coding, key flip)
{
    size_t i = 0;

    for (; i + WIDE <= count; i += WIDE)
        wide_store(to + i, wide_leave_from(wide_load(from + i), base, coding, flip));
    if (i < count) {
        const wide rest = wide_leave_from(wide_load(from + i), base, coding, flip);

        memcpy(to + i, &rest, (count - i) * sizeof *to);
    }
}

static void write_out(const struct quick *q, rank *to, const rank *from, size_t count,
                      key base)
{
    if (q->coding == CODING_FLOAT)
        write_coded(to, from, count, base, CODING_FLOAT, q->flip);
    else if (q->coding == CODING_FLIP)
        write_coded(to, from, count, base, CODING_FLIP, q->flip);
    else
        write_coded(to, from, count, base, CODING_NONE, 0);
}

static void write_value(rank *to, size_t count, wide value)
{
    size_t i = 0;

    for (; i + WIDE <= count; i += WIDE)
        wide_store(to + i, value);
    for (; i < count; i++)
        to[i] = value[0];
}

/* Write the key of ranks that are all the same. */
static void write_same(const struct quick *q, rank *to, size_t count, rank value)
{
    if (q->coding != CODING_NONE)
        write_value(to, count, wide_leave(wide_of(value), q->coding, q->flip));
}

/* ---- Sorting ------------------------------------------------------------------------ */

/* Sort at most BLOCK_MOST ranks. Returns how many rows were written, fillers included. */
INLINED int sort_block_as(const rank *ranks, size_t count, rank *sorted, key base,
                          const int near)
{
    if (count <= WIDE)
        return sort_rows(ranks, count, sorted, 1, base, near);
    if (count <= 2 * WIDE)
        return sort_rows(ranks, count, sorted, 2, base, near);
    if (count <= 4 * WIDE)
        return sort_rows(ranks, count, sorted, 4, base, near);
    if (count <= 8 * WIDE)
        return sort_rows(ranks, count, sorted, 8, base, near);
    if (count <= 12 * WIDE)
        return sort_rows(ranks, count, sorted, 12, base, near);
    return sort_rows(ranks, count, sorted, BLOCK_ROWS, base, near);
}

/* If `near`, the ranks of a leaf are compared as doubles, after `base` is subtracted. */
struct leaf {
    int near;
    key base;
};

static struct leaf leaf_of(rank least, rank most)
{
    const struct leaf leaf = {NEAR_RANKS &&
                                  (key)most - (key)least <= NEAR_LAST - NEAR_FIRST,
                              (key)least - NEAR_FIRST};

    return leaf.near ? leaf : (struct leaf){0, 0};
}

static int sort_block(const struct leaf *leaf, const rank *ranks, size_t count,
                      rank *sorted)
{
    if (NEAR_RANKS && leaf->near)
        return sort_block_as(ranks, count, sorted, leaf->base, 1);
    return sort_block_as(ranks, count, sorted, 0, 0);
}

/*
 * Append rows of fillers up to a power of two, at least half a block. With smaller merges,
 * too, the code of a leaf would exceed L1. Returns the number of rows.
 */
static int fill_rows(const struct leaf *leaf, rank *sorted, int rows)
{
    const wide filler = wide_of(NEAR_RANKS && leaf->near ? (rank)NEAR_LAST : RANK_LAST);

    for (; rows < BLOCK_ROWS / 2 || (rows & (rows - 1)); rows++)
        wide_store(sorted + rows * WIDE, filler);
    return rows;
}

/* Merge two blocks, the second of `rows` rows. */
INLINED void merge_two(rank *sorted, int rows, const int near)
{
    if (rows == BLOCK_ROWS / 2)
        merge_blocks(sorted, BLOCK_ROWS / 2, near);
    else
        merge_blocks(sorted, BLOCK_ROWS, near);
}

/* Sort at most two blocks: each, then a merge. Returns rows as sort_block does. */
static int sort_pair(const struct leaf *leaf, const rank *ranks, size_t count, rank *sorted)
{
    int rows;

    if (count <= BLOCK_MOST)
        return sort_block(leaf, ranks, count, sorted);
    rows = sort_block(leaf, ranks + BLOCK_MOST, count - BLOCK_MOST, sorted + BLOCK_MOST);
    rows = fill_rows(leaf, sorted + BLOCK_MOST, rows);
    sort_block(leaf, ranks, BLOCK_MOST, sorted);
    if (NEAR_RANKS && leaf->near)
        merge_two(sorted, rows, 1);
    else
        merge_two(sorted, rows, 0);
    return BLOCK_ROWS + rows;
}

/* Sort at most LEAF_MOST ranks, and write them as keys. */
static void sort_leaf(const struct quick *q, struct leaf leaf, const rank *ranks, rank *to,
                      size_t count)
{
    _Alignas(wide) rank sorted[LEAF_MOST]; /* no store crosses a cache line */

    if (count <= PAIR_MOST) {
        sort_pair(&leaf, ranks, count, sorted);
    } else {
        int rows =
            sort_pair(&leaf, ranks + PAIR_MOST, count - PAIR_MOST, sorted + PAIR_MOST);

        rows = fill_rows(&leaf, sorted + PAIR_MOST, rows);
        sort_pair(&leaf, ranks, PAIR_MOST, sorted);
        if (NEAR_RANKS && leaf.near)
            merge_pairs(sorted, rows, 1);
        else
            merge_pairs(sorted, rows, 0);
    }
    write_out(q, to, sorted, count, leaf.base);
}
