/*
 * wide.inl - vectors for the networks of block.inl, of WIDE_BITS bits each: 256 with AVX2,
 * 512 with AVX-512. Everything but minima is the compiler's vector arithmetic.
 */
#include <immintrin.h>

#define WIDE (WIDE_BITS / KEY_BITS) /* lanes */

typedef rank wide __attribute__((vector_size(WIDE_BITS / 8)));
typedef key wide_keys __attribute__((vector_size(WIDE_BITS / 8)));
#if KEY_BITS == 32
typedef int32_t wide_signed __attribute__((vector_size(WIDE_BITS / 8)));
#else
typedef int64_t wide_signed __attribute__((vector_size(WIDE_BITS / 8)));
#endif
typedef rank wide_at __attribute__((vector_size(WIDE_BITS / 8), aligned(1), may_alias));

#if WIDE == 4
#define EACH_LANE(F, n) F(0, n), F(1, n), F(2, n), F(3, n)
#elif WIDE == 8
#define EACH_LANE(F, n) \
    F(0, n), F(1, n), F(2, n), F(3, n), F(4, n), F(5, n), F(6, n), F(7, n)
#else
#define EACH_LANE(F, n)                                                              \
    F(0, n), F(1, n), F(2, n), F(3, n), F(4, n), F(5, n), F(6, n), F(7, n), F(8, n), \
        F(9, n), F(10, n), F(11, n), F(12, n), F(13, n), F(14, n), F(15, n)
#endif
#define LANE_SWAPPED(i, n) ((i) ^ (n))
#define LANE_PICKED(i, n) ((i) & (n) ? (i) + WIDE : (i))
#define LANE_LOW(i, n) ((i) & (n) ? ((i) ^ (n)) + WIDE : (i))
#define LANE_HIGH(i, n) ((i) & (n) ? (i) + WIDE : (i) ^ (n))

/* Lane i becomes lane i ^ n. */
#define SWAPPED(a, n) ((wide)__builtin_shufflevector(a, a, EACH_LANE(LANE_SWAPPED, n)))
/* From `b` the lanes whose numbers have bit n, from `a` the others. */
#define PICKED(a, b, n) ((wide)__builtin_shufflevector(a, b, EACH_LANE(LANE_PICKED, n)))

static inline wide wide_load(const rank *from)
{
    return *(const wide_at *)from;
}

static inline void wide_store(rank *to, wide values)
{
    *(wide_at *)to = values;
}

static inline wide wide_of(rank value)
{
    return value - (wide){0};
}

#if WIDE_BITS == 512

/* The lanes whose numbers have bit n. */
#define LANES_WITH(n)         \
    (((n) == 1   ? 0xaaaau    \
      : (n) == 2 ? 0xccccu    \
      : (n) == 4 ? 0xf0f0u    \
                 : 0xff00u) & \
     ((1u << WIDE) - 1))

#if KEY_BITS == 32
#define WIDE_512(name) _mm512_##name##_epi32
#define WIDE_MIN(a, b) ((wide)_mm512_min_epu32((__m512i)(a), (__m512i)(b)))
#define WIDE_MAX(a, b) ((wide)_mm512_max_epu32((__m512i)(a), (__m512i)(b)))
#define WIDE_GREATER(a, b) _mm512_cmpgt_epu32_mask((__m512i)(a), (__m512i)(b))
#define WIDE_EQUAL(a, b) _mm512_cmpeq_epu32_mask((__m512i)(a), (__m512i)(b))
#define WIDE_UP_TO(a, b) _mm512_cmple_epu32_mask((__m512i)(a), (__m512i)(b))
#define WIDE_GREATER_OF(mask, a, b) \
    _mm512_mask_cmpgt_epu32_mask(mask, (__m512i)(a), (__m512i)(b))
#else
#define WIDE_512(name) _mm512_##name##_epi64
#define WIDE_MIN(a, b) ((wide)_mm512_min_epu64((__m512i)(a), (__m512i)(b)))
#define WIDE_GREATER(a, b) _mm512_cmpgt_epu64_mask((__m512i)(a), (__m512i)(b))
#define WIDE_EQUAL(a, b) _mm512_cmpeq_epu64_mask((__m512i)(a), (__m512i)(b))
#define WIDE_UP_TO(a, b) _mm512_cmple_epu64_mask((__m512i)(a), (__m512i)(b))
#define WIDE_GREATER_OF(mask, a, b) \
    _mm512_mask_cmpgt_epu64_mask(mask, (__m512i)(a), (__m512i)(b))
#endif

/* a ^ b ^ one: if `one` is the smaller of `a` and `b` in each lane, this is the larger. */
static inline wide wide_other(wide one, wide a, wide b)
{
    return (wide)WIDE_512(ternarylogic)((__m512i)one, (__m512i)a, (__m512i)b, 0x96);
}

/*
 * Put the smaller of each lane into *low, the larger into *high. Intel's processors have
 * one port for minima and maxima of 512 bits, so exclusive-ors are cheaper there than a
 * maximum. SUITE_MAXIMA is for 32-bit keys only.
 */
static inline void wide_exchange(wide *low, wide *high)
{
    const wide least = WIDE_MIN(*low, *high);

#ifdef SUITE_MAXIMA
    *high = WIDE_MAX(*low, *high);
#else
    *high = wide_other(least, *low, *high);
#endif
    *low = least;
}

