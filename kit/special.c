/*
 * special.c - keys that are hard on a sort: the ends of each type's range, and
 * the floats that are not plain numbers.
 */
#include "inside.h"

uint64_t random_at(uint64_t seed, uint64_t i)
{
    return kit_mix(kit_mix(i + UINT64_C(0x9e3779b97f4a7c15)) + kit_mix(seed));
}

/* The bits of some keys of a type; of integers, `sign` alone. */
struct bits {
    int is_float;
    uint64_t sign;
    uint64_t fraction; /* all its bits; also the largest denormal */
    uint64_t infinity; /* what is larger is a NaN, what is less is a number */
    uint64_t one;
};

static struct bits bits_of(mw_type type)
{
    const uint64_t sign = UINT64_C(1) << (8 * mw_type_size(type) - 1);
    const int width = type == MW_F32 ? 23 : type == MW_F16 ? 10 : type == MW_BF16 ? 7 : 52;
    const uint64_t fraction = (UINT64_C(1) << width) - 1;
    const uint64_t infinity = sign - fraction - 1;

    return (struct bits){*mw_type_name(type) == 'f' || type == MW_BF16, sign, fraction,
                         infinity, infinity / 2 & ~fraction};
}

uint64_t special_number(mw_type type, uint64_t random)
{
    const struct bits b = bits_of(type);
    const uint64_t more = kit_mix(random + 1);
    const uint64_t sign = random >> 63 ? b.sign : 0;
    const uint64_t exponents = b.infinity / (b.fraction + 1);

    if (!b.is_float)
        return random;
    if (more >> 57 == 0) /* every 128th is a zero of either sign */
        return sign;
    return sign | more % exponents * (b.fraction + 1) | (random & b.fraction);
}

uint64_t special_extreme(mw_type type, uint64_t random)
{
    const struct bits b = bits_of(type);
    const uint64_t integers[] = {b.sign, b.sign - 1, 0, 1, UINT64_MAX};
    const uint64_t floats[] = {b.infinity, b.infinity - 1, b.one, 0};
    const uint64_t chosen = floats[(random >> 1) % 4];

    if (!b.is_float)
        return integers[(random >> 1) % 5];
    return chosen && random & 1 ? chosen | b.sign : chosen;
}

uint64_t special_float(mw_type type, uint64_t random)
{
    const struct bits b = bits_of(type);
    const uint64_t quiet = b.infinity + b.fraction / 2 + 1;
    const uint64_t nan = b.infinity | ((random >> 9 | 1) & b.fraction);
    const uint64_t floats[] = {quiet,      b.sign - 1,     b.infinity + 1, nan,
                               b.infinity, b.infinity - 1, 0 /* twice */,  0,
                               1,          b.fraction,     b.fraction + 1, b.one};

    if (!b.is_float)
        return special_extreme(type, random >> 1);
    return floats[(random >> 1) % 12] | (random & 1 ? b.sign : 0);
}
