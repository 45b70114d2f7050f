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
 * Are floats spread evenly, rather than their codes? Not, for one, if their bits are
 * random. `k` is `part` of the way from `low` to `high`; near an end both may be right.
 */
DEVICE int floats_are_even(key low, key high, key k, float part, int floats)
{
    const key turn = floats < 0 ? (key) ~(key)0 : 0;
    const real from = real_of(low, turn);
    const float by_code = QUOTIENT((float)(key)(k - low), (float)(key)(high - low)) - part;
    const float by_value =
        QUOTIENT((float)(real_of(k, turn) - from), (float)(real_of(high, turn) - from)) -
        part;

    return by_value * by_value < by_code * by_code + 0.001f; /* no if one is no number */
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

DEVICE int floats_are_even(key low, key high, key k, float part, int floats)
{
    (void)low, (void)high, (void)k, (void)part;
    return floats;
}

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

/*
 * A pivot that has `need` of `open` places between two keys, the second greater, supposing
 * keys are spread evenly there. It need be in no list: it comes behind all that equal it.
 */
DEVICE struct cut_pivot even_pivot(key low, key high, unsigned need, unsigned open,
                                   int floats)
{
    const float most = 0.999999f; /* a little less than all, which might not fit a key */
    const float wanted = QUOTIENT((float)need, (float)open);
    const float part = wanted < most ? wanted : most;
    struct cut_pivot p;

    p.owner = WARP;
    p.place = 0;
    p.value =
        floats ? float_between(low, high, part, floats) : code_between(low, high, part);
    p.before = 0;
    return p;
}