/* The smaller of each lane; in lanes whose numbers have bit n, the larger. */
static inline wide wide_sorted(wide a, wide b, int n)
{
    return (wide)WIDE_512(mask_ternarylogic)((__m512i)WIDE_MIN(a, b), LANES_WITH(n),
                                             (__m512i)a, (__m512i)b, 0x96);
}

/* Add 1 where two are equal. */
static inline wide wide_count(wide sum, wide a, wide b)
{
    const unsigned equal = WIDE_EQUAL(a, b);

    return (wide)WIDE_512(mask_add)((__m512i)sum, equal, (__m512i)sum, (__m512i)wide_of(1));
}

#else

static inline wide wide_other(wide one, wide a, wide b)
{
    return one ^ a ^ b;
}

static inline wide wide_count(wide sum, wide a, wide b)
{
    return sum - (wide)(a == b);
}

static inline void wide_exchange(wide *low, wide *high)
{
    exchange(low, high);
}
#endif

/*
 * AVX2 has minima of doubles and none of 64-bit integers. Positive doubles that are normal
 * and finite are in the order of their bits. So 64-bit ranks that are near each other
 * become such bits: the least of them becomes NEAR_FIRST. The two of an exchange are never
 * a zero or a NaN, so none is lost.
 */
#define NEAR_RANKS (WIDE_BITS == 256 && KEY_BITS == 64)
#define NEAR_FIRST ((key)(UINT64_C(1) << 52))
#define NEAR_LAST ((key)((UINT64_C(0x7ff) << 52) - 1))

/* wide_exchange; `near` is a constant. */
INLINED void wide_exchange_as(wide *low, wide *high, const int near)
{
#if NEAR_RANKS
    if (near) {
        const __m256d a = (__m256d)*low;
        const __m256d b = (__m256d)*high;

        *low = (wide)_mm256_min_pd(a, b);
        *high = (wide)_mm256_max_pd(a, b);
        return;
    }
#endif
    (void)near;
    wide_exchange(low, high);
}

/* wide_sorted for all widths. */
#if WIDE_BITS == 512
#define WIDE_SORTED_AS(a, b, n, near) ((void)(near), wide_sorted(a, b, n))
#else
#define WIDE_SORTED_AS(a, b, n, near) wide_pick_##n(a, b, near)
#define WIDE_PICK(n)                                                \
    INLINED wide wide_pick_##n(wide low, wide high, const int near) \
    {                                                               \
        wide_exchange_as(&low, &high, near);                        \
        return PICKED(low, high, n);                                \
    }
WIDE_PICK(1)
WIDE_PICK(2)
#if WIDE >= 8
WIDE_PICK(4)
#endif
#endif

/* ---- Codes (code.inl) of whole vectors -------------------------------------------- */

/* What becomes of keys on their way in, and of ranks on their way out. */
enum coding { CODING_NONE, CODING_FLIP, CODING_FLOAT };

static enum coding coding_of(struct code code)
{
    return code.is_float ? CODING_FLOAT : flip_of(code) ? CODING_FLIP : CODING_NONE;
}

#if WIDE_BITS == 512

/* Up to -infinity: its bits - a where the mask is set, a + `offset` elsewhere. */
static inline wide wide_fold(wide a, unsigned within, unsigned mask, key offset)
{
    const __m512i all = (__m512i)a;
    const __m512i moved = WIDE_512(mask_add)(all, within, all, (__m512i)wide_of(offset));

    return (wide)WIDE_512(mask_sub)(moved, mask, (__m512i)wide_of(code_lowest(1)), all);
}

static inline wide wide_from_float(wide bits)
{
    const unsigned within = WIDE_UP_TO(bits, wide_of(code_lowest(1)));
    const unsigned negative = WIDE_GREATER_OF(within, bits, wide_of((key) ~(key)0 >> 1));

    return wide_fold(bits, within, negative, code_negatives(1));
}

static inline wide wide_to_float(wide ranks)
{
    const unsigned within = WIDE_UP_TO(ranks, wide_of(code_lowest(1)));
    const unsigned negative = WIDE_GREATER(wide_of(code_negatives(1)), ranks);

    return wide_fold(ranks, within, negative, -code_negatives(1));
}

#else

/* `a` where the mask is set, `b` elsewhere. */
static inline wide_keys wide_choose(wide_keys mask, wide_keys a, wide_keys b)
{
    return (wide_keys)_mm256_blendv_epi8((__m256i)b, (__m256i)a, (__m256i)mask);
}

static inline wide wide_from_float(wide bits)
{
    const wide_keys all = (wide_keys)bits;
    const wide_keys number = wide_choose((wide_keys)((wide_signed)bits < 0),
                                         code_lowest(1) - all, all + code_negatives(1));

    return (wide)wide_choose((wide_keys)(all > code_lowest(1)), all, number);
}

static inline wide wide_to_float(wide ranks)
{
    const wide_keys all = (wide_keys)ranks;
    const wide_keys bits = wide_choose((wide_keys)(all < code_negatives(1)),
                                       code_lowest(1) - all, all - code_negatives(1));

    return (wide)wide_choose((wide_keys)(all > code_lowest(1)), all, bits);
}
#endif

static inline wide wide_enter(wide bits, enum coding coding, key flip)
{
    if (coding == CODING_FLOAT)
        bits = wide_from_float(bits);
    return coding == CODING_NONE ? bits : (wide)((wide_keys)bits ^ flip);
}

static inline wide wide_leave(wide ranks, enum coding coding, key flip)
{
    if (coding != CODING_NONE)
        ranks = (wide)((wide_keys)ranks ^ flip);
    return coding == CODING_FLOAT ? wide_to_float(ranks) : ranks;
}
