/*
 * rank.inl - ranks: keys as the numbers that are compared.
 *
 * `key` holds the caller's bits. `rank` is what is compared: the key's code, an
 * unsigned number (code.inl). AVX2 compares signed numbers only, so with AVX2 but
 * without AVX-512 ranks of 32 and 64 bits are signed, with the top bit flipped.
 */
#if KEY_BITS == 8
typedef uint8_t key;
#elif KEY_BITS == 16
typedef uint16_t key;
#elif KEY_BITS == 32
typedef uint32_t key;
#elif KEY_BITS == 64
typedef uint64_t key;
#else
#error "KEY_BITS must be 8, 16, 32 or 64"
#endif

#include "base/field.h"

#define CODE_FUNCTION static inline
#include "base/code.inl"

#if KEY_BITS == 32 && !defined(__AVX512VL__)
typedef int32_t rank;
#define RANK_TURN ((key)1 << 31)
#define RANK_FIRST INT32_MIN
#define RANK_LAST INT32_MAX
#elif KEY_BITS == 64 && !defined(__AVX512VL__)
typedef int64_t rank;
#define RANK_TURN ((key)1 << 63)
#define RANK_FIRST INT64_MIN
#define RANK_LAST INT64_MAX
#else
typedef key rank;
#define RANK_TURN ((key)0)
#define RANK_FIRST ((rank)0)
#define RANK_LAST ((rank) ~(rank)0)
#endif

static inline rank enter(key bits, int is_float, key flip)
{
    return (rank)code_enter(bits, is_float, flip);
}

static inline key leave(rank number, int is_float, key flip)
{
    return code_leave((key)number, is_float, flip);
}

/* `is_float` of a code that is one of floats: a constant where it can be. */
static inline int float_of(struct code code)
{
    return KEY_BITS == 16 ? code.is_float : 1;
}

static inline key flip_of(struct code code)
{
    return (key)code.flip ^ RANK_TURN;
}
