/*
 * block.inl - sort up to BLOCK_MOST ranks in registers.
 *
 * The ranks fill rows, one register each, in any order. A network sorts all columns at
 * once; then neighbouring columns are merged by bitonic networks until one sequence goes
 * down column by column. A transposition brings it into the order of memory.
 */
enum { BLOCK_ROWS = 16, BLOCK_MOST = BLOCK_ROWS * WIDE };

/* `near`, here and below: whether ranks are compared as doubles (wide.inl). */
#define EXCHANGE_ALL(rows, pairs, near)                                             \
    do {                                                                            \
        UNROLL                                                                      \
        for (size_t i = 0; i < sizeof(pairs) / sizeof((pairs)[0]); i++)             \
            wide_exchange_as(&(rows)[(pairs)[i][0]], &(rows)[(pairs)[i][1]], near); \
    } while (0)

/* Sort all columns of 1, 2, 4, 8, 12 or 16 rows, with the fewest exchanges known. */
INLINED void sort_columns(wide *rows, int count, const int near)
{
    static const unsigned char two[][2] = {
        {0, 1}
    };
    static const unsigned char four[][2] = {
        {0, 2},
        {1, 3},
        {0, 1},
        {2, 3},
        {1, 2}
    };
    static const unsigned char eight[][2] = {
  /* clang-format off */
        {0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}, {0, 1}, {2, 3},
        {4, 5}, {6, 7}, {2, 4}, {3, 5}, {1, 4}, {3, 6}, {1, 2}, {3, 4}, {5, 6},
  /* clang-format on */
    };
    static const unsigned char twelve[][2] = {
  /* clang-format off */
        {0, 8}, {1, 7}, {2, 6}, {3, 11}, {4, 10}, {5, 9}, {0, 1}, {2, 5}, {3, 4}, {6, 9},
        {7, 8}, {10, 11}, {0, 2}, {1, 6}, {5, 10}, {9, 11}, {0, 3}, {1, 2}, {4, 6}, {5, 7},
        {8, 11}, {9, 10}, {1, 4}, {3, 5}, {6, 8}, {7, 10}, {1, 3}, {2, 5}, {6, 9}, {8, 10},
        {2, 3}, {4, 5}, {6, 7}, {8, 9}, {4, 6}, {5, 7}, {3, 4}, {5, 6}, {7, 8},
  /* clang-format on */
    };

    if (count == 2)
        EXCHANGE_ALL(rows, two, near);
    else if (count == 4)
        EXCHANGE_ALL(rows, four, near);
    else if (count == 8)
        EXCHANGE_ALL(rows, eight, near);
    else if (count == 12)
        EXCHANGE_ALL(rows, twelve, near);
    else if (count == 16)
        EXCHANGE_ALL(rows, network, near);
}

/* Lane i exchanges with lane i ^ D; the greater goes to the lane that has bit BIT set. */
#define LANE_STEP(v, D, BIT, near) ((v) = WIDE_SORTED_AS(v, SWAPPED(v, D), BIT, near))

/* Sort the lanes of a register. */
INLINED wide sort_lanes(wide v, const int near)
{
    LANE_STEP(v, 1, 1, near);
    LANE_STEP(v, 3, 2, near);
    LANE_STEP(v, 1, 1, near);
#if WIDE >= 8
    LANE_STEP(v, 7, 4, near);
    LANE_STEP(v, 2, 2, near);
    LANE_STEP(v, 1, 1, near);
#endif
#if WIDE >= 16
    LANE_STEP(v, 15, 8, near);
    LANE_STEP(v, 4, 4, near);
    LANE_STEP(v, 2, 2, near);
    LANE_STEP(v, 1, 1, near);
#endif
    return v;
}

#define LANE_STEPS(rows, count, D, near)      \
    do {                                      \
        UNROLL                                \
        for (int i = 0; i < (count); i++)     \
            LANE_STEP((rows)[i], D, D, near); \
    } while (0)

/*
 * The first step of merging groups of BIT columns with their neighbours: the second group
 * is met in reverse, so row meets mirrored row and lane meets mirrored lane.
 */
#define MIRROR_STEP(rows, count, BIT, near)                    \
    do {                                                       \
        UNROLL                                                 \
        for (int i = 0; i < (count) / 2; i++) {                \
            wide *const mirror = &(rows)[(count)-1 - i];       \
            const wide one = (rows)[i];                        \
            const wide other = SWAPPED(*mirror, 2 * (BIT)-1);  \
            (rows)[i] = WIDE_SORTED_AS(one, other, BIT, near); \
            *mirror = wide_other((rows)[i], one, other);       \
            *mirror = SWAPPED(*mirror, 2 * (BIT)-1);           \
        }                                                      \
    } while (0)

