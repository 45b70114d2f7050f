/*
 * partition.inl - partition ranks in place around a pivot, by whole registers.
 *
 * A partition first loads a few registers from both ends, so there is always room on either
 * side for what it reads next.
 */

/* Where a partition writes next, and reads next. */
struct gap {
    rank *left;
    rank *right;
};

/* The lanes that are greater, as bits. */
static inline unsigned greater_lanes(wide values, wide pivot)
{
#if WIDE_BITS == 512
    return WIDE_GREATER(values, pivot);
#elif KEY_BITS == 32
    return (unsigned)_mm256_movemask_ps(
        (__m256)_mm256_cmpgt_epi32((__m256i)values, (__m256i)pivot));
#else
    return (unsigned)_mm256_movemask_pd(
        (__m256d)_mm256_cmpgt_epi64((__m256i)values, (__m256i)pivot));
#endif
}

#if WIDE == 16

/* Move the lanes of a mask to the front. On Zen 4 compressing stores are far slower. */
static inline wide compressed(wide values, unsigned mask)
{
    return (wide)WIDE_512(maskz_compress)((__mmask16)mask, (__m512i)values);
}

/* Partition a register; there must be room for one. */
static inline void part_register(struct gap *to, wide values, wide pivot)
{
    const unsigned greater = greater_lanes(values, pivot);
    const int count = __builtin_popcount(greater);

    to->right -= count;
    wide_store(to->left, compressed(values, ~greater));
    WIDE_512(mask_storeu)
    (to->right, (__mmask16)_bzhi_u32(~0u, (unsigned)count),
     (__m512i)compressed(values, greater));
    to->left += WIDE - count;
}

#else
#include "part_table.inl"

/* Move those lanes to the end. */
static inline wide parted(wide values, unsigned greater)
{
    const int order = (int)part_table[greater];

#if WIDE_BITS == 512
    const __m512i shifts = _mm512_setr_epi64(0, 4, 8, 12, 16, 20, 24, 28);

    return (wide)_mm512_permutexvar_epi64(
        _mm512_srlv_epi64(_mm512_set1_epi32(order), shifts), (__m512i)values);
#else
    const __m256i shifts = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);

    return (wide)_mm256_permutevar8x32_epi32(
        (__m256i)values, _mm256_srlv_epi32(_mm256_set1_epi32(order), shifts));
#endif
}

/*
 * Partition a register: all of it is written to both sides, so there must be room for
 * exactly one or for at least two.
 */
static inline void part_register(struct gap *to, wide values, wide pivot)
{
    const unsigned greater = greater_lanes(values, pivot);
    const wide in_order = parted(values, greater);
    const int count = __builtin_popcount(greater);

    wide_store(to->left, in_order);
    wide_store(to->right - WIDE, in_order);
    to->left += WIDE - count;
    to->right -= count;
}
#endif

/* Partition the last `count` lanes of a register. */
static inline void part_few(struct gap *to, wide values, size_t count, wide pivot)
{
    rank few[WIDE];

    wide_store(few, values);
    for (size_t i = WIDE - count; i < WIDE; i++) {
        const size_t greater = choice(few[i] > pivot[0]);

        *to->left = few[i];
        to->right[-1] = few[i];
        to->left += 1 - greater;
        to->right -= greater;
    }
}

enum {
    PART_MOST = 8,                 /* registers read at once, in long pieces, ... */
    PART_LEAST = 4,                /* ... and in short ones */
    PART_LONG = 1 << 13,           /* ranks of a long piece */
    PART_AHEAD = 64 * WIDE,        /* distance of prefetches, in ranks */
    LINE_RANKS = STREAM_LINE / sizeof(rank)
};

/*
 * Move the ranks that are at most `pivot` to the front of a piece of at least
 * 2 * `registers` registers; returns their number. That many registers at once are read
 * from the side with less room to write, so there is room for them on either side. `kept`
 * has room for 3 * `registers` registers. Long pieces are prefetched, even those that fit
 * L2: another thread may have written them last.
 */
INLINED size_t part_registers(rank *ranks, size_t count, rank pivot, const int registers,
                              wide *kept, enum coding coding, key flip)
{
    const wide pivots = wide_of(pivot);
    const int step = registers * WIDE;
    const size_t few = count % WIDE;
    const size_t last = (size_t)registers + count / WIDE % (size_t)registers;
    struct gap to = {ranks, ranks + count};
    const rank *const end = ranks + count - few; /* of the last whole register */
    struct gap from = {ranks + step, ranks + count - few - last * WIDE};
    const wide kept_few = wide_enter(wide_load(ranks + count - WIDE), coding, flip);

    /* Of the last registers, those before from.right are not needed: a loop of fixed length
     * is unrolled, and not taken for a long copy. */
    UNROLL
    for (int i = 0; i < registers; i++)
        kept[i] = wide_enter(wide_load(ranks + i * WIDE), coding, flip);
    UNROLL
    for (int i = registers; i < 3 * registers; i++)
        kept[i] = wide_enter(wide_load(end - (i - registers + 1) * WIDE), coding, flip);
    while (from.left < from.right) {
        wide read[PART_MOST];
        const rank *next;

        if (from.left - to.left < to.right - from.right) {
            next = from.left;
            from.left += step;
        } else {
            from.right -= step;
            next = from.right;
        }
        for (int i = 0; registers == PART_MOST && i < step; i += LINE_RANKS) {
            __builtin_prefetch(from.left + PART_AHEAD + i);
            __builtin_prefetch(from.right - PART_AHEAD - step + i);
        }
        UNROLL
        for (int i = 0; i < registers; i++)
            read[i] = wide_enter(wide_load(next + i * WIDE), coding, flip);
        UNROLL
        for (int i = 0; i < registers; i++)
            part_register(&to, read[i], pivots);
    }
    part_few(&to, kept_few, few, pivots); /* then there is room for whole registers */
    for (size_t i = 0; i < (size_t)registers + last; i++)
        part_register(&to, kept[i], pivots);
    return (size_t)(to.left - ranks);
}

/* Long pieces. Not inlined: that would cost short ones registers. */
__attribute__((noinline)) static size_t part_long(rank *ranks, size_t count, rank pivot,
                                                  enum coding coding, key flip)
{
    wide kept[3 * PART_MOST];

    if (coding == CODING_FLOAT)
        return part_registers(ranks, count, pivot, PART_MOST, kept, CODING_FLOAT, flip);
    if (coding == CODING_FLIP)
        return part_registers(ranks, count, pivot, PART_MOST, kept, CODING_FLIP, flip);
    return part_registers(ranks, count, pivot, PART_MOST, kept, CODING_NONE, flip);
}

INLINED size_t part_piece(rank *ranks, size_t count, rank pivot, enum coding coding,
                          key flip)
{
    wide kept[3 * PART_LEAST];

    if (count >= PART_LONG)
        return part_long(ranks, count, pivot, coding, flip);
    return part_registers(ranks, count, pivot, PART_LEAST, kept, coding, flip);
}
