/*
 * unit_code.c - keys become unsigned numbers of the documented order, and come
 * back bit by bit. Built once per width: KEY_BITS is 8, 16, 32 or 64.
 *
 * The order is judged by the kit, which has its own definition of it. Codes are
 * a bijection, so it suffices that neighbouring codes stand for neighbouring
 * keys: all of them for narrow keys; for wide ones every STEP-th code, and all
 * pairs of keys near the places where something changes.
 */
#include "kit.h"
#include "request.h"

#include "tap.h"

#define UNSIGNED(bits) uint##bits##_t
#define UNSIGNED_OF(bits) UNSIGNED(bits)
typedef UNSIGNED_OF(KEY_BITS) key;

#define CODE_FUNCTION static inline
#include "base/code.inl"

static const key most = (key) ~(key)0;

#define STEP ((key)(KEY_BITS < 32 ? 1 : KEY_BITS == 32 ? 509 : UINT64_C(2199023255579)))

static key enter(key bits, struct code code)
{
    return code_enter(bits, code.is_float, (key)code.flip);
}

static key leave(key rank, struct code code)
{
    return code_leave(rank, code.is_float, (key)code.flip);
}

static int in_order(mw_type type, mw_direction direction, key a, key b)
{
    return kit_compare(type, direction, &a, &b) < 0;
}

/*
 * From end to end: every code comes back and is a key's, neighbouring codes are
 * neighbouring keys', and every key comes back with all its bits.
 */
static int walk(mw_type type, mw_direction direction, struct code code)
{
    for (key at = 0;; at = most - at > STEP ? (key)(at + STEP) : most) {
        const key bits = leave(at, code);

        if (enter(bits, code) != at || leave(enter(at, code), code) != at ||
            (at != most && !in_order(type, direction, bits, leave((key)(at + 1), code)))) {
            tap_note("at %llx", (unsigned long long)at);
            return 0;
        }
        if (at == most)
            return 1;
    }
}

enum { REACH = 3, NEAR = 2 * REACH + 1, SPECIALS = (2 * KEY_BITS + 3) * NEAR };

/* Keys around both signs of every power of two, and around the ends of the floats. */
static key special_key(size_t i, struct code code)
{
    const size_t centre = i / NEAR;
    const key near = (key)(i % NEAR - REACH);
    const key lowest = code_lowest(code.is_float);
    const key ends[3] = {lowest, lowest & most >> 1, code_negatives(code.is_float)};

    if (centre >= 2 * KEY_BITS)
        return (key)(ends[centre - 2 * KEY_BITS] + near);

    const key power = (key)((key)1 << centre / 2);

    return (key)((centre % 2 ? power : (key)(0 - power)) + near);
}

/* Do the codes of two keys compare as the keys do? */
static int compares(mw_type type, mw_direction direction, struct code code, key x, key y)
{
    const key a = enter(x, code);
    const key b = enter(y, code);
    const int want = kit_compare(type, direction, &x, &y);

    if (((a > b) - (a < b)) == ((want > 0) - (want < 0)) && leave(a, code) == x)
        return 1;
    tap_note("keys %llx and %llx", (unsigned long long)x, (unsigned long long)y);
    return 0;
}

/* All pairs of special keys, and random ones, half of which differ in few low bits. */
static int compare_pairs(mw_type type, mw_direction direction, struct code code)
{
    int right = 1;

    for (size_t i = 0; i < (size_t)SPECIALS * SPECIALS && right; i++)
        right = compares(type, direction, code, special_key(i / SPECIALS, code),
                         special_key(i % SPECIALS, code));
    for (uint64_t i = 0; i < 500000 && right; i++) {
        const key x = (key)kit_mix(2 * i + 1);
        const key y = (key)(i % 2 ? kit_mix(2 * i + 2) : x ^ kit_mix(i) % 16);

        right = compares(type, direction, code, x, y);
    }
    return right;
}

/* The quick code of a float, mended, is its code; and the same backwards. */
static int mended(key bits, struct code code)
{
    const key flip = (key)code.flip;
    const key plain = enter(bits, code);
    const key quick = code_enter_most(bits, flip);
    const int nan = bits > code_lowest(code.is_float); /* with the sign set */
    const int right = code_mend(quick, flip) == plain && code_mend(plain, flip) == quick &&
                      code_leave_most(quick, flip) == bits &&
                      code_to_mend(quick, flip) == nan &&
                      code_to_mend(plain, flip) == nan && (nan || quick == plain);

    if (!right)
        tap_note("key %llx", (unsigned long long)bits);
    return right;
}

