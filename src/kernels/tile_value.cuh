/*
 * tile_value.cuh - pivots by interpolation between key values, for lists with different
 * distributions (tile_pivot.cuh). Keys are assumed to be spread evenly between two known
 * ones, as integers or as the floats that they code.
 */

#if KEY_BITS >= 32

#if KEY_BITS == 64
typedef double real;
#else
typedef float real;
#endif

union real_bits {
    real value;
    key bits;
};

/* The float of a code (code.inl), exact except for some NaNs; and the code of a float. */
DEVICE real real_of(key code, key turn)
{
    union real_bits r;

    r.bits = code_leave_most(code, turn);
    return r.value;
}

DEVICE key code_of(real value, key turn)
{
    union real_bits r;

    r.value = value;
    return code_enter_most(r.bits, turn);
}

/*
 * The key whose float is at `part` of the distance from `low` to `high`, where low < high.
 * The result is below `high`: if `high` is the key of a pivot that ends the windows, keys
 * equal to it may lie after them. The same holds for code_between().
 */
DEVICE key float_between(key low, key high, float part, int floats)
{
    const key turn = floats < 0 ? (key) ~(key)0 : 0;
    const real from = real_of(low, turn);
    const key k = code_of(from + (real)part * (real_of(high, turn) - from), turn);

    return k < low ? low : k < high ? k : (key)(high - 1);
}

#else /* floats of 16 bits: other pivots serve them */

DEVICE key float_between(key low, key high, float part, int floats)
{
    (void)high, (void)part, (void)floats;
    return low;
}

#endif

/* The key at `part` of the distance from `low` to `high`. */
DEVICE key code_between(key low, key high, float part)
{
    const key all = (key)(high - low);
    const key step = (key)(part * (float)all);

    return (key)(low + (step < all ? step : all - 1));
}

/* A pivot that is in no list: it sorts after all keys equal to it. */
DEVICE struct cut_pivot value_pivot(key k)
{
    const struct cut_pivot p = {k, WARP, 0, 0};

    return p;
}

/*
 * A pivot with the fraction `wanted` of the keys between `low` and `high` before it,
 * assuming that keys are spread evenly there.
 */
DEVICE struct cut_pivot even_pivot(key low, key high, float wanted, int floats)
{
    const float most = 0.999999f; /* below 1: rounding must not exceed a key */
    const float part = wanted < most ? wanted : most;

    return value_pivot(floats ? float_between(low, high, part, floats)
                              : code_between(low, high, part));
}