/*
 * The last steps of a merge: rows exchange with rows, and each step halves bitonic
 * sequences. Twelve rows end in sequences of three.
 */
INLINED void row_steps(wide *rows, int count, const int near)
{
    static const unsigned char twelve[][2] = {
  /* clang-format off */
        {0, 6}, {1, 7}, {2, 8}, {3, 9}, {4, 10}, {5, 11},
        {0, 3}, {1, 4}, {2, 5}, {6, 9}, {7, 10}, {8, 11},
        {0, 2}, {3, 5}, {6, 8}, {9, 11}, {0, 1}, {3, 4}, {6, 7}, {9, 10},
        {1, 2}, {4, 5}, {7, 8}, {10, 11},
  /* clang-format on */
    };

    if (count == 12) {
        EXCHANGE_ALL(rows, twelve, near);
        return;
    }
    UNROLL
    for (int reach = count / 2; reach > 0; reach /= 2) {
        UNROLL
        for (int i = 0; i < count; i++)
            if (!(i & reach))
                wide_exchange_as(&rows[i], &rows[i + reach], near);
    }
}

INLINED void merge_columns(wide *rows, int count, const int near)
{
    if (count == 1) {
        rows[0] = sort_lanes(rows[0], near);
        return;
    }
    MIRROR_STEP(rows, count, 1, near);
    row_steps(rows, count, near);
    MIRROR_STEP(rows, count, 2, near);
    LANE_STEPS(rows, count, 1, near);
    row_steps(rows, count, near);
#if WIDE >= 8
    MIRROR_STEP(rows, count, 4, near);
    LANE_STEPS(rows, count, 2, near);
    LANE_STEPS(rows, count, 1, near);
    row_steps(rows, count, near);
#endif
#if WIDE >= 16
    MIRROR_STEP(rows, count, 8, near);
    LANE_STEPS(rows, count, 4, near);
    LANE_STEPS(rows, count, 2, near);
    LANE_STEPS(rows, count, 1, near);
    row_steps(rows, count, near);
#endif
}

#define TRANSPOSE_STEP(rows, count, n)                                                   \
    do {                                                                                 \
        UNROLL                                                                           \
        for (int i = 0; i < (count); i++) {                                              \
            if (!(i & (n))) {                                                            \
                const wide a = (rows)[i];                                                \
                const wide b = (rows)[i + (n)];                                          \
                (rows)[i] = (wide)__builtin_shufflevector(a, b, EACH_LANE(LANE_LOW, n)); \
                (rows)[i + (n)] =                                                        \
                    (wide)__builtin_shufflevector(a, b, EACH_LANE(LANE_HIGH, n));        \
            }                                                                            \
        }                                                                                \
    } while (0)

/* Write the columns of `count` rows one after the other. */
INLINED void store_columns(rank *to, wide *rows, int count)
{
    /* Squares of `side` rows are transposed: a power of two, so 4 of 12 rows. */
    const int power = count & -count;
    const int side = power < WIDE ? power : WIDE;

    if (side >= 2)
        TRANSPOSE_STEP(rows, count, 1);
    if (side >= 4)
        TRANSPOSE_STEP(rows, count, 2);
    if (side >= 8)
        TRANSPOSE_STEP(rows, count, 4);
#if WIDE >= 16
    if (side >= 16)
        TRANSPOSE_STEP(rows, count, 8);
#endif
    UNROLL
    for (int i = 0; i < count; i++) {
        UNROLL
        for (int part = 0; part < WIDE / side; part++)
            memcpy(to + (part * side + i % side) * count + i / side * side,
                   (const rank *)&rows[i] + part * side, (size_t)side * sizeof *to);
    }
}

INLINED void load_rows(wide *rows, const rank *from, int count)
{
    UNROLL
    for (int i = 0; i < count; i++)
        rows[i] = wide_load(from + i * WIDE);
}

/* The last steps of a merge, of rows that are a bitonic sequence; then store them. */
INLINED void store_merged(rank *to, wide *rows, int count, const int near)
{
    row_steps(rows, count, near);
#if WIDE >= 16
    LANE_STEPS(rows, count, 8, near);
#endif
#if WIDE >= 8
    LANE_STEPS(rows, count, 4, near);
#endif
    LANE_STEPS(rows, count, 2, near);
    LANE_STEPS(rows, count, 1, near);
    UNROLL
    for (int i = 0; i < count; i++)
        wide_store(to + i * WIDE, rows[i]);
}

/*
 * Merge two sorted sequences in `at`, of BLOCK_ROWS and of `rows` rows: a bitonic merge,
 * the second sequence in reverse. Rows missing there count as greater than all others, so
 * their partners need no exchange.
 */
