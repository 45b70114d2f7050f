/*
 * special.c - keys that are hard on a sort: the ends of each type's range, and
 * the floats that are not plain numbers.
 */
#include "inside.h"

uint64_t random_at(uint64_t seed, uint64_t i)
{
    return kit_mix(kit_mix(i + UINT64_C(0x9e3779b97f4a7c15)) + kit_mix(seed));
}

static int is_float(mw_type type)
{
    return type == MW_F32 || type == MW_F64;
}

/* The bits of a float from its parts; the fraction's low bits are used. */
static uint64_t compose(mw_type type, uint64_t sign, uint64_t exponent, uint64_t fraction)
{
    const int fraction_bits = type == MW_F32 ? 23 : 52;
    const int sign_bit = type == MW_F32 ? 31 : 63;

    fraction &= (UINT64_C(1) << fraction_bits) - 1;
    return sign << sign_bit | exponent << fraction_bits | fraction;
}

/* The exponent of infinities and NaNs. */
static uint64_t top_exponent(mw_type type)
{
    return type == MW_F32 ? 0xff : 0x7ff;
}

uint64_t special_number(mw_type type, uint64_t random)
{
    const uint64_t more = kit_mix(random + 1);
    const uint64_t sign = random >> 63;

    if (!is_float(type))
        return random;
    if (more >> 57 == 0) /* every 128th is a zero of either sign */
        return compose(type, sign, 0, 0);
    return compose(type, sign, more % top_exponent(type), random);
}

uint64_t special_extreme(mw_type type, uint64_t random)
{
    const uint64_t top = UINT64_C(1) << (8 * mw_type_size(type) - 1);
    const uint64_t integers[] = {top, top - 1, 0, 1, UINT64_MAX};
    const uint64_t infinity = top_exponent(type);
    const uint64_t floats[][2] = {
        {infinity,     0         },
        {infinity - 1, UINT64_MAX},
        {infinity / 2, 0         },
        {0,            0         }
    };
    const uint64_t *const form = floats[(random >> 1) % 4];

    if (!is_float(type))
        return integers[(random >> 1) % 5];
    return compose(type, form == floats[3] ? 0 : random & 1, form[0], form[1]);
}

uint64_t special_float(mw_type type, uint64_t random)
{
    const uint64_t top = top_exponent(type);
    const uint64_t sign = random & 1;
    const uint64_t quiet = type == MW_F32 ? UINT64_C(1) << 22 : UINT64_C(1) << 51;
    const uint64_t payload = random >> 9 | 1;
    const uint64_t forms[][2] = {
        {top,     quiet     },
        {top,     UINT64_MAX},
        {top,     1         },
        {top,     payload   }, /* NaNs */
        {top,     0         },
        {top - 1, UINT64_MAX}, /* infinity, the largest number */
        {0,       0         },
        {0,       0         }, /* zeros, twice as often */
        {0,       1         },
        {0,       UINT64_MAX}, /* denormals */
        {1,       0         },
        {top / 2, 0         }, /* the least normal number, one */
    };
    const uint64_t *const form = forms[(random >> 1) % (sizeof forms / sizeof forms[0])];

    if (!is_float(type))
        return special_extreme(type, random >> 1);
    return compose(type, sign, form[0], form[1]);
}
