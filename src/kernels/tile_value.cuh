/*
 * tile_value.cuh - pivots by the values of keys, for lists that are not alike
 * (tile_pivot.cuh): keys are supposed to be spread evenly between two of them, as
 * numbers, or as the floats these stand for.
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

/* The float that a code stands for (code.inl), but for some NaNs; and back. */
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
 * Keys between `low` and `high`, which is greater. They are less than `high`: that may be
 * the key of a pivot in a list, where windows end, and equals behind it lie beyond them.
 */

/* The key whose float is `part` of the way from one to another. */
DEVICE key float_between(key low, key high, float part, int floats)
{
    const key turn = floats < 0 ? (key) ~(key)0 : 0;
    const real from = real_of(low, turn);
    const key k = code_of(from + (real)part * (real_of(high, turn) - from), turn);

    return k < low ? low : k < high ? k : (key)(high - 1);
}

#else /* there are none */

DEVICE key float_between(key low, key high, float part, int floats)
{
    (void)high, (void)part, (void)floats;
    return low;
}

#endif

/* The key that is `part` of the way from one to another. */
DEVICE key code_between(key low, key high, float part)
{
    const key all = (key)(high - low);
    const key step = (key)(part * (float)all);

    return (key)(low + (step < all ? step : all - 1));
}

/* A pivot that is in no list: it comes behind all keys that equal it. */
DEVICE struct cut_pivot value_pivot(key k)
{
    const struct cut_pivot p = {k, WARP, 0, 0};

    return p;
}

/*
 * A pivot that has `wanted` of all places between two keys before it, the second greater,
 * supposing keys are spread evenly there.
 */
DEVICE struct cut_pivot even_pivot(key low, key high, float wanted, int floats)
{
    const float most = 0.999999f; /* a little less than all, which might not fit a key */
    const float part = wanted < most ? wanted : most;

    return value_pivot(floats ? float_between(low, high, part, floats)
                              : code_between(low, high, part));
}