/* Special keys, random keys, and every STEP-th key. */
static int all_mended(struct code code)
{
    int passed = 1;

    for (size_t i = 0; i < SPECIALS; i++)
        passed &= mended(special_key(i, code), code);
    for (uint64_t i = 0; i < 500000; i++)
        passed &= mended((key)kit_mix(i), code);
    for (key bits = 0; most - bits > STEP; bits = (key)(bits + STEP))
        passed &= mended(bits, code);
    return passed;
}

/* With the flags of a field, codes are those that fields have. */
static int all_flagged(const mw_field *field, struct code code)
{
    struct request request;
    const mw_order order = {.size = sizeof order,
                            .element_bytes = sizeof(key),
                            .field_size = sizeof *field,
                            .fields = field,
                            .field_count = 1};
    const struct field_code *const rule = &request.order.field[0].code;
    struct error error = {""};
    int right = order_read(&order, 0, &request, &error) == MW_OK;

    for (uint64_t i = 0; i < SPECIALS + UINT64_C(500000) && right; i++) {
        const key bits = i < SPECIALS ? special_key((size_t)i, code) : (key)kit_mix(i);

        right = code_enter_field(bits, rule) == (key)field_code_of(bits, rule);
        if (!right)
            tap_note("key %llx, flags %x", (unsigned long long)bits, field->flags);
    }
    return right;
}

/* The documented order of floats, spelled out by their sign and exponent. */
static void test_floats(struct tap *tap, struct code up, key infinity)
{
    const key sign = (key)(most - (most >> 1));
    const key order[] = {sign | infinity,       /* -infinity */
                         (sign | infinity) - 1, /* the least number */
                         sign + 1,              /* the last negative number */
                         sign,                  /* -0 */
                         0,                     /* +0 */
                         1,                     /* the first positive number */
                         infinity - 1,          /* the greatest number */
                         infinity,
                         infinity + 1, /* NaNs without the sign ... */
                         most >> 1,
                         (sign | infinity) + 1, /* ... and with it */
                         most};
    int right = enter(order[0], up) == 0 && enter(most, up) == most;

    for (size_t i = 1; i < COUNT_OF(order); i++)
        right &= enter(order[i - 1], up) < enter(order[i], up);
    tap_ok(tap, right, "infinities, zeros and NaNs are where the header says", "");
}

int main(void)
{
    static const uint64_t infinities[MW_TYPE_COUNT] = {[MW_F32] = 0x7f800000,
                                                       [MW_F64] = 0x7ff0000000000000,
                                                       [MW_F16] = 0x7c00,
                                                       [MW_BF16] = 0x7f80};
    static const char *const way[] = {"ascending", "descending"};
    struct tap tap = {0, 0};

    for (int i = 0; i < 2 * MW_TYPE_COUNT; i++) {
        const mw_type type = (mw_type)(i / 2);
        const mw_direction direction = (mw_direction)(i % 2);
        const struct type_row *const row = type_row(type);
        const struct code code = type_code(row, direction);

        if (row->size * 8 != KEY_BITS)
            continue;
        tap_case(&tap, walk(type, direction, code), "%s %s: codes and keys in order",
                 row->name, way[direction]);
        tap_case(&tap, compare_pairs(type, direction, code), "%s %s: pairs in order",
                 row->name, way[direction]);
        if (code.is_float && KEY_BITS >= 32)
            tap_case(&tap, all_mended(code), "%s %s: quick codes can be mended", row->name,
                     way[direction]);
        if (code.is_float && direction == MW_ASCENDING)
            test_floats(&tap, code, (key)infinities[type]);
        for (uint32_t flags = 0; flags < 16; flags++) {
            const mw_field field = {.type = type, .direction = direction, .flags = flags};

            if (!(flags & ~kit_field_flags(type)))
                tap_case(&tap, all_flagged(&field, code), "%s %s: codes with flags %x",
                         row->name, way[direction], flags);
        }
    }
    return tap_end(&tap);
}