INLINED void merge_blocks(rank *at, int rows, const int near)
{
    wide all[2 * BLOCK_ROWS];

    load_rows(all, at, BLOCK_ROWS);
    UNROLL
    for (int i = 0; i < rows; i++) {
        const wide mirror = wide_load(at + (BLOCK_ROWS + rows - 1 - i) * WIDE);

        all[BLOCK_ROWS + i] = SWAPPED(mirror, WIDE - 1);
        wide_exchange_as(&all[BLOCK_ROWS - rows + i], &all[BLOCK_ROWS + i], near);
    }
    store_merged(at, all, BLOCK_ROWS, near);
    store_merged(at + BLOCK_MOST, all + BLOCK_ROWS, rows, near);
}

/* Exchange the rows from `low` on with those from `high` on. */
INLINED void exchange_rows(rank *low, rank *high, int count, const int near)
{
    for (int i = 0; i < count; i++) {
        wide one = wide_load(low + i * WIDE);
        wide other = wide_load(high + i * WIDE);

        wide_exchange_as(&one, &other, near);
        wide_store(low + i * WIDE, one);
        wide_store(high + i * WIDE, other);
    }
}

/* The last steps of a merge of rows that are in memory. */
INLINED void merge_steps(rank *at, int count, const int near)
{
    wide rows[BLOCK_ROWS];

    load_rows(rows, at, count);
    store_merged(at, rows, count, near);
}

/*
 * Merge two sorted sequences in `at`, of two blocks and of `rows` rows, as merge_blocks
 * does. They do not fit the registers, so steps across blocks go through memory.
 */
INLINED void merge_pairs(rank *at, int rows, const int near)
{
    rank *const second = at + 2 * BLOCK_MOST;
    rank *const first = second - rows * WIDE; /* exchanges with the second */
    const rank *const end = second + rows * WIDE;

    for (int i = 0; i < rows / 2; i++) {
        const int mirror = rows - 1 - i;
        wide a = wide_load(first + i * WIDE);
        wide b = wide_load(first + mirror * WIDE);
        wide c = SWAPPED(wide_load(second + mirror * WIDE), WIDE - 1);
        wide d = SWAPPED(wide_load(second + i * WIDE), WIDE - 1);

        wide_exchange_as(&a, &c, near);
        wide_exchange_as(&b, &d, near);
        wide_store(first + i * WIDE, a);
        wide_store(first + mirror * WIDE, b);
        wide_store(second + i * WIDE, c);
        wide_store(second + mirror * WIDE, d);
    }
    exchange_rows(at, at + BLOCK_MOST, BLOCK_ROWS, near);
    if (rows > BLOCK_ROWS)
        exchange_rows(second, second + BLOCK_MOST, BLOCK_ROWS, near);
    for (; at < end; at += BLOCK_MOST)
        if (end - at >= BLOCK_MOST)
            merge_steps(at, BLOCK_ROWS, near);
        else
            merge_steps(at, BLOCK_ROWS / 2, near);
}

/* The last `count` of `all` ranks before `end`, in the upper lanes; below them fillers. */
static inline wide load_last(const rank *end, size_t count, size_t all, rank filler)
{
    const wide lane = {EACH_LANE(LANE_SWAPPED, 0)};
    const wide is_real = lane >= (rank)(WIDE - count);
    rank copy[WIDE] = {0};

    if (all < WIDE) { /* there is no whole register before the end */
        memcpy(copy + WIDE - all, end - all, all * sizeof *copy);
        end = copy + WIDE;
    }
    return (wide_load(end - WIDE) & is_real) | (filler & ~is_real);
}

/*
 * Sort 1 to `rows` * WIDE ranks, less `base` if they are `near`, and write them with
 * fillers up to that. Returns `rows`.
 */
INLINED int sort_rows(const rank *from, size_t count, rank *to, int rows, key base,
                      const int near)
{
    const size_t last = (count - 1) % WIDE + 1;
    const wide filler = wide_of(near ? (rank)(NEAR_LAST + base) : RANK_LAST);
    wide all[BLOCK_ROWS];

    all[0] = load_last(from + count, last, count, filler[0]);
    UNROLL
    for (int i = 1; i < rows; i++) {
        const size_t at = (size_t)(i - 1) * WIDE;
        const uintptr_t is_filler = choice(at + last >= count);
        const uintptr_t here = (uintptr_t)(from + at);

        /* No branch: it would be mispredicted, since the number of rows is random. */
        all[i] =
            wide_load((const rank *)(here ^ ((here ^ (uintptr_t)&filler) & -is_filler)));
    }
    UNROLL
    for (int i = 0; near && i < rows; i++)
        all[i] = (wide)((wide_keys)all[i] - base);
    sort_columns(all, rows, near);
    merge_columns(all, rows, near);
    store_columns(to, all, rows);
    return rows;
}
