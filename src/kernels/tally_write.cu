/*
 * tally_write.cu - write the keys in order: the last pass of engine tally.
 *
 * Key p of the result has the greatest code that at most p keys precede. A warp writes
 * neighbouring vectors. It finds the codes of its first and last key; if they are equal, no
 * lane has to search. Otherwise each lane searches between them.
 */
enum { tally_write_blocks = 8 };

AGREE(TALLY_NEAR == 2 * WARP && TALLY_FAR == WARP * TALLY_NEAR);

/* The greatest code in [low, high] that at most `place` keys precede; `low` is such. */
DEVICE unsigned code_at(const wide_cell *starts, unsigned low, unsigned high, wide place)
{
    while (low < high) {
        const unsigned middle = (low + high + 1) / 2;

        if (LOAD_AS(PROBE, starts + middle) <= place)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Two places, and what is known of their codes: numbers of entries in a table. */
struct sought {
    wide first;
    wide last;
    unsigned first_at;
    unsigned last_at;
};

/* Each of the two is among `entries` neighbours in the next table; a lane reads one. */
DEVICE void look_up(const wide_cell *table, int entries, struct sought *of)
{
    wide first = ~(wide)0;
    wide last = ~(wide)0;

    of->first_at *= (unsigned)entries;
    of->last_at *= (unsigned)entries;
    if (LANE < entries) {
        first = LOAD_AS(PROBE, table + of->first_at + LANE);
        last = LOAD_AS(PROBE, table + of->last_at + LANE);
    }
    of->first_at += (unsigned)HIGHEST_BIT(BALLOT(first <= of->first));
    of->last_at += (unsigned)HIGHEST_BIT(BALLOT(last <= of->last));
}

/* The same for the codes of two places. All lanes search for both. */
DEVICE void codes_at(const wide_cell *starts, wide first, wide last, unsigned *first_code,
                     unsigned *last_code)
{
    const vector_cell *const pairs = (const vector_cell *)starts + LANE;
    struct sought of = {first, last, 0, 0};
    vector low, high;

    if (CODES > (int)TALLY_FAR) {
        look_up(starts + TALLY_FAR_AT(KEY_BITS), WARP, &of);
        look_up(starts + TALLY_NEAR_AT(KEY_BITS), WARP, &of);
    } else {
        look_up(starts + TALLY_NEAR_AT(KEY_BITS), CODES / TALLY_NEAR, &of);
    }
    low = LOAD_AS(PROBE, pairs + of.first_at * WARP);
    high = LOAD_AS(PROBE, pairs + of.last_at * WARP);
    *first_code = of.first_at * TALLY_NEAR + (unsigned)BITS(BALLOT(low.low <= first)) +
                  (unsigned)BITS(BALLOT(low.high <= first)) - 1;
    *last_code = of.last_at * TALLY_NEAR + (unsigned)BITS(BALLOT(high.low <= last)) +
                 (unsigned)BITS(BALLOT(high.high <= last)) - 1;
}

/* A vector of one code. */
DEVICE vector vector_of(unsigned code, const struct key_code *to_bits)
{
    const wide each = ~(wide)0 / (CODES - 1); /* a one in every key */
    const wide low = leave((key)code, to_bits) * each;
    const vector v = {low, low};

    return v;
}

/* Put `other` into v from key i on, 0 < i < VECTOR_KEYS. */
DEVICE void put_from(vector *v, vector other, int i)
{
    const int low = i * KEY_BITS;
    const wide low_rest = low < 64 ? ~(wide)0 << low : 0;
    const wide high_rest = low < 64 ? ~(wide)0 : ~(wide)0 << (low - 64);

    v->low = (v->low & ~low_rest) | (other.low & low_rest);
    v->high = (v->high & ~high_rest) | (other.high & high_rest);
}

/*
 * The vector that begins with key `at` of the vectors, whose code is `code`. No key has a
 * greater code than `last`. What follows the end of the array may be anything.
 */
DEVICE vector vector_at(const struct tally_write_args *args, wide skipped, wide at,
                        unsigned code, unsigned last)
{
    const wide_cell *const starts = (const wide_cell *)args->starts;
    vector v = vector_of(code, &args->leave);
    wide next = code < last ? LOAD_AS(PROBE, starts + code + 1) + skipped : 0;

    NO_UNROLL
    while (code < last && next < at + VECTOR_KEYS) {
        const int i = (int)(next - at);
        wide end = LOAD_AS(PROBE, starts + code + 2) + skipped;

        code++;
        if (end == next) { /* no key has this code */
            code = code_at(starts, code + 1, last, next - skipped);
            end = LOAD_AS(PROBE, starts + code + 1) + skipped;
        }
        put_from(&v, vector_of(code, &args->leave), i);
        next = end;
    }
    return v;
}

/* Store the keys of vector i that belong to the array, one by one. */
DEVICE void store_part(const struct tally_write_args *args, wide skipped, wide i, vector v)
{
    NO_UNROLL
    for (int k = 0; k < VECTOR_KEYS; k++) {
        const wide place = i * VECTOR_KEYS + (wide)k - skipped;

        if (place < args->count) /* of keys before the array it wraps around */
            STORE_AS(BULK, (key_cell *)args->keys + place, (key)v.low);
        v.low = v.low >> KEY_BITS | v.high << (64 - KEY_BITS);
        v.high >>= KEY_BITS;
    }
}

KERNEL(tally_write, struct tally_write_args)
{
    const struct vectors all = vectors_of(args.keys);
    const wide_cell *const starts = (const wide_cell *)args.starts;
    const wide keys = all.skipped + args.count;
    const wide warp = (wide)BLOCK * (THREADS / WARP) + (wide)(THREAD / WARP);
    const wide begin = warp * args.vectors * WARP;
    const wide first = begin ? begin * VECTOR_KEYS - all.skipped : 0;
    wide end = begin + args.vectors * WARP;
    wide last = end * VECTOR_KEYS - all.skipped;
    unsigned code, last_code;

    if (begin * VECTOR_KEYS >= keys)
        return;
    last = last < args.count ? last : args.count;
    end = end * VECTOR_KEYS < keys ? end : (keys + VECTOR_KEYS - 1) / VECTOR_KEYS;
    codes_at(starts, first, last - 1, &code, &last_code);
    NO_UNROLL
    for (wide i = begin + (wide)LANE; i < end; i += WARP) {
        const wide at = i * VECTOR_KEYS;
        vector v;

        code = code_at(starts, code, last_code, i ? at - all.skipped : 0);
        v = vector_at(&args, all.skipped, at, code, last_code);
        if (at >= all.skipped && at + VECTOR_KEYS <= keys)
            STORE_AS(BULK, (vector_cell *)all.at + i, v);
        else
            store_part(&args, all.skipped, i, v);
    }
}
